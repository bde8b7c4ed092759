"""The place to design a survey: its file edited in a browser on this machine. Begin with `document`, then `app`."""
