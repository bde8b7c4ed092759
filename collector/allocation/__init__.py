"""Which coding and channel each question gets, given an epsilon."""
