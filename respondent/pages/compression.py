"""Answers that are the same for everybody, compressed for browsers that take it: a third of the bytes on a slow line.

Only such: of an answer that holds a secret and also text that its reader chose, the length may disclose the
secret. The form by hand, which holds a proof, and what programs are answered are never compressed.
"""

import gzip
from functools import lru_cache

from flask import Response, request


def compressed(content: bytes, mimetype: str) -> Response:
    """An answer with this content, compressed where the browser says that it takes it."""
    takes = request.accept_encodings.quality("gzip") > 0
    answer = Response(_packed(content) if takes else content, mimetype=mimetype)
    answer.vary.add("Accept-Encoding")
    if takes:
        answer.content_encoding = "gzip"
    return answer


@lru_cache(256)
def _packed(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)
