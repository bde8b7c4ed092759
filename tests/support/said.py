"""The numbers in a text, so that tests compare numbers in place of sentences."""

from __future__ import annotations

import re


def figures(text: str) -> list[float]:
    """The numbers in a text in their order, without signs: "4/5" has two, and "6,561" is one."""
    found = re.findall(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?", text)
    return [float(each.replace(",", "")) for each in found]
