"""What new grades do to a posterior: at once, and by going on from where the chains stand."""
