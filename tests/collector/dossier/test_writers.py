"""A document is written as Markdown, HTML and Word with all of its texts, and no text becomes markup."""

from __future__ import annotations

from html.parser import HTMLParser
from io import BytesIO

from docx import Document as WordFile

from collector.dossier.document import Document, Grid, Part, Points, Worded, gap
from collector.dossier.writers import as_docx, as_html, as_markdown

HOSTILE = "<script>x</script> | *b* [a](b)"
DOCUMENT = Document(
    Worded("رفاه", "ar"),
    (
        Part("One", ("A paragraph.", Points(("first", Worded(HOSTILE, "en"))))),
        Part("Two", (Grid(("a", "b"), (("1", gap("what")), (Worded("رفاه", "ar"), HOSTILE))),)),
    ),
)


class Seen(HTMLParser):
    """The tags and the texts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag, with its language."""
        self.tags.append(f"{tag} {dict(attrs).get('lang') or ''}".strip())

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        self.texts.append(data)


def test_html_has_every_text_marks_gaps_and_languages_and_no_markup_of_texts() -> None:
    page = Seen()
    page.feed(as_html(DOCUMENT).decode())
    assert "script" not in page.tags
    assert page.tags.count("mark") == 1
    assert page.tags.count("span ar") == 2
    assert page.tags.count("tr") == 3
    assert [each for each in page.texts if each == HOSTILE] == [HOSTILE] * 2


def test_markdown_has_rows_of_as_many_cells_and_no_markup_of_texts() -> None:
    lines = as_markdown(DOCUMENT).decode().splitlines()
    rows = [line.replace(r"\|", "") for line in lines if line.startswith("|")]
    assert [row.count("|") for row in rows] == [3] * 4
    assert r"- \<script>x\</script> \| \*b\* [a]\(b)" in lines
    assert lines[0] == "# رفاه"


def test_word_has_every_text_with_headings_lists_and_tables() -> None:
    word = WordFile(BytesIO(as_docx(DOCUMENT)))
    assert [(each.style.name if each.style else "", each.text) for each in word.paragraphs] == [
        ("Title", "رفاه"),
        ("Heading 1", "One"),
        ("Normal", "A paragraph."),
        ("List Bullet", "first"),
        ("List Bullet", HOSTILE),
        ("Heading 1", "Two"),
    ]
    assert [[cell.text for cell in row.cells] for row in word.tables[0].rows] == [
        ["a", "b"],
        ["1", gap("what")],
        ["رفاه", HOSTILE],
    ]


def test_a_gap_is_listed_with_its_part_and_the_row_that_needs_it() -> None:
    rows = (("controller", gap("name")), ("basis", "consent"), ("deputy", f"{gap('name')} and {gap('day')}"))
    parts = (Part("Record", (Grid(("field", "draft"), rows), f"By {gap('whom')}.")),)
    assert Document("T", parts).gaps == (
        ("Record, controller", gap("name")),
        ("Record, deputy", gap("day")),
        ("Record", gap("whom")),
    )
