"""Files in which the staff decide something: exclusions, overrides, fixed values, pseudonyms."""
