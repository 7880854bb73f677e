"""The commands: each module has a function ``command``, which reads options, calls the library and prints."""
