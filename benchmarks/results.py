"""Where the checkout is, and its docs/results, where tables and figures are written."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from miner.drawing.chart import Chart

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "results"


def write_csv(name: str, columns: Sequence[str], rows: Iterable[Sequence[object]], folder: Path = RESULTS) -> Path:
    """Write a table; numbers that are not whole with four digits after the point."""
    path = folder / f"{name}.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([f"{cell:.4f}" if isinstance(cell, float) else cell for cell in row] for row in rows)
    return path


def write_svg(name: str, chart: Chart, folder: Path = RESULTS) -> Path:
    """Write a plot."""
    path = folder / f"{name}.svg"
    path.write_text(chart.svg, encoding="utf-8")
    return path
