"""Forms and surveys: a row per response."""
