"""Open edX: the two reports on open response assessments."""
