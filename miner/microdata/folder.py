"""Write a folder of files completely or not at all."""

from collections.abc import Mapping
from pathlib import Path

from collector.output import check_empty, draft_of, unwritable


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files to a new folder that only its owner can read, completely or not at all.

    Args:
        folder: Folder that does not exist, or is empty.
        files: Content of each file, by its name.

    Raises:
        OutputError: If the folder is not empty, or cannot be written.
    """
    check_empty(folder)
    try:
        with draft_of(folder.resolve(), is_folder=True) as (draft, _):
            for name, content in files.items():
                (draft / name).write_bytes(content)
            draft.rename(folder.resolve())
    except OSError as error:
        raise unwritable(folder, error.errno) from None
