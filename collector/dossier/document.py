"""A document as data: parts of paragraphs, lists and tables, which `collector.dossier.writers` writes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

GAP = re.compile(r"\[(?:to be filled in|check that the privacy notice says): [^\]]*\]")
"""A text that only the people who run the survey can write or check."""


class Worded(NamedTuple):
    """A text in a language of the survey.

    Attributes:
        text: The text.
        language: BCP 47 tag of its language.
    """

    text: str
    language: str


Cell = str | Worded
"""A text in English, or in a language of the survey."""


@dataclass(frozen=True)
class Points:
    """A list of short texts."""

    items: tuple[Cell, ...]


@dataclass(frozen=True)
class Grid:
    """A table with headings; each row has a cell for each heading."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


Block = Cell | Points | Grid
"""A paragraph, a list or a table."""


@dataclass(frozen=True)
class Part:
    """A part of a document, with its heading."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Document:
    """A document with a title and parts."""

    title: Cell
    parts: tuple[Part, ...]

    @property
    def gaps(self) -> tuple[tuple[str, str], ...]:
        """The texts that have to be filled in, without duplicates, each with the title of its part and its row."""
        found: dict[str, str] = {}
        for part in self.parts:
            for name, cell in (each for block in part.blocks for each in _placed(block)):
                for gap_text in GAP.findall(plain(cell)):
                    found.setdefault(gap_text, f"{part.title}{name and f', {name}'}")
        return tuple((place, each) for each, place in found.items())


def _placed(block: Block) -> Iterator[tuple[str, Cell]]:
    """Yield every text of a block with the first text of its row, or an empty text outside tables."""
    if isinstance(block, Grid):
        yield from ((plain(row[0]), cell) for row in block.rows for cell in row)
    else:
        yield from (("", cell) for cell in cells(block))


def cells(block: Block) -> Iterator[Cell]:
    """Yield every text of a block."""
    if isinstance(block, Grid):
        yield from (cell for row in block.rows for cell in row)
    elif isinstance(block, Points):
        yield from block.items
    else:
        yield block


def plain(cell: Cell) -> str:
    """Return a text without its language."""
    return cell.text if isinstance(cell, Worded) else cell


def gap(what: str) -> str:
    """Return the mark of a text that only the people who run the survey can write."""
    return f"[to be filled in: {what}]"


SEEN = {"before": "before and after Send", "after": "after Send", "off": "never"}
"""When the page shows what is sent, by the preview of the survey."""
POPULATION = "who is asked, how they are chosen and reached, and whether minors or dependants are among them"
REWARD = gap("reward, and who pays it")
"""What several parts have to say, and a gap that several parts have."""
