"""The files of the respondent's page as this installation has them, and the hash of those that disguise answers."""

from collections.abc import Mapping
from hashlib import sha384
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from collector.errors import InputError

SERVED = frozenset({".mjs", ".css", ".svg"})
ENTRY = "page/survey.mjs"  # the script that the page loads
DISGUISE = "disguise"  # the folder of the scripts that disguise answers


def static_folder() -> Path:
    """The folder of the page's files: in the package `respondent` where it is installed, else next to it in a checkout.

    That package is not imported: the collector needs none of its libraries.

    Raises:
        InputError: If there is no such folder.
    """
    found = find_spec("respondent")
    for package in map(Path, (found and found.submodule_search_locations) or ()):
        for folder in (package / "static", package.parent / "static"):
            if folder.is_dir():
                return folder
    raise InputError("static", "the page's files are not installed here", "install the whole package")


def static_files(folder: Path | None = None) -> dict[str, bytes]:
    """Every file that is served under ``/static/``, by its path below it, sorted."""
    folder = folder or static_folder()
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.suffix in SERVED}
    return {name: paths[name].read_bytes() for name in sorted(paths)}


def disguise_hash(files: Mapping[str, bytes]) -> str:
    """SHA-384, in hexadecimal, of what ``sha384sum *.mjs`` prints in ``static/disguise/``.

    Args:
        files: The files as `static_files` gives them; those of other folders do not count.
    """
    parts = {PurePosixPath(name): content for name, content in files.items()}
    scripts = {path.name: content for path, content in parts.items() if path.match(f"{DISGUISE}/*.mjs")}
    lines = "".join(f"{sha384(scripts[name]).hexdigest()}  {name}\n" for name in sorted(scripts))
    return sha384(lines.encode()).hexdigest()
