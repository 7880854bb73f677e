"""What commands print, and what they ask."""
