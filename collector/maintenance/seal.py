"""The seal of a backup: the store's key and a keyed digest of the pages, at the end of the file.

The digest detects a backup that was damaged, cut off or changed. A person who has the backup has the key, and can seal
a changed backup again. A backup that was changed and sealed again has another digest than `collector backup` printed.
"""

import hmac
from pathlib import Path

from collector.errors import StoreError
from collector.store.invitation import PEPPER_BYTES

DIGEST_BYTES = 32
SEAL_BYTES = PEPPER_BYTES + DIGEST_BYTES
CHUNK = 2**20  # number of bytes that are read at a time


def seal(path: Path, key: bytes) -> str:
    """Add the key and the digest to a backup file, and return the digest in hexadecimal."""
    digest = _digest(path, key, path.stat().st_size)
    with path.open("ab") as stream:
        stream.write(key + digest)
    return digest.hex()


def unsealed(path: Path, target: Path) -> tuple[bytes, str]:
    """Write a sealed backup, without its seal, into an existing file.

    Returns:
        The key of the store, and the digest in hexadecimal.

    Raises:
        StoreError: If the backup was changed after it was sealed.
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
