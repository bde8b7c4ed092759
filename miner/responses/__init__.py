"""Hold disguised responses in memory, and read conditions on their answers."""
