"""Two results of one class: what was handed out, what changed since, and why."""
