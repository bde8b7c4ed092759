"""The owner's desk: a running survey shown to this machine only. Begin with `desk`, then `app`."""
