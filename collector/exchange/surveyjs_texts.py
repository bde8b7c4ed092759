"""Reading of the texts of a SurveyJS form in all languages."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from collector.errors import SurveyError
from collector.forms.reading import FormReading, Table

QUOTED = re.compile(r"\{[A-Za-z_][\w.\[\]-]*\}")


@dataclass
class Texts:
    """Reader of the texts of a form in all languages of the form."""

    reading: FormReading

    def note(self, words: str, about: str = "") -> None:
        """Add a note about the import."""
        self.reading.note(words, about)

    def text(self, value: object, place: str) -> str | dict[str, str]:
        """Return a text of the form as a survey file writes it.

        Raises:
            SurveyError: If the text refers to an answer, as in ``{age}``.
        """
        languages = self.reading.languages
        texts = dict.fromkeys(languages, str(value))
        if isinstance(value, Mapping):
            given = {languages[0]: value.get("default")} | {
                tag: each for tag, each in value.items() if tag in languages
            }
            texts = {tag: str(each) for tag, each in given.items() if each is not None}
            if not texts:
                raise SurveyError(
                    place,
                    "a text is in a language that the form does not have",
                    "write the text in a language of the form",
                )
        for text in texts.values():
            if match := QUOTED.search(text):
                raise SurveyError(
                    place, f"a text quotes another answer: {match[0][:40]}", "leave the quoted answer out of the text"
                )
        said = {tag: self.reading.plain(text, place) for tag, text in texts.items()}
        words = self.reading.translated(said, dict.fromkeys(languages, place))
        return words if len(words) > 1 else words[languages[0]]

    def joined(self, texts: Sequence[str | dict[str, str]], mark: str, place: str) -> str | dict[str, str]:
        """Return several texts joined to one text.

        Texts of the form that would make the joined text too long are left out and noted.
        """
        languages = self.reading.languages
        tables = [text if isinstance(text, dict) else dict.fromkeys(languages, text) for text in texts]
        kept = tables[self.reading.kept(tables, [place] * len(tables), mark) :]
        words = {tag: mark.join(table[tag] for table in kept) for tag in languages}
        return words if len(words) > 1 else words[languages[0]]

    def words(self, shown: Mapping[str, object], place: str) -> Table:
        """Return the key ``words`` for a question, or an empty table if values are shown by their names."""
        languages = self.reading.languages
        if all(text == value for value, text in shown.items()):
            return {}
        texts = {value: self.text(text, f"{place}, {value}") for value, text in shown.items()}
        tables = {value: text if isinstance(text, dict) else {languages[0]: text} for value, text in texts.items()}
        return {"words": {tag: {value: text[tag] for value, text in tables.items()} for tag in languages}}
