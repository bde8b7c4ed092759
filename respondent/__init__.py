"""The web server: it sends the published design as a page and receives disguised codes. It never receives an answer."""
