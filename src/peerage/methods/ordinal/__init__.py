"""Methods that use only who was ranked above whom."""
