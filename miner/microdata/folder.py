"""Write a folder of files completely or not at all."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from collector.output import check_empty, draft_of, unwritable


def write_folder(folder: Path, files: Mapping[str, bytes], around: AbstractContextManager[None] | None = None) -> None:
    """Write files to a new folder that only its owner can read, completely or not at all.

    Args:
        folder: Folder that does not exist, or is empty.
        files: Content of each file, by its name.
        around: Context in which the finished folder gets its name, which it does not if entering raises an error.

    Raises:
        OutputError: If the folder is not empty, or cannot be written.
    """
    check_empty(folder)
    try:
        with draft_of(folder.resolve(), is_folder=True) as (draft, _):
            for name, content in files.items():
                (draft / name).write_bytes(content)
            with around or nullcontext():
                draft.rename(folder.resolve())
    except OSError as error:
        raise unwritable(folder, error.errno) from None
