"""Classes that never were."""
