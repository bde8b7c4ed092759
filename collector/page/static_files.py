"""The files of the respondent's page in this installation, and the hash of the files that disguise answers."""

from collections.abc import Mapping
from hashlib import sha384
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from collector.errors import InputError

SERVED = frozenset({".mjs", ".css", ".svg"})
ENTRY = "page/survey.mjs"  # script that the page loads first
DISGUISE = "disguise"  # folder of the scripts that disguise answers


def static_folder() -> Path:
    """Return the folder of the page's files.

    The folder belongs to the package `respondent`, which is not imported because the collector does not need its
    libraries.

    Raises:
        InputError: If the folder does not exist.
    """
    found = find_spec("respondent")
    for package in map(Path, (found and found.submodule_search_locations) or ()):
        for folder in (package / "static", package.parent / "static"):
            if folder.is_dir():
                return folder
    raise InputError("static", "the files of the survey page are not installed", "install the package deniable again")


def static_files(folder: Path | None = None) -> dict[str, bytes]:
    """Return the content of every file that is served under ``/static/``, by its path below ``/static/``."""
    folder = folder or static_folder()
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.suffix in SERVED}
    return {name: paths[name].read_bytes() for name in sorted(paths)}


def disguise_hash(files: Mapping[str, bytes]) -> str:
    """Return the SHA-384, in hexadecimal, of the output of ``sha384sum *.mjs`` in ``static/disguise/``.

    Args:
        files: Files of the page, as `static_files` returns them.
    """
    parts = {PurePosixPath(name): content for name, content in files.items()}
    scripts = {path.name: content for path, content in parts.items() if path.match(f"{DISGUISE}/*.mjs")}
    lines = "".join(f"{sha384(scripts[name]).hexdigest()}  {name}\n" for name in sorted(scripts))
    return sha384(lines.encode()).hexdigest()
