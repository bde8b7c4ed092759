"""The languages of an XLSForm, and the texts of the form in each language."""

from __future__ import annotations

import re
from collections.abc import Sequence

from collector.forms.reading import FormReading
from collector.survey.text import LANGUAGE, Text, check_text
from collector.xlsform.columns import PICTURE_TEXT
from collector.xlsform.sheet import Form, SheetColumn, SheetRow

TAG = re.compile(r"\(([^()]+)\)$")  # tag at the end of a language's name: English (en)
BARE_TAG = re.compile(r"[a-z]{2,3}(-[a-zA-Z0-9]{2,8})*")
ADD_TAG = "write it as in English (en), French (fr)"
OTHER = "Other"
USUAL = "en"  # default language of texts
TAGS = {
    "amharic": "am",
    "arabic": "ar",
    "bengali": "bn",
    "burmese": "my",
    "chinese": "zh",
    "dari": "prs",
    "dutch": "nl",
    "english": "en",
    "french": "fr",
    "german": "de",
    "hausa": "ha",
    "hebrew": "he",
    "hindi": "hi",
    "indonesian": "id",
    "italian": "it",
    "khmer": "km",
    "kinyarwanda": "rw",
    "kiswahili": "sw",
    "kurdish": "ku",
    "nepali": "ne",
    "pashto": "ps",
    "persian": "fa",
    "polish": "pl",
    "portuguese": "pt",
    "romanian": "ro",
    "russian": "ru",
    "somali": "so",
    "spanish": "es",
    "swahili": "sw",
    "thai": "th",
    "tigrinya": "ti",
    "turkish": "tr",
    "ukrainian": "uk",
    "urdu": "ur",
    "vietnamese": "vi",
    "francais": "fr",
    "français": "fr",
    "espanol": "es",
    "español": "es",
    "deutsch": "de",
    "português": "pt",
    "العربية": "ar",
}
"""Tags of languages that forms often name without a tag."""
TEXTS = {"survey": ("label", "hint", PICTURE_TEXT), "choices": ("label",)}


def tag_of(language: str) -> str | None:
    """Return the BCP 47 tag in a language's name such as ``French (fr)``, or None."""
    found = TAG.search(language)
    tag = found[1].strip() if found else TAGS.get(language.strip().lower(), language)
    return tag if (LANGUAGE if found else BARE_TAG).fullmatch(tag) else None


class Languages:
    """The reader of a form's texts in all languages of the form.

    Args:
        form: Form to read.
        reading: State of the import, to which the reader adds the languages of the form.

    Raises:
        SurveyError: If a language has no tag, and the import is strict.
    """

    def __init__(self, form: Form, reading: FormReading) -> None:
        self._tags: dict[str | None, str] = {}
        self.reading = reading
        self._without_tag: list[str] = []
        default = form.settings.get("default_language")
        if default and default.lower() != "default":
            self._add(form.settings, "default_language", default)
            if default in self._tags:
                self._tags[None] = self._tags[default]
            elif not any(tag_of(each.language or "") == USUAL for row in form.survey for each in row.cells):
                self._tags |= {default: USUAL, None: USUAL}
        plain = None
        for row in (*form.survey, *form.choices):
            for column in row.cells:
                if column.name in TEXTS[row.sheet] and column.language is not None:
                    self._add(row, column, column.language)
                elif column.name in TEXTS[row.sheet]:
                    plain = plain or (row, column)
        if plain is not None and None not in self._tags:
            self._settle(*plain)
        if not self._tags and self._without_tag:
            self._tags[self._without_tag[0]] = USUAL
        self.tags = tuple(dict.fromkeys(self._tags.values()))
        reading.languages = list(self.tags)

    def _settle(self, row: SheetRow, column: SheetColumn) -> None:
        """Set the language of columns without a language to the form's default language or English."""
        if len(set(self._tags.values())) == 1:
            self._tags[None] = next(iter(self._tags.values()))
            return
        remedy = 'say so on the sheet settings, in a column default_language, such as "English (en)"'
        if self.reading.strict:
            raise row.error(column, "it is not said in which language this is", remedy)
        self.reading.note(f"no language is said: taken for English (en); {remedy}")
        self._tags = {None: USUAL, **self._tags}

    def _add(self, row: SheetRow, column: str | SheetColumn, language: str) -> None:
        """Add the language of a column to the languages of the form."""
        if language in self._tags or language in self._without_tag:
            return
        tag = tag_of(language)
        if tag is not None:
            self._tags[language] = tag
            return
        self._without_tag.append(language)
        remedy = f"{ADD_TAG}; where a form has no other language, or it is the default, it is taken for English (en)"
        self.reading.leave(row.error(column, f'the language "{language}" has no tag', remedy))

    def text(self, row: SheetRow, name: str) -> Text | None:
        """Return a text of a row in every language, or None if the text is empty in all languages.

        Raises:
            SurveyError: If the text refers to an answer, as in ``${age}``, or is given twice.
        """
        texts: dict[str, str | None] = {}
        given: dict[str, SheetColumn] = {}
        for column, cell in row.cells.items():
            if column.name != name or column.language not in self._tags:
                continue
            tag = self._tags[column.language]
            if tag in given:
                problem, remedy = "the text is given twice in this language", "empty one of the two cells"
                one, two = sorted((given[tag], column), key=lambda each: each.language is None)
                if two.language is not None:
                    raise row.error(column, problem, remedy)
                self.reading.leave(row.error(two, problem, remedy))
                column, cell = one, row.cells[one]  # noqa: PLW2901 - the cell that says its language
            given[tag] = column
            texts[tag] = self.clean(row, column, cell)
        if not texts:
            return None
        places = {tag: row.place(SheetColumn(name, language)) for language, tag in self._tags.items()}
        return Text.of(self.reading.translated(texts, places))

    def other(self, row: SheetRow) -> SheetRow:
        """Return a row for the choice "other" that the XLSForm type ``or_other`` adds."""
        columns = {tag: SheetColumn("label", language) for language, tag in self._tags.items()}
        cells = dict.fromkeys(columns.values(), OTHER) | {SheetColumn("name"): OTHER.lower()}
        return SheetRow("choices", row.number, {}, cells)

    def same(self, text: str) -> Text:
        """Return a text that is equal in all languages."""
        return Text.of(dict.fromkeys(self.tags, text))

    def clean(self, row: SheetRow, column: SheetColumn, cell: str) -> str:
        """Return the text of a cell on one line.

        Raises:
            SurveyError: If the text has characters that cannot be shown.
        """
        if "${" in cell:
            raise row.error(column, "it quotes another answer with ${...}", "write the text without it")
        text = self.reading.plain(cell, row.place(column))
        check_text(text, row.place(column))
        return text


def joined(texts: Sequence[Text], languages: Languages, mark: str = " ") -> Text | None:
    """Return several texts joined to one text, or None if there are no texts."""
    if not texts:
        return None
    return Text.of({tag: mark.join(text[tag] for text in texts) for tag in languages.tags})
