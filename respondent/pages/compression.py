"""Compression of HTTP responses that are equal for everybody.

The length of a compressed response could disclose a secret if a response contains both the secret and text chosen by
the reader. HTTP responses to programs are not compressed, nor is the form for disguising by hand, which has a secret
proof.
"""

import gzip
from functools import lru_cache

from flask import Response, request


def compressed(content: bytes, mimetype: str) -> Response:
    """Return an HTTP response with the given content, compressed if the browser accepts compression."""
    takes = request.accept_encodings.quality("gzip") > 0
    answer = Response(_packed(content) if takes else content, mimetype=mimetype)
    answer.vary.add("Accept-Encoding")
    if takes:
        answer.content_encoding = "gzip"
    return answer


@lru_cache(256)
def _packed(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)
