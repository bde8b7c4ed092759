"""Compare the code of Dask workers with the code here, because other code may count in another way."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from collector.errors import QueryError

if TYPE_CHECKING:
    from distributed import Client


def code_digester() -> Callable[[], str]:
    """Return a function that returns the SHA-256 of the code of ``collector`` and ``miner``, or "" if there is none.

    Dask sends an inner function whole, so that workers with any other version can call it.
    """

    def digest() -> str:
        found = sha256()
        for name in ("collector", "miner"):
            spec = find_spec(name)
            if spec is None or spec.origin is None:
                return ""
            folder = Path(spec.origin).parent
            for path in sorted(folder.rglob("*.py"), key=str):
                try:
                    content = sha256(path.read_bytes()).hexdigest()
                except OSError as error:
                    content = f"not readable: {error.strerror}"
                found.update(f"{name}/{path.relative_to(folder)}\0{content}\n".encode())
        return found.hexdigest()

    return digest


def check_code(client: Client) -> None:
    """Compare the code of all workers that are there with the code here; a worker that is lost meanwhile is left out.

    Args:
        client: Dask client of the workers' scheduler.

    Raises:
        QueryError: If a worker has another version, which the error names.
    """
    digest = code_digester()
    expected = digest()
    for worker, found in sorted(client.run(digest, on_error="return").items()):
        if found != expected and not isinstance(found, OSError):
            raise QueryError(
                f"worker {worker}",
                "it has another version of deniable",
                "install the version of this machine there too, and start the worker again",
            )
