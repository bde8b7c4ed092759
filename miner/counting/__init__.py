"""Keep responses in blocks, in this process or on workers."""
