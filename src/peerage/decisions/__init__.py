"""What a class does with a posterior: final grades that explain themselves."""
