"""Names for what has none that a survey accepts: headings of columns, names in other formats."""

from __future__ import annotations

import re

from collector.survey.question import NAME, RESERVED

LONGEST_NAME = 60


def name_of(text: str, number: int) -> str:
    """A name that a survey accepts, like this text; by a number where none of it can stay."""
    slug = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:LONGEST_NAME].strip("_")
    if not slug:
        return f"item_{number}"
    return slug if NAME.fullmatch(slug) and slug not in RESERVED else f"q_{slug}"
