"""The one door in: what is sent is read, checked and stored."""
