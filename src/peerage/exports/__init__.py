"""Results turned into the files of the systems that classes run on: one module per format.

Each module has a ``NAME`` and says how to ``prepare`` what it writes from results, to ``write`` it and to
``read`` it. Whatever was written is read back before it takes its place.
"""
