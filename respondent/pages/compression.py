"""Compression of HTTP responses that are the same for everybody. Compressed responses have a third of the bytes.

A response that contains a secret together with text chosen by its reader is never compressed, because its length could
disclose the secret. The form by hand, which contains a proof, and responses to programs are therefore not compressed.
"""

import gzip
from functools import lru_cache

from flask import Response, request


def compressed(content: bytes, mimetype: str) -> Response:
    """Return an HTTP response with this content, compressed if the browser accepts that."""
    takes = request.accept_encodings.quality("gzip") > 0
    answer = Response(_packed(content) if takes else content, mimetype=mimetype)
    answer.vary.add("Accept-Encoding")
    if takes:
        answer.content_encoding = "gzip"
    return answer


@lru_cache(256)
def _packed(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)
