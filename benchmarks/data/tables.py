"""Real tables as surveys: what a researcher would have asked, and what everybody would have answered."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks.data.coded import read_rows
from collector.survey.question import interval_labels

QUARTERS = (0.25, 0.5, 0.75)
VOTES = (
    "handicapped_infants",
    "water_project_cost_sharing",
    "adoption_of_the_budget_resolution",
    "physician_fee_freeze",
    "el_salvador_aid",
    "religious_groups_in_schools",
    "anti_satellite_test_ban",
    "aid_to_nicaraguan_contras",
    "mx_missile",
    "immigration",
    "synfuels_corporation_cutback",
    "education_spending",
    "superfund_right_to_sue",
    "crime",
    "duty_free_exports",
    "export_administration_act_south_africa",
)
ADULT = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education_num",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital_gain",
    "capital_loss",
    "hours_per_week",
    "native_country",
)
ADULT_NUMBERS = ("age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week")


@dataclass(frozen=True, eq=False)
class Table:
    """A real table, a question for each column.

    Attributes:
        name: Name of the survey it becomes.
        title: Title of the survey.
        answers: A column for each question: values in words, numbers for number questions. A missing value, "?", is a
            value of its own.
        cuts: For each number question its ascending cut points.
        target: Name of the class question.
    """

    name: str
    title: str
    answers: pd.DataFrame
    cuts: dict[str, tuple[int, ...]]
    target: str

    def survey_toml(self, groups: list[list[str]], truth: str, channel: str = "complement") -> str:
        """The survey file: every question sensitive, priors as in the table (a pilot would have told them).

        Args:
            groups: Names of the questions that share a coin, for each group; every question once.
            truth: Truth probability of every group, such as "4/5".
            channel: Channel of every group.
        """
        homes = {name: f"group_{number}" for number, names in enumerate(groups, start=1) for name in names}
        lines = [f'name = "{self.name}"', f'title = "{self.title}"', 'languages = ["en"]', ""]
        for name in self.answers.columns:
            lines += ["[[questions]]", f'name = "{name}"', f'label = "{name.replace("_", " ")}?"']
            lines += [*self._values_toml(name), f'group = "{homes[name]}"', ""]
        lines.append("[groups]")
        lines += [
            f'{group} = {{ truth = "{truth}", channel = "{channel}" }}' for group in dict.fromkeys(homes.values())
        ]
        return "\n".join([*lines, "", "[mining]", f'target = "{self.target}"', ""])

    def _values_toml(self, name: str) -> list[str]:
        column = self.answers[name]
        if name in self.cuts:
            words, kind = interval_labels(self.cuts[name]), ['kind = "number"', f"cuts = {list(self.cuts[name])}"]
            column = pd.Series(np.searchsorted(self.cuts[name], column, side="right")).map(dict(enumerate(words)))
        else:
            words = tuple(sorted(set(column)))
            kind = ['kind = "choice"', f"values = {json.dumps(words)}"]
        counts = column.value_counts()
        prior = ", ".join(f'{json.dumps(word)} = "{counts[word]}/{len(column)}"' for word in words)
        return [*kind, f"prior = {{ {prior} }}"]

    def dealt(self, groups: int, rng: np.random.Generator) -> list[list[str]]:
        """The questions dealt at random into so many groups, as equal as can be."""
        names = [str(name) for name in rng.permutation(self.answers.columns.to_numpy())]
        return [names[number::groups] for number in range(groups)]


def congressional_votes() -> Table:
    """House votes of 1984: 435 members, 16 votes (y, n or neither), and the party as the class."""
    answers = read_rows("house-votes-84.data", ("party", *VOTES))
    return Table("votes", "Congressional votes", answers[[*VOTES, "party"]], {}, "party")


def adult(rows: int = 10_000) -> Table:
    """The first rows of Adult: six numbers cut at their quartiles, eight nominal questions, and income as the class."""
    answers = read_rows("adult.data", (*ADULT, "income")).head(rows)
    answers = answers.astype(dict.fromkeys(ADULT_NUMBERS, int))
    cuts = {name: quartile_cuts(answers[name]) for name in ADULT_NUMBERS}
    return Table("adult", "Adult", answers, cuts, "income")


def quartile_cuts(numbers: pd.Series) -> tuple[int, ...]:
    """The quartiles above the least number; where all are the least, the least but one. No interval is empty."""
    quartiles = np.quantile(numbers, QUARTERS, method="lower")
    above = sorted({int(each) for each in quartiles if each > numbers.min()})
    return tuple(above) or (int(numbers[numbers > numbers.min()].min()),)
