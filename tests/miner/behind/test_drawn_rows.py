"""Rows drawn behind responses: they have the likelihood of all rows, whatever disguises the class and the answers."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

from benchmarks.exact_table import transition_of
from channels import uniform_odds
from collector.channel.channel import channel
from collector.coding.coding import Coding, block_coding, plain_coding
from collector.survey.sampling import Sampling
from collector.survey.survey import Group, Survey
from collector.survey.text import Text
from latent_cases import coded_question, random_mixture
from miner.arrays import Floats
from miner.behind import rows as rows_module
from miner.behind.kernels import softmax
from miner.behind.mixture.mixture import Mixture
from miner.behind.mixture.model import LatentModel
from miner.behind.rows import drawn_rows
from miner.responses.responses import NOT_ASKED, Responses, Values

DRAWS = 20_000  # rows for a response: its likelihood is off by a hundredth


def survey_of(groups: tuple[tuple[str, ...], ...], codings: dict[str, Coding], *, sampled: bool = False) -> Survey:
    """Each group of the uniform channel with a coin of its own; sampled: the class and one other are asked."""
    grouped = {name for names in groups for name in names}
    questions = tuple(coded_question(name, coding, sensitive=name in grouped) for name, coding in codings.items())
    coin = uniform_odds(Fraction(5)) if sampled else channel("uniform", Fraction(2, 5))
    made = tuple(Group(f"g_{names[0]}", coin, names) for names in groups)
    target = questions[-1].name
    sampling = Sampling(2, (target,)) if sampled else None
    return Survey("slopes", Text.of(en="s"), ("en",), questions, made, target, sampling=sampling)


PLAIN = {"a": plain_coding(2), "b": plain_coding(3), "class": plain_coding(3)}
SHARED = {"a": block_coding("subsets", 4, 2), "b": plain_coding(2), "class": plain_coding(2)}
CASES = {
    "each its own coin": (survey_of((("a",), ("b",), ("class",)), PLAIN), [(0, 1, 2), (1, 2, 0)]),
    "codes that are shared": (survey_of((("a",), ("b",), ("class",)), SHARED), [(0, 1, 1), (5, 0, 0)]),
    "a class of shared codes": (
        survey_of((("b",), ("class",), ("a",)), {"b": plain_coding(3), "a": plain_coding(2), "class": SHARED["a"]}),
        [(2, 0, 3), (0, 1, 1)],
    ),
    "one coin for all": (survey_of((("a", "b", "class"),), PLAIN), [(0, 1, 2), (1, 0, 0)]),
    "one coin for all, codes that are shared": (survey_of((("a", "b", "class"),), SHARED), [(3, 1, 0), (1, 0, 1)]),
    "one coin for the answers": (survey_of((("a", "b"), ("class",)), PLAIN), [(0, 1, 2), (1, 2, 0)]),
    "one coin for the class and an answer": (survey_of((("a",), ("b", "class")), PLAIN), [(0, 1, 2), (1, 2, 1)]),
    "nothing disguised but the class": (survey_of((("class",),), PLAIN), [(0, 1, 2), (1, 2, 1)]),
    "some not asked": (survey_of((("a", "b", "class"),), PLAIN, sampled=True), [(0, NOT_ASKED, 2), (NOT_ASKED, 2, 0)]),
}


@cache  # the slopes ask for each of them at every place
def sent_given(survey: Survey, row: tuple[int, ...], response: tuple[int, ...]) -> float:
    """P(response | answers), by the exact transition matrix of what was asked of each group."""
    names = [each.name for each in survey.questions]
    grouped = {name for group in survey.groups for name in group.questions}
    whole = 1.0
    for column, name in enumerate(names):
        if name not in grouped:
            whole *= float(row[column] == response[column])
    for group in survey.groups:
        columns = [names.index(name) for name in group.questions if response[names.index(name)] != NOT_ASKED]
        codings = [survey.questions[column].coding for column in columns]
        states = list(product(*(coding.codes for coding in codings)))
        found = transition_of(survey.channel_at(group, [names[column] for column in columns]), codings)
        sent = states.index(tuple(response[column] for column in columns))
        draws = [coding.draw_probabilities(row[column]) for coding, column in zip(codings, columns, strict=True)]
        whole *= sum(
            float(np.prod([float(draw.get(code, 0)) for draw, code in zip(draws, state, strict=True)]))
            * float(found[number][sent])
            for number, state in enumerate(states)
        )
    return whole


def every_row(survey: Survey) -> Values:
    """Every combination of answers, the class 0."""
    counts = [len(each.values) for each in survey.questions]
    return np.array(list(product(*(range(count) for count in counts[:-1]), [0])), np.int16)


def chance(survey: Survey, mixture: Mixture, shares: Floats, response: tuple[int, ...]) -> float:
    """P(response), every row of the other answers gone through, their class by these shares."""
    whole = 0.0
    for row, share in zip(every_row(survey).tolist(), shares, strict=True):
        own = np.prod([mixture.tables[column][value] for column, value in enumerate(row[:-1])], axis=0)
        sent = [sent_given(survey, (*row[:-1], cls), response) for cls in range(len(share))]
        whole += float(own @ mixture.weights) * float(share @ sent)
    return whole


@pytest.mark.statistical
@pytest.mark.parametrize("case", CASES)
def test_drawn_rows_have_the_likelihood_of_all_rows(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeded. By how much one classifier is ahead of another on a response: exactly, and by rows drawn behind it."""
    survey, sent = CASES[case]
    rng = np.random.default_rng(5)
    mixture = random_mixture(survey, 2, rng)
    monkeypatch.setattr(rows_module, "_drawn_from", lambda *_: LatentModel((mixture,), np.zeros(0)))
    every, responses = every_row(survey), Responses(survey, np.array(sent, np.int16))
    one, other = (softmax(rng.normal(size=(len(every), len(survey.questions[2].values)))) for _ in range(2))

    rows = drawn_rows(responses, responses, survey.questions[2].name, rng, DRAWS)

    place = np.ravel_multi_index(tuple(rows.values[:, :2].T), [len(each.values) for each in survey.questions[:2]])
    found = rows.losses(other[place]) - rows.losses(one[place])
    for number, response in enumerate(sent):
        ahead = np.log(chance(survey, mixture, one, response) / chance(survey, mixture, other, response))
        assert found[number] == pytest.approx(ahead, abs=0.03)
