"""The lines of a survey file, each with its problems."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Any

from respondent.designing.blocks import Path, blocks_of, lines_with

Json = dict[str, Any]
BROKEN = re.compile(r"not valid TOML .*at (?:line (\d+)|end of document)")


def lines_of(text: str, problems: list[Json]) -> list[Json]:
    """Return the lines of a survey file.

    Args:
        text: Text of the survey file.
        problems: Problems of the survey file, as in the designer's state.

    Returns:
        A dictionary for each line: ``text``, and ``problems`` with the positions of the line's problems in the
            argument. A problem belongs to the line of its key, or otherwise to the first line of its table or of the
            file.
    """
    lines: list[Json] = [{"text": line, "problems": []} for line in text.split("\n")]
    if len(lines) > 1 and not lines[-1]["text"]:
        del lines[-1]  # what ends a line begins none
    for index, problem in enumerate(problems):
        broken = BROKEN.search(problem["problem"])
        line = int(broken[1] or len(lines)) - 1 if broken else _line_of(tuple(problem["path"]), text)
        lines[min(line, len(lines) - 1)]["problems"].append(index)
    return lines


def _line_of(path: Path, text: str) -> int:
    """Return the number, counted from 0, of the line that writes a path or the path's longest existing beginning."""
    if not path:
        return 0
    blocks = blocks_of(text)
    starts = [0, *accumulate(block.text.count("\n") for block in blocks)]
    for length in range(len(path), 0, -1):
        place = path[:length]
        for start, block in zip(starts, blocks, strict=False):
            header = start + block.lead.count("\n")
            if block.header and block.path == place:
                return header
            if place[: len(block.path)] != block.path or len(place) != len(block.path) + 1:
                continue
            found = lines_with(block.body, str(place[-1]))
            if found is not None:
                return header + block.header.count("\n") + block.body[: found[0]].count("\n")
    return 0
