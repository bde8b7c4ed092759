"""Writes tests/vectors/*.json, which tie the browser's code to Python: ``python tests/support/make_vectors.py``.

Nothing here asks the code under test what to expect. A case is planned first (this coin falls so, that value gets
this code), and then the words of chance that bring it about are written down, rejected words in front of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from coding_vectors import coding_cases
from design_vectors import design_cases, response_cases
from disguise_vectors import coin_cases, disguise_cases, sampling_cases
from odds_vectors import odds_cases
from vector_chance import Case
from vector_surveys import surveys

HERE = Path(__file__).resolve().parents[1]


def documents() -> dict[str, str]:
    """Every file of vectors, by name: one case a line."""
    designs = {name: survey.design for name, survey in surveys().items()}
    files: dict[str, tuple[Case, Iterator[Case]]] = {
        "coins": ({}, coin_cases()),
        "sampling": (designs, sampling_cases()),
        "coding": (designs, coding_cases()),
        "disguise": (designs, disguise_cases()),
        "designs": (designs, design_cases()),
        "odds": (designs, odds_cases()),
        "responses": ({"small": designs["small"]}, response_cases()),
    }
    return {f"{name}.json": _written(about, cases) for name, (about, cases) in files.items()}


def _written(about: Case, cases: Iterator[Case]) -> str:
    def line(value: object) -> str:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)

    surveys_lines = ",\n".join(f"  {line(name)}: {line(design)}" for name, design in about.items())
    case_lines = ",\n".join(f"  {line(case)}" for case in cases)
    return f'{{"surveys": {{\n{surveys_lines}\n}},\n"cases": [\n{case_lines}\n]}}\n'


if __name__ == "__main__":
    for file, text in documents().items():
        (HERE / "vectors" / file).write_text(text, encoding="utf-8")
