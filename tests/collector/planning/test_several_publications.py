"""The central epsilon over two publications, against all that the exact counts of both together tell of one person."""

from __future__ import annotations

from itertools import product
from math import exp, log

import numpy as np
import pytest
from numpy.typing import NDArray

from collector.planning.shuffled import AGAIN, central_privacy
from collector.shuffling.binomial import point
from collector.survey_file.survey_file import parse_survey
from split_surveys import question, survey_of_tables

Floats = NDArray[np.float64]
TRUTH, DELTA = 0.8, 1e-6
ONE = survey_of_tables([question("a", 2, "g")], 'g = { truth = "4/5" }')
STAYED, JOINED, LEFT = (20, 400, 4_000), (1, 10, 100, 400), (0, 1)


def _ones(people: int, chance: float, person: float | None = None) -> Floats:
    """The chance of each count of ones that people send, who send one with this chance, with one more person."""
    found = np.array([point(people, chance, count) for count in range(people + 1)])
    return found if person is None else np.convolve(found, [1 - person, person])


def _both(stayed: Floats, joined: Floats, left: Floats) -> Floats:
    """The joint chance of the counts of two publications: row the first, column the second less the first."""
    most = len(left) - 1
    found = np.zeros((len(stayed) + most, len(joined) + most))
    for gone, chance in enumerate(left):
        found[gone : gone + len(stayed), most - gone : most - gone + len(joined)] += chance * np.outer(stayed, joined)
    return found


def _delta(role: int, sizes: tuple[int, int, int], others: float, epsilon: float) -> float:
    """The hockey-stick divergence for one person of those who stayed, joined or left; all others have one answer."""
    answers = []
    for sent in (TRUTH, 1 - TRUTH):
        parts = [_ones(size, others) for size in sizes]
        parts[role] = _ones(sizes[role] - 1, others, sent)
        answers.append(_both(*parts))
    ways = (answers, answers[::-1])
    return max(float(np.maximum(one - exp(epsilon) * other, 0).sum()) for one, other in ways)


@pytest.mark.parametrize(("stayed", "joined", "left"), list(product(STAYED, JOINED, LEFT)))
def test_no_two_publications_tell_one_person_apart_better_than_stated(stayed: int, joined: int, left: int) -> None:
    sizes = stayed, joined, left
    stated = central_privacy(ONE, stayed, DELTA, new=joined)
    assert stated.new is not None
    epsilons = stated.epsilon, stated.new.epsilon, stated.local
    for role, epsilon in enumerate(epsilons):
        for others in (TRUTH, 1 - TRUTH) if sizes[role] else ():
            assert _delta(role, sizes, others, epsilon) <= DELTA
    if not left:  # then the difference of both publications is all that tells of who joined
        under = max(_delta(1, sizes, others, stated.new.epsilon * 0.99) for others in (TRUTH, 1 - TRUTH))
        assert under > DELTA or joined == 10
    added = 2 * central_privacy(ONE, stayed + joined, DELTA).epsilon  # what was printed once: epsilons that add up
    if stayed == 4_000:
        assert max(_delta(1, sizes, others, added) for others in (TRUTH, 1 - TRUTH)) > 2 * DELTA


def test_epsilons_of_two_publications_that_add_up_are_far_from_the_truth() -> None:
    added = 2 * central_privacy(ONE, 4_000, DELTA).epsilon
    assert added == pytest.approx(0.176, abs=0.001)
    assert _delta(1, (4_000, 1, 0), TRUTH, added) == pytest.approx(0.561, abs=0.001)


@pytest.mark.parametrize(("joined", "epsilon"), [(1, 1.386), (10, 1.386), (50, 1.314), (100, 0.792), (400, 0.326)])
def test_who_joins_has_the_epsilon_of_those_who_join_and_who_stays_pays_nothing_more(
    joined: int, epsilon: float
) -> None:
    found = central_privacy(ONE, 4_000, DELTA, new=joined)
    assert found.new is not None
    assert found.new.epsilon == pytest.approx(epsilon, abs=0.001)
    assert found.epsilon == central_privacy(ONE, 4_000, DELTA).epsilon == pytest.approx(0.0881, abs=1e-4)
    assert found.as_json["new"]["respondents"] == joined
    assert any(AGAIN in line for line in found.lines)
    assert found.new.is_smaller is (joined > 10)


def test_who_leaves_alone_may_be_seen_as_well_as_in_the_response() -> None:
    """With 20 who stayed nothing hides the leaver; with 400 the joint counts do, but less than the 100 who joined."""
    few, many = ((20, 100, 1), (400, 100, 1))
    assert _delta(2, few, TRUTH, log(4) - 0.01) > DELTA
    assert _delta(2, many, TRUTH, 0.81) <= DELTA < _delta(2, many, TRUTH, 0.80)


def test_shares_alone_have_an_epsilon_of_the_new_people_too() -> None:
    names = "abcde"
    survey = survey_of_tables(
        [question(name, 2, name) for name in names], "\n".join(f'{name} = {{ truth = "4/5" }}' for name in names)
    )
    found = central_privacy(survey, 4_000, DELTA, new=400)
    assert found.new is not None
    assert found.shares is not None
    assert found.new.shares == central_privacy(survey, 400, DELTA).shares
    assert found.new.shares > found.shares


def test_a_central_epsilon_of_a_file_holds_for_the_fewest_new_people_of_a_publication() -> None:
    head = 'name = "s"\ntitle = "S"\nlanguages = ["en"]\n'
    asked = question("a", 2, "x").replace('group = "x"\n', "")
    wish = "[privacy]\ncentral_epsilon = 0.3\nrespondents = 4000\n"
    once, often = (parse_survey(head + asked + wish + more) for more in ("", "new = 100\n"))
    new = central_privacy(often, 4_000, DELTA, new=100).new
    assert new is not None
    assert 0.29 < new.epsilon <= 0.3 * (1 + 1e-9)
    assert central_privacy(once, 4_000, DELTA).epsilon > 0.29
