"""Options that commands share, and how help shows them."""
