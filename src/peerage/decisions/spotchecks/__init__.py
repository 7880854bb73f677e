"""Which submissions staff should look at next, and why."""
