"""The survey designer: edit a survey file in a browser on this machine. Start with the modules `document` and `app`."""
