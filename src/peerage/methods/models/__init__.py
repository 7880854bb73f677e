"""Probabilistic models of reports, others' and Peerage's own."""
