"""Split questionnaires for tests: one coin for what is asked of several questions, odd replacements, block codings."""

from __future__ import annotations

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey

HEAD = 'name = "split"\ntitle = "Split"\nlanguages = ["en"]\n'


def question(name: str, values: int, group: str | None, more: str = "") -> str:
    """A choice question of so many values, in a group or sent as it is."""
    words = ", ".join(f'"{name}{value}"' for value in range(values))
    home = "sensitive = false" if group is None else f'group = "{group}"'
    return f'[[questions]]\nname = "{name}"\nlabel = "{name}?"\nkind = "choice"\nvalues = [{words}]\n{home}\n{more}\n'


def budget_question(name: str, values: int, more: str = "") -> str:
    """A choice question without a group, for a survey whose groups follow from an epsilon."""
    return question(name, values, "x", more).replace('group = "x"\n', "")


def survey_of_tables(questions: list[str], groups: str, more: str = "") -> Survey:
    """A survey of these questions, with the lines of ``[groups]`` and any other tables."""
    tables = f"\n[groups]\n{groups}\n" if groups else ""
    return parse_survey(HEAD + "".join(questions) + tables + more)


SPLIT = [
    question("sick", 2, "all"),
    question("sad", 3, "all"),
    question("sore", 4, "all"),
    question("drug", 2, "own", 'replacement = { drug0 = "2/3", drug1 = "1/3" }'),
    question("job", 6, "jobs", 'coding = "subsets-3"'),
    question("year", 2, None),
    question("debt", 2, "pair"),
]
GROUPS = """
all = { epsilon = 2 }
own = { truth = "1/2", channel = "uniform" }
jobs = { truth = "1/4", channel = "uniform" }
pair = { truth = "3/4" }
"""


def split_survey(ask: int = 3, always: str = '"sick"') -> Survey:
    """A survey with a group of odds, a replacement, a block coding, a complement and an open question."""
    return survey_of_tables(SPLIT, GROUPS, f"[sampling]\nask = {ask}\nalways = [{always}]\n")
