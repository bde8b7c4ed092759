"""Surveys with questions that are not asked of everybody, and people who answer them."""

from __future__ import annotations

import numpy as np

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.responses.responses import Values

CHAIN = """
name = "routed"
title = "Routed"
languages = ["en"]

[[questions]]
name = "bullied"
label = "Bullied?"
kind = "yes_no"
prior = {{ yes = 0.3, no = 0.7 }}
{bullied}

[[questions]]
name = "often"
label = "How often?"
kind = "scale"
values = ["once", "monthly", "daily"]
ask_if = "bullied = yes"
{often}

[[questions]]
name = "help"
label = "Did anybody help?"
kind = "yes_no"
ask_if = "often in (monthly, daily)"
{help}

[[questions]]
name = "happy"
label = "Happy?"
kind = "yes_no"
{happy}

[groups]
{groups}
"""


def routed_survey(channel: str = "complement", truth: str = "3/4", unasked: str = "drawn", **more: str) -> Survey:
    """Four questions, each with a coin of its own: the second depends on the first, the third on the second."""
    names = ("bullied", "often", "help", "happy")
    keys = {name: more.get(name, f'group = "{name}"') for name in names}
    for name in ("often", "help"):
        keys[name] += f'\nunasked = "{unasked}"' if "group" in keys[name] else ""
    used = [name for name in names if any(f'group = "{name}"' in key for key in keys.values())]
    groups = "\n".join(f'{name} = {{ truth = "{truth}", channel = "{channel}" }}' for name in used)
    return parse_survey(CHAIN.format(**keys, groups=groups))


def routed_people(count: int, rng: np.random.Generator) -> Values:
    """Value indices of so many people: 30 % bullied, of them 50, 30 and 20 % once, monthly and daily."""
    bullied = (rng.random(count) >= 0.3).astype(int)
    often = np.where(bullied == 0, rng.choice(3, count, p=[0.5, 0.3, 0.2]), 3)
    helped = np.where(np.isin(often, [1, 2]), rng.integers(0, 2, count), 2)
    happy = np.where(rng.random(count) < np.where(often == 2, 0.2, 0.7), 0, 1)
    return np.stack([bullied, often, helped, happy], axis=1).astype(np.int16)
