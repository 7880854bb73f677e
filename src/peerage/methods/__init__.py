"""Every published way to make one grade of several, under one contract (:mod:`peerage.methods.method_contract`).

``averages`` hold formulas, ``weighting`` the methods that weight graders, ``models`` the probabilistic ones,
``ordinal`` those that use only who was ranked above whom.
"""
