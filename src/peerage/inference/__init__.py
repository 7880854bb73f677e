"""From a gradebook and a model to a posterior."""
