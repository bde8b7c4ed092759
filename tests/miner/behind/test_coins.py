"""P(codes sent | answers) is that of enumeration, for every channel, coding, sampling and routing, and in one place."""

from __future__ import annotations

import ast
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from channel_cases import survey_of
from collector.channel.channel import REPLACEMENTS
from collector.survey.survey import Survey
from every_draw import EITHER, FORCED, FOUR, SCALE, SEVEN, THREE, YES_NO, Sent, designs, responses_of, sent_by, truths
from latent_cases import tiny_survey
from miner.behind.candidates import asked_patterns
from miner.behind.coins import coins_of, with_not_asked
from miner.behind.patterns import Layout
from miner.responses.responses import NOT_ASKED
from routed_surveys import routed_survey

MINER = Path(__file__).resolve().parents[3] / "miner"
CLOSE = 1e-14
CODINGS = {"complement": [[YES_NO], [THREE], [THREE, YES_NO]]}
CODINGS["uniform"] = [*CODINGS["complement"], [FORCED], [SEVEN], [FOUR, YES_NO], [EITHER], [SCALE, THREE]]
SURVEYS = {
    f"{name} {truth} {number}": survey_of(name, truth, kinds)
    for name in REPLACEMENTS
    for truth in ("3/5", "2/7", "1")
    for number, kinds in enumerate(CODINGS[name])
}
SURVEYS |= designs() | {"tiny": tiny_survey()}
SURVEYS |= {f"routed, {name}": routed_survey(name) for name in REPLACEMENTS}
each_survey = pytest.mark.parametrize("name", SURVEYS)


def every_sent(survey: Survey) -> dict[tuple[int, ...], list[Sent]]:
    """For each combination of values, what may be sent by each draw of questions."""
    return {values: [sent for _, sent in sent_by(survey, values)] for values in truths(survey)}


def by_response(survey: Survey) -> dict[tuple[int, ...], dict[tuple[int, ...], Fraction]]:
    """P(response | values, its questions were asked), of each response and combination of values, if above 0."""
    found: dict[tuple[int, ...], dict[tuple[int, ...], Fraction]] = {}
    for values, draws in every_sent(survey).items():
        for sent in draws:
            for response, chance in sent.items():
                if chance:
                    found.setdefault(response, {})[values] = chance
    return found


@each_survey
def test_candidates_of_a_response_have_the_probabilities_of_enumeration(name: str) -> None:
    survey = SURVEYS[name]
    exact = by_response(survey)
    responses, _ = responses_of(survey, dict.fromkeys(exact, Fraction(1)))
    patterns, _ = asked_patterns(responses, range(len(survey.questions)))
    listed = [
        each
        for pattern in patterns
        for each in zip(pattern.sent.tolist(), *(part.tolist() for part in pattern.explained()), strict=True)
    ]
    assert len(listed) == len(exact)
    for row, own, likely in listed:
        found: dict[tuple[int, ...], float] = {}
        for each, chance in zip(own, likely, strict=True):
            if chance:
                found[tuple(each)] = found.get(tuple(each), 0.0) + chance
        assert found == pytest.approx({each: float(chance) for each, chance in exact[tuple(row)].items()}, rel=CLOSE)


@each_survey
def test_the_probability_by_answer_to_one_question_is_that_of_enumeration(name: str) -> None:
    survey = SURVEYS[name]
    exact = by_response(survey)
    rows = [(response, values) for response in exact for values in truths(survey)]
    responses, _ = responses_of(survey, dict.fromkeys(exact, Fraction(1)))
    layout, every = Layout(survey), range(len(survey.questions))
    codes, values = (np.array(each, np.int16) for each in zip(*rows, strict=True))
    which = np.repeat(np.arange(len(responses)), len(rows) // len(responses))
    names = [question.name for question in survey.questions]
    for target in every:
        product = np.ones(len(rows))
        for number, cell in enumerate(layout.cells):
            (coin,) = coins_of(survey, [column if column in cell.columns else -1 for column in every], names)
            at = target if target in cell.columns else cell.columns[0]
            found = coin.by_answer(codes, values, at, layout.truths(responses)[which, number])
            product *= found[np.arange(len(rows)), values[:, at]]
        wanted = [float(exact[response].get(each, Fraction(0))) for response, each in rows]
        np.testing.assert_allclose(product, wanted, rtol=CLOSE, atol=0)


def test_the_table_of_one_question_adds_up_to_one_and_nothing_sent_says_nothing() -> None:
    for survey in SURVEYS.values():
        for column, question in enumerate(survey.questions):
            (coin,) = coins_of(survey, [column], [question.name])
            table = with_not_asked(coin.table(coin.truth))
            np.testing.assert_allclose(table[:-1].sum(axis=0), 1, rtol=CLOSE)
            assert (table[NOT_ASKED] == 1).all()


def test_no_other_room_mixes_truth_and_replacements() -> None:
    makers = {"code_chances", "replacement_chances", "replaced_chances", "whole_transition"}
    found = set()
    for path in MINER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            imported = {each.name for each in node.names} if isinstance(node, ast.ImportFrom) else set()
            called = {node.attr} if isinstance(node, ast.Attribute) else set()
            if makers & (imported | called):
                found.add(path.relative_to(MINER).parts[0])
    assert found == {"behind", "channels", "weights"}  # the last for the inverse of shared codes
