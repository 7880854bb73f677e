"""Canvas: exported tables and saved answers of its API."""
