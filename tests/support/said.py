"""What a text says in figures, so that tests need not hold its sentences."""

from __future__ import annotations

import re


def figures(text: str) -> list[float]:
    """The numbers in a text in their order, without signs: "4/5" has two, and "6,561" is one."""
    found = re.findall(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?", text)
    return [float(each.replace(",", "")) for each in found]
