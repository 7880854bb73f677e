"""Posteriors in files: their arrays, their schema, reading and writing."""
