"""A limit on the number of chunks of a request, because each chunk costs as much work as some hundred bytes."""

from gunicorn.http.body import Body, ChunkedReader
from gunicorn.http.errors import ParseException

MOST_CHUNKS = 2_000  # a body of the largest size then has chunks of 33 bytes; programs send thousands at once


class ChunksError(ParseException):  # type: ignore[misc] # gunicorn brings no types
    """A request that came in too many chunks."""


def limit_chunks(body: Body) -> None:
    """Let the body of a request end in a `ChunksError` at the chunk that is one too many.

    The limit also holds for what gunicorn reads of a body that nobody asked for.
    """
    if not isinstance(body.reader, ChunkedReader):
        return
    parse, chunks = body.reader.parse_chunk_size, 0

    def counted(*given: object, **named: object) -> object:
        nonlocal chunks
        chunks += 1
        if chunks > MOST_CHUNKS:
            raise ChunksError
        return parse(*given, **named)

    body.reader.parse_chunk_size = counted
