"""Write a document as Markdown, as one HTML page, or as a Word file."""

import re
from collections.abc import Callable, Iterator
from html import escape
from io import BytesIO

from collector.dossier.document import GAP, Block, Cell, Document, Grid, Points, Worded, cells, plain
from collector.errors import InputError

MARKUP = re.compile(r"([\\*<|])|(?<=\])(\()")
STYLE = (
    "body{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}"
    "mark{background:#ffe680}"
    "table{border-collapse:collapse;width:100%}td,th{border:1px solid #bbb;padding:.3rem .6rem;text-align:start;"
    "vertical-align:top}h2{margin-top:2.5rem}"
)


def as_markdown(document: Document) -> bytes:
    """Return a document as Markdown with tables, in UTF-8."""
    lines = [f"# {_marked_down(document.title)}"]
    for part in document.parts:
        lines += ["", f"## {part.title}"]
        for block in part.blocks:
            lines += ["", *_lines(block)]
    return ("\n".join(lines) + "\n").encode()


def _lines(block: Block) -> Iterator[str]:
    if isinstance(block, Grid):
        for row in (block.columns, ("---",) * len(block.columns), *block.rows):
            yield f"| {' | '.join(map(_marked_down, row))} |"
    else:
        start = "- " if isinstance(block, Points) else ""
        yield from (f"{start}{_marked_down(cell)}" for cell in cells(block))


def _marked_down(cell: Cell) -> str:
    return MARKUP.sub(r"\\\1\2", " ".join(plain(cell).split()))


def as_html(document: Document) -> bytes:
    """Return a document as one HTML page that needs no other file, in UTF-8."""
    parts = [f"<h1>{_tagged(document.title)}</h1>"]
    for part in document.parts:
        parts += [f"<h2>{escape(part.title)}</h2>", *map(_element, part.blocks)]
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head += f"<title>{escape(plain(document.title))}</title><style>{STYLE}</style>"
    return f'<!doctype html>\n<html lang="en">{head}<body>{"".join(parts)}</body></html>\n'.encode()


def _element(block: Block) -> str:
    if isinstance(block, Grid):
        head = "".join(f"<th>{escape(column)}</th>" for column in block.columns)
        rows = ("".join(f"<td>{_tagged(cell)}</td>" for cell in row) for row in block.rows)
        return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
    if isinstance(block, Points):
        return f"<ul>{''.join(f'<li>{_tagged(item)}</li>' for item in block.items)}</ul>"
    return f"<p>{_tagged(block)}</p>"


def _tagged(cell: Cell) -> str:
    text = GAP.sub(r"<mark>\g<0></mark>", escape(plain(cell)))
    return f'<span lang="{cell.language}" dir="auto">{text}</span>' if isinstance(cell, Worded) else text


def as_docx(document: Document) -> bytes:
    """Return a document as a Word file.

    Raises:
        InputError: If the package python-docx is not installed.
    """
    try:
        from docx import Document as Word  # noqa: PLC0415 - of an extra
    except ModuleNotFoundError:
        raise InputError(".docx", "Word files need python-docx", 'run: pip install "deniable[docx]"') from None
    word = Word()
    word.core_properties.title, word.core_properties.author = plain(document.title), ""
    word.add_heading(plain(document.title), 0)
    for part in document.parts:
        word.add_heading(part.title, 1)
        for block in part.blocks:
            if isinstance(block, Grid):
                table = word.add_table(0, len(block.columns), "Table Grid")
                for row in (block.columns, *block.rows):
                    for place, cell in zip(table.add_row().cells, row, strict=True):
                        place.text = plain(cell)
            else:
                for cell in cells(block):
                    word.add_paragraph(plain(cell), "List Bullet" if isinstance(block, Points) else None)
    written = BytesIO()
    word.save(written)
    return written.getvalue()


WRITERS: dict[str, Callable[[Document], bytes]] = {".html": as_html, ".md": as_markdown, ".docx": as_docx}
"""The function that writes a document, by the suffix of the file."""
