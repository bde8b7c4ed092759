"""Keep responses in blocks, in this process or on workers. Counts are sums over the blocks."""
