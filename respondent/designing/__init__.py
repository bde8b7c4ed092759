"""The survey designer, with which you edit a survey file in a browser on this machine."""
