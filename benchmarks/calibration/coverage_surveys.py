"""The surveys of `benchmarks.calibration.coverage_grid`: two yes-or-no questions in many settings, and answers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import log

import numpy as np

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.responses.responses import Values

IN_GROUP = 0.3  # frequency of the second question's yes
MORE = 1.6  # how much more often those of the group say yes to the first than all do
LEVEL = 0.05
UNSEEN = 0.35  # a frequency that no rule of docs/estimating.md was chosen on
Truth = dict[str, float]


@dataclass(frozen=True)
class Setting:
    """A survey of two questions, and how many answer it.

    Attributes:
        n: Respondents.
        channel: Channel of every group.
        truth: Truth probability.
        prevalence: Frequency of a yes to the first question.
        groups: 1 if both questions share a coin, else 2.
    """

    n: int
    channel: str
    truth: str
    prevalence: float
    groups: int


DISGUISES = (("complement", "9/10"), ("complement", "3/4"), ("complement", "3/5"), ("uniform", "1/2"))
SETTINGS = tuple(
    Setting(n, channel, truth, prevalence, groups)
    for n, (channel, truth), prevalence, groups in product((300, 3000), DISGUISES, (0.05, 0.2, UNSEEN, 0.5), (1, 2))
)


def survey_of(setting: Setting) -> Survey:
    """Two yes-or-no questions."""
    lines = ['name = "grid"', 'title = "Grid"', 'languages = ["en"]']
    for number, share in enumerate((setting.prevalence, IN_GROUP)):
        lines += ["[[questions]]", f'name = "q{number}"', 'label = "Q?"', 'kind = "yes_no"']
        lines += [f"prior = {{ yes = {share}, no = {1 - share:g} }}", f'group = "g{number % setting.groups}"']
    lines.append("[groups]")
    how = f'{{ truth = "{setting.truth}", channel = "{setting.channel}" }}'
    return parse_survey("\n".join([*lines, *(f"g{number} = {how}" for number in range(setting.groups))]))


def true_figures(setting: Setting) -> Truth:
    """What each interval should hold."""
    among = MORE * setting.prevalence
    others = (setting.prevalence - IN_GROUP * among) / (1 - IN_GROUP)
    odds = log(others / (1 - others))
    return {
        "share": setting.prevalence,
        "cell": IN_GROUP * among,
        "share in a subgroup": among,
        "difference of shares": among - others,
        "regression, intercept": odds,
        "regression, slope": log(among / (1 - among)) - odds,
        "rule, confidence": among,
        "rule, lift": MORE,
        "with plain rows": IN_GROUP * among,
        "careless share": 0.0,
        "independence, level": LEVEL,
    }


def people(setting: Setting, rng: np.random.Generator, *, independent: bool = False) -> Values:
    """True answers: 0 is yes."""
    grouped = rng.random(setting.n) < IN_GROUP
    figures = true_figures(setting)
    among = figures["share in a subgroup"]
    chance = np.where(grouped, among, among - figures["difference of shares"])
    yes = rng.random(setting.n) < (setting.prevalence if independent else chance)
    return np.stack([~yes, ~grouped], axis=1).astype(np.int16)
