"""Chains, their draws, and which of these are kept."""
