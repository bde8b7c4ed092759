"""Small surveys for tests, compiled from the TOML a researcher would write."""

from __future__ import annotations

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey

HEAD = 'name = "small"\ntitle = "Small"\nlanguages = ["en"]\n'

MIXED = f"""{HEAD}
[[questions]]
name = "year"
label = "Year?"
kind = "scale"
values = ["first", "second", "third"]
sensitive = false

[[questions]]
name = "drug"
label = "Drug?"
kind = "choice"
values = ["none", "one", "many"]
prior = {{ none = "3/5", one = "3/10", many = "1/10" }}
group = "substances"

[[questions]]
name = "sold"
label = "Sold?"
kind = "yes_no"
prior = {{ yes = "1/4", no = "3/4" }}
group = "substances"

[[questions]]
name = "debt"
label = "Debt?"
kind = "choice"
values = ["no", "some", "deep"]
group = "money"

[[questions]]
name = "distress"
label = "Distress?"
kind = "yes_no"
group = "health"

[groups]
substances = {{ truth = "4/5" }}
money = {{ truth = "2/3", channel = "uniform" }}
health = {{ truth = "1/4" }}

[mining]
target = "distress"
"""


def mixed_survey() -> Survey:
    """Both channels, a truth below 1/2, a group of two questions, values of several codes, one question undisguised."""
    return parse_survey(MIXED)


def survey_of(*questions: tuple[str, str, str]) -> Survey:
    """A survey of questions q0, q1, ... given as (kind and values, group, truth and channel of the group) in TOML."""
    tables, groups = [], {}
    for number, (what, group, how) in enumerate(questions):
        tables.append(f'[[questions]]\nname = "q{number}"\nlabel = "Q?"\n{what}\n')
        if group:
            tables.append(f'group = "{group}"\n')
            groups[group] = how
    lines = [f"{group} = {{ {how} }}" for group, how in groups.items()]
    return parse_survey("\n".join([HEAD, *tables, "[groups]", *lines]))


def plain_survey(questions: int) -> Survey:
    """A survey of so many yes/no questions q0, q1, ..., none of them disguised."""
    return survey_of(*[('kind = "yes_no"\nsensitive = false', "", "") for _ in range(questions)])
