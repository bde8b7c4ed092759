"""The web server: it sends the published design as a page and receives disguised codes.

The server never receives an answer.
"""
