"""Write tables as CSV, Parquet, SPSS or Stata files that only their owner can read."""

from importlib import import_module
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from collector.errors import QueryError
from collector.output import OWNERS_ONLY, write_bytes
from miner.responses.labelled import DTA, SAV, STATA_LABEL

LIBRARIES = {".parquet": ("pyarrow", "parquet"), SAV: ("pyreadstat", "spss"), DTA: ("pyreadstat", "spss")}
FORMATS = (".csv", *LIBRARIES)


def write_table(frame: pd.DataFrame, path: Path) -> None:
    """Write a table to a file that only its owner can read, completely or not at all.

    Args:
        frame: Table; ``frame.attrs["labels"]`` describes its columns.
        path: File to write, whose name ends in one of `FORMATS`.

    Raises:
        QueryError: If the library that writes the format is not installed.
        OutputError: If the file cannot be written.
    """
    content = table_bytes(frame, path.suffix.lower())
    if path.is_file():
        path.chmod(OWNERS_ONLY)
    write_bytes(path, [content])


def table_bytes(frame: pd.DataFrame, suffix: str) -> bytes:
    """Return the content of a file with a table, in the format that a suffix of `FORMATS` names.

    Raises:
        QueryError: If the library that writes the format is not installed.
    """
    if suffix == ".csv":
        return frame.to_csv(index=False).encode()
    library, extra = LIBRARIES[suffix]
    try:
        module = import_module(library)
    except ModuleNotFoundError:
        raise QueryError("file", f"{suffix} files need {library}", f'pip install "deniable[{extra}]"') from None
    if suffix == ".parquet":
        buffer = BytesIO()
        frame.to_parquet(buffer, index=False)
        return buffer.getvalue()
    words = frame.astype(dict.fromkeys(frame.select_dtypes("category"), str))
    labels = {name: text[:STATA_LABEL] for name, text in frame.attrs.get("labels", {}).items()}
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"table{suffix}"
        (module.write_sav if suffix == SAV else module.write_dta)(words, path, column_labels=labels)
        return path.read_bytes()
