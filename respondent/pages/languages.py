"""The language of a page, chosen among the survey's languages, and the strings of the interface.

If a language has no translated interface, the interface is in English and only the survey's texts are in the language.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from markupsafe import Markup, escape
from werkzeug.datastructures import LanguageAccept

from collector.characters import isolated
from collector.survey.moment import Moment
from collector.survey.study import Study
from collector.survey.text import Text
from collector.wording.languages import SHIPPED, catalogue, day_words

OWN_NAMES = {
    "en": "English",
    "ar": "العربية",
    "de": "Deutsch",
    "es": "Español",
    "fr": "Français",
    "he": "עברית",
    "hi": "हिन्दी",
    "it": "Italiano",
    "nl": "Nederlands",
    "pl": "Polski",
    "pt": "Português",
    "zh": "中文",
}
RIGHT_TO_LEFT = frozenset({"ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur", "yi"})


@dataclass(frozen=True)
class Interface:
    """The texts of the interface in one language.

    Attributes:
        language: BCP 47 tag.
        gettext: Function that translates a string. A string of the interface without a translation stays in English.
    """

    language: str
    gettext: Callable[[str], str]

    @property
    def direction(self) -> str:
        """The direction of writing of the language, ``rtl`` or ``ltr``."""
        return "rtl" if self.language.lower().split("-")[0] in RIGHT_TO_LEFT else "ltr"

    @property
    def spoken(self) -> str:
        """The language of the interface, which is English if the page's language has no translated interface."""
        return self.language if self.language.lower().split("-")[0] in SHIPPED else SHIPPED[0]

    def says(self, text: Text, first: str) -> Markup:
        """Return a survey's text as HTML, isolated, and marked with its language if the interface has another one.

        Args:
            text: Text in the languages of the survey.
            first: First language of the survey. A text of a survey that equals the text in the first language counts as
                not translated.
        """
        return self.marked(isolated(text[self.language]), text, first)

    def marked(self, words: str, text: Text, first: str) -> Markup:
        """Return a part of a survey's text, such as a paragraph, as HTML with the language of the text."""
        own = first if text[self.language] == text[first] else self.language
        escaped = escape(words)
        return escaped if own == self.spoken else Markup('<span lang="{}" dir="auto">{}</span>').format(own, escaped)

    @staticmethod
    def name_of(language: str) -> str:
        """Return the name of a language in the language itself, or the tag of an unknown language."""
        return OWN_NAMES.get(language, language)

    def moment(self, moment: Moment, study: Study, *, end: bool = False) -> str:
        """Return a day or a moment in words with its time zone, such as 30 June 2027, 18:00 (Europe/Berlin)."""
        _ = self.gettext
        day, zone = day_words(moment, self.language), study.timezone or "UTC"
        if isinstance(moment, datetime):
            zone = zone if moment.tzinfo is None else f"UTC{moment.isoformat()[-6:]}"
            return _("{day}, {time} ({zone})").format(day=day, time=f"{moment:%H:%M}", zone=zone)
        return day if end else _("{day}, {zone}").format(day=day, zone=zone)

    def listed(self, parts: list[str]) -> str:
        """Return words as a list in a sentence, as in "a, b and c"."""
        if len(parts) == 1:
            return parts[0]
        _ = self.gettext
        return _("{first} and {last}").format(first=_(", ").join(parts[:-1]), last=parts[-1])


@cache
def interface(language: str) -> Interface:
    """Return the texts of the interface in a language."""
    return Interface(language, catalogue(language))


def chosen_language(languages: Sequence[str], wish: str | None, accepted: LanguageAccept) -> str:
    """Return the language of a page: the requested language, or else the browser's preferred or the first language.

    Args:
        languages: Languages of the survey.
        wish: Language in the page's address, or None.
        accepted: Header ``Accept-Language`` of the browser.
    """
    if wish in languages:
        return str(wish)
    for tag in accepted.values():  # the browser's favourite first
        for known in (tag, tag.split("-", maxsplit=1)[0]):
            found = [each for each in languages if each.lower() == known.lower()]
            if found:
                return found[0]
    return languages[0]
