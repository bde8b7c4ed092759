"""Errors and remarks in the words of the designer's form, for people who do not see the survey file."""

from __future__ import annotations

import re

CHOICES = {
    'channel = "uniform"': "choose the uniform channel",
    'unasked = "sent"': "choose that who is not asked is coded as one more value",
    'coins = "own"': "choose one random draw for each question",
    'kind = "choice"': "change the kind to “One of several”",
    'kind = "number"': "change the kind to “A number”",
    "sensitive = false": "untick “Disguise the answer”",
    "sensitive = true": "tick “Disguise the answer”",
    "confirmed = true": "tick “Its values were compared with what is public”",
    "ask = 3": "write how many questions each respondent is asked, such as 3",
}
"""Settings as the survey file writes them, and how to choose them in the designer's form."""
WORDS = {
    "remove whole = true": "untick “Only whole numbers”",
    "drop coins": "choose “as usual” under “Random draws”",
    "where they contradict each other a coin fell": "where they contradict each other, an answer was replaced",
    "the question is not sensitive, but it": "the question is sent as it is, but it",
    "remove the question's group, or sensitive = false": (
        "take the question out of its group, or tick “Disguise the answer”"
    ),
    "no question is sensitive": "no question is disguised",
    "remove [privacy], or remove sensitive = false from a question": (
        "choose groups under Privacy, or disguise a question"
    ),
    "the question is sensitive, but it": "the question is disguised, but it",
    "{ female = 200 }": "200 for female",
    '{ pay = "Pay" } or ["Pay"]': "a short name and a text for each",
    "a question under [[questions]]": "a question",
    "under always in [sampling]": "under “Asked of everybody”",
    "declare the group under [groups]": "choose another group, or add one of this name under Privacy",
    "an epsilon under [privacy]": "an epsilon of the whole response",
    "[privacy]": "the epsilon of a whole response",
    "[groups]": "the groups",
    "[sampling]": "“How many questions each respondent is asked”",
    "[study]": "Study",
    "[mining]": "Learning",
    "central_epsilon": "a central epsilon",
    "yes_no question": "question of the kind “Yes or no”",
    "2^32": "4,294,967,296",
    "2^53": "9,007,199,254,740,992",
    "lower the truth of its groups": "let the draw send fewer answers as they are in its groups",
    "lower the truth of": "let the draw send fewer answers as they are in",
    "the truth of group": "the truth probability of group",
    "to always": "to “Asked of everybody”",
    "ask_if": "“Asked only if”",
}
"""Other terms of the survey file, and the words of the designer's form for them."""
EXAMPLE = re.compile(r"; write \{[^}]*\}")
TICKS = re.compile(r"choose 0 <= least <= most <= (\d+|…)")
SAID = re.compile(rf"(?:(?:say|write|add|set) )?({'|'.join(map(re.escape, CHOICES))})")
NAMED = re.compile(rf"(?<![\w\"])({'|'.join(map(re.escape, WORDS))})(?![\w\"])")
GROUP = re.compile(r'group = "([^"]*)"')
COIN = re.compile(r"\bcoin(s?)\b")
LEAVES = re.compile(
    r"a response leaves 2 of [^,]* possible, and whoever knows one of its (\d+) answers from elsewhere knows them"
)
OTHER = re.compile(r"(?<![\w\"])([a-z][a-z_]*) = (\"[^\"]*\"|[\w./]+)")
TABLE = re.compile(r"\[\[?([a-z_]+)\]\]?")
NO_FILE = "The survey file cannot be read"
NO_FILE_REMEDY = "Undo the last change, or correct the file in an editor."
BROKEN = re.compile(r"not valid TOML|nested too deep")


def plain(problem: str, remedy: str) -> str:
    """Return an error or a remark as sentences that use no syntax of the survey file.

    Args:
        problem: Problem of the error or remark.
        remedy: Remedy of the error or remark.
    """
    if BROKEN.search(problem):
        return f"{NO_FILE}. {NO_FILE_REMEDY}"
    return f"{_sentence(problem)} {_sentence(remedy)}"


def draws_for_coins(words: str) -> str:
    """Return words with "random draw", which is the designer's word, in place of "coin"."""
    return COIN.sub(r"random draw\1", words)


def _sentence(words: str) -> str:
    found = TICKS.sub(r"write a least number that is at most the most, and both at most \1", EXAMPLE.sub("", words))
    found = NAMED.sub(lambda said: WORDS[said[1]], found)
    found = SAID.sub(lambda said: CHOICES[said[1]], found)
    found = GROUP.sub("the group", found)
    found = LEAVES.sub(
        r"its \1 answers share one random draw: whoever knows one of them from elsewhere knows them", found
    )
    found = OTHER.sub(lambda said: f"“{said[1].replace('_', ' ')}” {said[2]}", found)
    found = draws_for_coins(TABLE.sub(lambda said: f"“{said[1].replace('_', ' ')}”", found)).strip()
    return found[:1].upper() + found[1:] + ("" if found.endswith((".", "?", "!")) else ".")
