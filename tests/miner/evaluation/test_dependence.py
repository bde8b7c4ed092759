"""Partial dependence from disguised responses: that on true answers, on average, with intervals that hold it."""

from __future__ import annotations

import numpy as np
import pytest

from collector.errors import QueryError
from miner.arrays import Floats
from miner.evaluation.dependence import partial_dependence
from miner.figures.estimate import Estimate
from miner.learners.kinds import KINDS
from miner.responses.responses import Values
from miner.simulation.simulation import simulate
from small_surveys import mixed_survey
from soak import part_of, soaking
from split_surveys import split_survey

SAMPLES = part_of(60, 12)


def people(count: int, rng: np.random.Generator) -> Values:
    """Whose debt follows from what they sold, and whose distress from both."""
    columns = np.column_stack([rng.integers(len(q.values), size=count) for q in mixed_survey().questions])
    columns[:, 3] = np.where(rng.random(count) < 0.7, columns[:, 2] % 2, columns[:, 3])
    columns[:, 4] = (columns[:, 3] > 0) ^ (rng.random(count) < 0.2)
    return columns.astype(np.int16)


def predicted(values: Values) -> Floats:
    """A function of three answers together."""
    share = 1 / (1 + np.exp(values[:, 0] * 0.7 - values[:, 2] + values[:, 3] * (1 + values[:, 2])))
    return np.column_stack([share, 1 - share])


@pytest.mark.statistical
def test_it_is_that_on_true_answers_on_average_and_intervals_hold_it() -> None:
    # 60 samples of 6 figures: the mean is known to an eighth of their scatter, and right intervals hold .88 or more
    survey, rng = mixed_survey(), np.random.default_rng(3)
    large = people(200_000, rng)
    found: dict[tuple[str, int], list[Estimate]] = {}
    for _ in range(SAMPLES):
        sent = simulate(survey, people(500, rng), rng)
        depends = partial_dependence(sent, predicted, "distress", rng=rng, asked=["year", "sold", "debt"])
        for name in ("year", "debt"):
            for word, shares in depends[name].items():
                found.setdefault((name, survey.question(name).value_index(word)), []).append(
                    next(iter(shares.values()))
                )
    held = []
    for (name, value), each in found.items():
        answered = large.copy()
        answered[:, [q.name for q in survey.questions].index(name)] = value
        true, estimates = float(predicted(answered)[:, 0].mean()), np.array([one.estimate for one in each])
        assert abs(estimates.mean() - true) < 4 * estimates.std() / np.sqrt(len(each))
        held += [one.interval is not None and one.interval[0] <= true <= one.interval[1] for one in each]
    assert np.mean(held) > (0.88 if soaking() else 0.8)


def test_a_value_that_nobody_gave_is_left_out() -> None:
    survey, rng = mixed_survey(), np.random.default_rng(5)
    values = people(3000, rng)
    values[values[:, 0] == 2, 0] = 1
    depends = partial_dependence(
        simulate(survey, values, rng), predicted, "distress", rng=rng, asked=["year", "sold", "debt"]
    )
    given = survey.question("year").values
    assert [word for word in given if word not in depends["year"]] == [given[2]]


@pytest.mark.parametrize("kind", ["logit", "additive", "boosted", "forest", "id3", "naive-bayes", "majority"])
def test_every_learner_has_it_and_the_classes_share_one(kind: str) -> None:
    survey, rng = mixed_survey(), np.random.default_rng(4)
    sent = simulate(survey, people(200, rng), rng)
    model = KINDS[kind](survey)
    settings = {"random_state": 1, "mode": "robust", "n_estimators": 5, "pairs": 0}
    model.set_params(**{name: value for name, value in settings.items() if name in model.get_params()}).fit(sent)
    depends = partial_dependence(sent, model, "distress", rng=rng)
    assert set(depends) == {"year", "drug", "sold", "debt"}
    for values in depends.values():
        for shares in values.values():
            assert sum(each.estimate for each in shares.values()) == pytest.approx(1)


def test_it_is_not_known_where_hardly_anybody_was_asked_everything() -> None:
    survey, rng = split_survey(), np.random.default_rng(1)
    sent = simulate(survey, np.zeros((50, len(survey.questions)), np.int16), rng)
    with pytest.raises(QueryError, match=r"^partial dependence: "):
        partial_dependence(sent, lambda rows: np.ones((len(rows), 2)) / 2, "sick", rng=rng)
