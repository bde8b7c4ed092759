"""The web server: hands out the published design as a page, takes in disguised codes, and never meets an answer."""
