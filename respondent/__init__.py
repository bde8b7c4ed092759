"""The web server, which sends published designs as pages and receives disguised codes, but never answers."""
