"""Options of a multiple that is one question: the condition `has`, and its share without bias."""

from __future__ import annotations

import numpy as np
import pytest

from collector.errors import QueryError
from collector.survey_file.survey_file import parse_survey
from kind_surveys import TICKS
from miner.estimates.estimate import estimate
from miner.estimates.option_shares import option_estimates
from miner.responses.condition import parse_condition
from miner.responses.responses import NOT_ASKED, Responses
from watching import answers, sent

SURVEY = parse_survey(TICKS.partition('[[questions]]\nname = "site"')[0] + '[groups]\nb = { truth = "1/2" }\n')
HOW = SURVEY.question("how")
SPLIT = """
name = "split"
title = "Split"
languages = ["en"]
[sampling]
ask = 1
[[questions]]
name = "m"
label = "Which?"
kind = "multiple"
options = { a = "A", b = "B", c = "C" }
most = 2
group = "m"
[[questions]]
name = "x"
label = "X?"
kind = "yes_no"
group = "x"
[groups]
m = { truth = "1/2" }
x = { truth = "1/2", channel = "uniform" }
"""


@pytest.mark.parametrize(
    ("option", "values"), [("net", {"net", "words+net", "hands+net"}), ("words", {"words", "words+hands", "words+net"})]
)
def test_has_admits_the_combinations_that_hold_an_option(option: str, values: set[str]) -> None:
    (admitted,) = parse_condition(SURVEY, f"how has {option}").values()
    assert {HOW.values[each] for each in admitted} == values


def test_has_is_refused_where_there_is_no_such_option() -> None:
    with pytest.raises(QueryError, match='no option "web"'):
        parse_condition(SURVEY, "how has web")


def test_the_share_of_an_option_is_estimated_without_bias_over_every_response() -> None:
    design = SURVEY.design
    people, chances = answers(design)
    joint = (sent(design, people) * chances[:, None]).sum(axis=0)
    counts = np.rint(joint / joint.min() * 1000).astype(int)
    rows = np.repeat(np.arange(len(counts)), counts)[:, None]
    responses = Responses(SURVEY, np.array(HOW.coding.codes)[rows])
    shares = option_estimates(responses)["how"]
    for option in ("words", "hands", "net"):
        truth = sum(float(p) for v, p in zip(HOW.values, HOW.prior, strict=True) if option in v.split("+"))
        assert shares[f"has {option}"].estimate == pytest.approx(truth, abs=1e-3)
        assert estimate(responses, f"how has {option}").estimate == shares[f"has {option}"].estimate


def test_a_multiple_that_nobody_was_asked_has_no_shares() -> None:
    survey = parse_survey(SPLIT)
    codes = np.array([[NOT_ASKED, 0]], np.int16)
    assert option_estimates(Responses(survey, codes)) == {}
