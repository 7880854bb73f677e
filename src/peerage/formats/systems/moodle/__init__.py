"""Moodle Workshop: database tables and course backups."""
