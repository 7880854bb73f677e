"""Canvas over the network: peer reviews from there (:mod:`pull`), and grades back (:mod:`push`)."""
