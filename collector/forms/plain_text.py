"""Conversion of the texts of forms to texts without markup, shortened to the limits of surveys."""

import re
from collections.abc import Mapping, Sequence
from html import unescape

from collector.survey.text import LONGEST_TEXT

BREAKS = re.compile(
    r"</?(?:br|p|div|li|ul|ol|tr|td|th|table|hr|h[1-6])(?:\s[^<>]*)?/?>"
    r"|^\s{0,3}(?!#\s+of\b)#{1,6}\s+",  # but not "# of children"
    re.IGNORECASE | re.MULTILINE,
)
TAG = re.compile(r"</?[a-zA-Z][\w:-]*(?:\s[^<>]*)?/?>|<!--.*?-->", re.DOTALL)
LINK = re.compile(r"!?\[(?P<words>[^\[\]]*)\](?:\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\])")
STRONG = re.compile(r"(?<![\w*\\])\*\*(?=[^\s*])(?P<words>.{1,1000}?)(?<!\s)\*\*(?!\*)")
EMPHASIS = re.compile(
    r"(?<![\w*_\\])(?P<mark>\*{1,3}|_{1,3})(?!\s|(?P=mark))(?P<words>.{1,1000}?)(?<!\s)(?P=mark)(?![\w*_])"
)
ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#[0-9]{1,6}|#x[0-9a-fA-F]{1,5});")
END_OF_SENTENCE = re.compile(r"(?<=[.!?؟。])\s")
MORE = " …"


def without_markup(text: str) -> str:
    """Return a text on one line without HTML and Markdown, which keeps the visible words of links."""
    text = TAG.sub("", BREAKS.sub(" ", text))
    text = LINK.sub(lambda each: each["words"], text)
    for marks in (STRONG, EMPHASIS, EMPHASIS):  # **_both_**
        text = marks.sub(lambda each: each["words"], text)
    text = unescape(text) if ENTITY.search(text) else text
    return " ".join(text.split())


def shortened(text: str) -> str:
    """Return a text, cut after a sentence or a word and with an ellipsis if it is too long."""
    if len(text) <= LONGEST_TEXT:
        return text
    room = text[: LONGEST_TEXT - len(MORE) + 1]
    ends = [each.start() for each in END_OF_SENTENCE.finditer(room)]
    end = ends[-1] if ends and 2 * ends[-1] > len(room) else room.rfind(" ")
    return (room[:end] if end > 0 else room[:-1]).rstrip() + MORE


def dropped(parts: Sequence[Mapping[str, str]], mark: str) -> int:
    """Return how many leading parts of a text to drop so that the other parts are short enough in every language."""
    for first in range(len(parts)):
        kept = parts[first:]
        if all(len(mark.join(each[tag] for each in kept)) <= LONGEST_TEXT for tag in kept[0]):
            return first
    return len(parts)
