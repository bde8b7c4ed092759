"""Properties of every registered channel, as checks that one suite runs over the registry."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from benchmarks.exact_table import event_weight, inverse_of, states, transition_of
from collector.channel.channel import Channel
from collector.channel.coin import Coin
from collector.channel.replacement import Replacement
from collector.channel.value_channel import value_transition
from collector.coding.coding import Coding, balanced_coding, plain_coding
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.behind.coins import coins_of
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner.weights.weights import ProductWeights

TRUTHS = [Fraction(1, 7), Fraction(3, 5), Fraction(9, 10)]
THIRDS = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))
PAIRED = [
    [balanced_coding((Fraction(2, 3), Fraction(1, 3)))],
    [balanced_coding(THIRDS)],
    [balanced_coding(THIRDS), balanced_coding((Fraction(1, 4), Fraction(3, 4)))],
]
PLAIN = [[plain_coding(2)], [plain_coding(2), plain_coding(2)]]
MORE = [[plain_coding(3)], [plain_coding(3, THIRDS)], [plain_coding(2), plain_coding(3)]]


def cases(replacement: Replacement, *, two_valued: bool = False) -> list[tuple[Channel, list[Coding]]]:
    """Channels of this kind, each with the codings of a group."""
    groups = PAIRED if replacement.paired else PLAIN if two_valued else PLAIN + MORE
    return [(Channel(Coin(truth), replacement), codings) for truth in TRUTHS for codings in groups]


def forward_times_inverse_is_the_identity(channel: Channel, codings: Sequence[Coding]) -> None:
    """Check it in fractions, and that each row of the forward table is a distribution."""
    forward, columns = transition_of(channel, codings), list(zip(*inverse_of(channel, codings), strict=True))
    for place, row in enumerate(forward):
        assert sum(row) == 1
        assert min(row) >= 0
        found = [sum(one * other for one, other in zip(row, column, strict=True)) for column in columns]
        assert found == [int(place == other) for other in range(len(columns))]


def ratio_is_that_of_enumeration(channel: Channel, codings: Sequence[Coding]) -> None:
    """The largest ratio of the chances of one response under two true states; None where there is no bound."""
    columns = list(zip(*transition_of(channel, codings), strict=True))
    bounded = all(min(column) > 0 for column in columns)
    assert channel.ratio(codings) == (max(max(each) / min(each) for each in columns) if bounded else None)


def variance_is_that_of_enumeration(channel: Channel, codings: Sequence[Coding]) -> None:
    """Check it for the first code of the first question, under a skew distribution of codes."""
    coding, alone = codings[0], [codings[0]]
    chances = {code: Fraction(place + 1) for place, code in enumerate(coding.codes)}
    chances = {code: chance / sum(chances.values()) for code, chance in chances.items()}
    event = {coding.codes[0]}
    forward = dict(zip(states(alone), transition_of(channel, alone), strict=True))
    square = sum(
        chance * sent * event_weight(channel, state, [frozenset(event)], alone) ** 2
        for code, chance in chances.items()
        for state, sent in zip(forward, forward[code,], strict=True)
    )
    replaced, both = channel.replacement.event_chances(event, coding, chances)
    share = chances[coding.codes[0]]
    assert channel.replacement.variance(channel.truth(alone), share, replaced, both) == square - share


def survey_of(name: str, truth: str, kinds: Sequence[str]) -> Survey:
    """One group of this channel, of questions of these kinds."""
    lines = ['name = "one"\ntitle = "One"\nlanguages = ["en"]']
    lines += [f'[[questions]]\nname = "q{at}"\nlabel = "Q?"\ngroup = "g"\n{kind}' for at, kind in enumerate(kinds)]
    return parse_survey("\n".join([*lines, f'[groups]\ng = {{ truth = "{truth}", channel = "{name}" }}']))


def arrays_are_the_exact_table(survey: Survey) -> None:
    """Weights of every event, and the candidates of every response with their chances."""
    (group,) = survey.groups
    codings = [question.coding for question in survey.questions]
    every = np.array(states(codings), np.int16)
    weights = ProductWeights(Responses(survey, every))
    for state in states(codings):
        event = {question.name: frozenset({code}) for question, code in zip(survey.questions, state, strict=True)}
        exact = [event_weight(group.channel, each, list(event.values()), codings) for each in states(codings)]
        np.testing.assert_allclose(weights.of(event), np.array(exact, float), rtol=1e-13, atol=1e-15)
        low, high = weights.range(event)
        assert low - 1e-12 <= float(min(exact)) <= float(max(exact)) <= high + 1e-12
    (coin,) = coins_of(survey, range(len(codings)), [question.name for question in survey.questions])
    values, chances = coin.candidates(every)
    table = sent_given_values(survey)
    for row, state in enumerate(states(codings)):
        found: dict[tuple[int, ...], float] = {}
        for way, chance in zip(values[row].tolist(), chances[row], strict=True):
            found[tuple(way)] = found.get(tuple(way), 0.0) + float(chance)
        for true, exact_chances in table.items():
            np.testing.assert_allclose(found.get(true, 0.0), float(exact_chances[state]), rtol=1e-13, atol=1e-15)


def sent_given_values(survey: Survey) -> dict[tuple[int, ...], dict[tuple[int, ...], Fraction]]:
    """P(response | values) of the one group: the draws of the codes, through the exact table."""
    (group,) = survey.groups
    codings = [question.coding for question in survey.questions]
    forward = dict(zip(states(codings), transition_of(group.channel, codings), strict=True))
    found = {}
    for true in product(*(range(len(coding.draws)) for coding in codings)):
        chances = dict.fromkeys(states(codings), Fraction(0))
        for drawn in product(*(coding.draw_probabilities(v).items() for coding, v in zip(codings, true, strict=True))):
            weight = Fraction(1)
            for _, chance in drawn:
                weight *= chance
            for sent, chance in zip(chances, forward[tuple(code for code, _ in drawn)], strict=True):
                chances[sent] += weight * chance
        found[true] = chances
    return found


def simulation_has_the_frequencies_of_the_table(survey: Survey, respondents: int = 40_000) -> None:
    """Check for each combination of values that every response is within five standard errors of its chance."""
    rng = np.random.default_rng(8)
    for true, chances in sent_given_values(survey).items():
        sent = simulate(survey, np.tile(np.array(true, np.int16), (respondents, 1)), rng).codes
        for state, chance in chances.items():
            share, error = (
                float((sent == state).all(axis=1).mean()),
                (float(chance * (1 - chance)) / respondents) ** 0.5,
            )
            assert abs(share - float(chance)) <= 5 * error


def one_question_is_the_group_of_one(channel: Channel, codings: Sequence[Coding]) -> None:
    """Check that the table of values and that of codes give equal chances of what is sent."""
    coding = codings[0]
    forward = dict(zip(states([coding]), transition_of(channel, [coding]), strict=True))
    for code, row in value_transition(coding, channel).items():
        for value, chance in enumerate(row):
            draws = coding.draw_probabilities(value).items()
            assert chance == sum(share * forward[drawn,][coding.codes.index(code)] for drawn, share in draws)
