"""The seal of a backup, which is the store's key and a keyed digest of the pages, after the last page of the file.

SQLite does not read beyond the last page. The digest detects a file that was damaged, cut off or changed. A reader of
the backup has the key and can seal a changed file again, but the new digest differs from the digest that `collector
backup` printed.
"""

import hmac
from pathlib import Path

from collector.errors import StoreError
from collector.store.invitation import PEPPER_BYTES

DIGEST_BYTES = 32
SEAL_BYTES = PEPPER_BYTES + DIGEST_BYTES
CHUNK = 2**20  # number of bytes that are read at a time


def seal(path: Path, key: bytes) -> str:
    """Add the key and the digest to a file, and return the digest in hexadecimal."""
    digest = _digest(path, key, path.stat().st_size)
    with path.open("ab") as stream:
        stream.write(key + digest)
    return digest.hex()


def unsealed(path: Path, target: Path) -> tuple[bytes, str]:
    """Write the content of a sealed file into an existing file.

    Returns:
        The key, and the digest in hexadecimal.

    Raises:
        StoreError: If the file was changed after it was sealed.
    """
    size = path.stat().st_size - SEAL_BYTES
    with path.open("rb") as stream:
        stream.seek(max(size, 0))
        key, digest = stream.read(PEPPER_BYTES), stream.read(DIGEST_BYTES)
        stream.seek(0)
        with target.open("wb") as copy:
            left = size
            while left > 0:
                chunk = stream.read(min(CHUNK, left))
                copy.write(chunk)
                left -= len(chunk) or left
    if size <= 0 or not hmac.compare_digest(digest, _digest(target, key, size)):
        problem = "it is not as it was written: its digest does not fit its content"
        raise StoreError(str(path), problem, "use another backup")
    return key, digest.hex()


def _digest(path: Path, key: bytes, size: int) -> bytes:
    hashed = hmac.new(key, digestmod="sha256")
    hashed.update(size.to_bytes(8, "big"))
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            hashed.update(chunk)
    return hashed.digest()
