"""What any program could use: files written whole, tasks run in parallel, words that count. Nothing about grades."""
