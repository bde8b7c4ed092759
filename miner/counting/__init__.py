"""Keep responses in blocks, in this process or on workers. A count of responses is a sum over the blocks."""
