"""The languages of an XLSForm, and its texts in each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from collector.survey.survey import LANGUAGE
from collector.survey.text import Text, check_text
from collector.xlsform.sheet import Column, Form, Row

TAG = re.compile(r"\(([^()]+)\)$")  # English (en)
BARE_TAG = re.compile(r"[a-z]{2,3}(-[a-zA-Z0-9]{2,8})*")
BREAK = re.compile(r"[ \t\r\n]+")
MARKUP = re.compile(r"</?[a-zA-Z][^>]*>|\*\*\S[^*]*\*\*|!?\[[^\]]*\]\([^)]*\)")
TEXTS = {"survey": ("label", "hint"), "choices": ("label",)}


def tag_of(language: str) -> str | None:
    """The BCP 47 tag in the name of a language, as XLSForm writes it; None where there is none."""
    found = TAG.search(language)
    tag = found[1].strip() if found else language
    return tag if (LANGUAGE if found else BARE_TAG).fullmatch(tag) else None


class Languages:
    """Which languages a form has, and its texts in each of them.

    Args:
        form: The form.

    Raises:
        SurveyError: If a language has no tag, or the columns without one might be in any language.
    """

    def __init__(self, form: Form) -> None:
        self._tags: dict[str | None, str] = {}
        default = form.settings.get("default_language")
        if default and default.lower() != "default":
            self._tags[default] = self._tag(form.settings, "default_language", default)
            self._tags[None] = self._tags[default]
        plain = None
        for row in (*form.survey, *form.choices):
            for column in row.cells:
                if column.name in TEXTS[row.sheet] and column.language is not None:
                    self._tags.setdefault(column.language, self._tag(row, column, column.language))
                elif column.name in TEXTS[row.sheet]:
                    plain = plain or (row, column)
        self._settle(plain)
        self.tags = tuple(dict.fromkeys(self._tags.values()))

    def _settle(self, plain: tuple[Row, Column] | None) -> None:
        """Find out in which language the columns without one are."""
        if plain is None or None in self._tags:
            return
        if len(set(self._tags.values())) != 1:
            row, column = plain
            raise row.error(
                column,
                "it is not said in which language this is",
                'say so on the sheet settings, in a column default_language, such as "English (en)"',
            )
        self._tags[None] = next(iter(self._tags.values()))

    @staticmethod
    def _tag(row: Row, column: str | Column, language: str) -> str:
        tag = tag_of(language)
        if tag is None:
            raise row.error(column, f'the language "{language}" has no tag', "write it as in English (en), French (fr)")
        return tag

    def text(self, row: Row, name: str) -> Text | None:
        """A text of a row, in every language; None where it is empty in each.

        Raises:
            SurveyError: If one language has it and another does not, or it cannot be shown as it is.
        """
        texts: dict[str, str] = {}
        for column, cell in row.cells.items():
            if column.name != name:
                continue
            tag = self._tags[column.language]
            if tag in texts:
                raise row.error(column, "the text is given twice in this language", "empty one of the two cells")
            texts[tag] = _clean(row, column, cell)
        for language, tag in self._tags.items():
            if texts and tag not in texts:
                raise row.error(Column(name, language), "the text is missing in this language", "translate it")
        return Text.of(texts) if texts else None

    def same(self, text: str) -> Text:
        """A text that reads the same in every language."""
        return Text.of(dict.fromkeys(self.tags, text))


def _clean(row: Row, column: Column, cell: str) -> str:
    text = BREAK.sub(" ", cell).strip()
    if "${" in text:
        raise row.error(column, "it quotes another answer with ${...}", "write the text without it")
    if MARKUP.search(text):
        raise row.error(column, "it has HTML or Markdown, which would be shown as it is", "write plain words")
    check_text(text, row.place(column))
    return text


def joined(texts: Sequence[Text], languages: Languages, mark: str = " ") -> Text | None:
    """Several texts, one after the other; None for none."""
    if not texts:
        return None
    return Text.of({tag: mark.join(text[tag] for text in texts) for tag in languages.tags})


def plain_text(row: Row, name: str) -> str:
    """A cell that has no language, on one line.

    Raises:
        SurveyError: If it cannot be shown as it is.
    """
    return _clean(row, Column(name), row.get(name))
