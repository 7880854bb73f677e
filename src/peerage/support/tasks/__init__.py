"""Work that is spread over processors, told of while it runs, and stopped."""
