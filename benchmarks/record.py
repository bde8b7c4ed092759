"""What stands beside every figure in docs/results: the command that makes it, and the versions it was made with."""

from __future__ import annotations

import os
import platform
import sqlite3
from importlib.metadata import PackageNotFoundError, version
from typing import Any

PACKAGES = ("flask", "werkzeug", "gunicorn", "sqlite-utils", "playwright", "hypothesis", "schemathesis", "atheris")


def record(command: str, **figures: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Figures as they are kept.

    Args:
        command: As it is typed, ``python -m benchmarks.collecting.load`` say.
        figures: What it found.
    """
    return {"command": command, "versions": versions(), "processors": os.cpu_count(), **figures}


def versions() -> dict[str, str]:
    """Of Python, SQLite, and the packages that are installed and have a say in the figures."""
    found = {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
