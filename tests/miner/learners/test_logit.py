"""Logistic regression by the likelihood: ahead of one that ignores the disguise, read as a table, kept in a file."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.data.tables import congressional_votes
from collector.errors import DeniableError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.arrays import Floats
from miner.learners.logit import AdditiveClassifier, LogitClassifier
from miner.reporting.answered import coefficients
from miner.responses.responses import Values, value_indices, values_of_codes
from miner.simulation.simulation import simulate
from small_surveys import mixed_survey, survey_of

DEALS = 4


def mixed_votes(rng: np.random.Generator) -> tuple[Survey, Values]:
    """The votes: the party and three votes disguised, each with its own coin at 4/5, the others as they are."""
    table = congressional_votes()
    hidden = [*rng.permutation([name for name in table.answers if name != "party"])[:3], "party"]
    lines = table.survey_toml([[name] for name in table.answers], "4/5").split("\n\n[groups]")[0].split("\n\n")
    homes = {f'group = "group_{number}"': name for number, name in enumerate(table.answers, start=1)}
    kept = []
    for block in lines:
        home = block.splitlines()[-1]
        kept.append(block if homes.get(home, hidden[0]) in hidden else block.replace(home, "sensitive = false"))
    groups = [line.split('"')[1] for block in kept for line in block.splitlines() if line.startswith("group = ")]
    text = "\n\n".join(kept) + "\n\n[groups]\n" + "\n".join(f'{group} = {{ truth = "4/5" }}' for group in groups)
    survey = parse_survey(text + '\n\n[mining]\ntarget = "party"\n')
    return survey, value_indices(survey, table.answers)


def in_columns(survey: Survey, values: Values) -> Floats:
    """One column of 0 and 1 for each value of each question but the last."""
    return np.hstack([np.eye(len(q.values))[values[:, place]] for place, q in enumerate(survey.questions[:-1])])


def test_it_ranks_better_than_a_logistic_regression_on_responses_taken_for_true(datasets: Path) -> None:
    del datasets
    gains = []
    for deal in range(DEALS):
        rng = np.random.default_rng((11, deal))
        survey, values = mixed_votes(rng)
        order = rng.permutation(len(values))
        learnt, test = values[order[:290]], values[order[290:]]
        sent = simulate(survey, learnt, rng)
        raw = np.maximum(values_of_codes(survey.questions, sent.codes), 0)
        naive = LogisticRegression(max_iter=2000).fit(in_columns(survey, raw), raw[:, -1])
        ours = LogitClassifier(survey, random_state=deal).fit(sent.frame)
        areas = [
            roc_auc_score(test[:, -1], each)
            for each in (ours.probabilities(test)[:, 1], naive.predict_proba(in_columns(survey, test))[:, 1])
        ]
        gains.append(areas[0] - areas[1])
    assert np.mean(gains) > 0.01


def test_the_table_reads_as_log_odds_against_the_reference() -> None:
    survey, rng = (
        survey_of(('kind = "yes_no"\nsensitive = false', "", ""), ('kind = "yes_no"', "a", 'truth = "4/5"')),
        8,
    )
    values = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [600, 200, 200, 600], axis=0).astype(np.int16)
    model = LogitClassifier(survey, "q1").fit(simulate(survey, values, np.random.default_rng(rng)).frame)
    head, of, line, *margins = model.text.splitlines()
    assert head.split("  ")[-1] == "odds ratio"
    assert of == "log odds of q1 = yes against no"
    assert line.split()[:3] == ["q0", "=", "yes"]
    assert float(line.split()[3]) == pytest.approx(2 * np.log(3), abs=0.6)
    assert [line.split(": yes")[0] for line in margins[1:]] == ["  yes", "  no"]
    low, high = (model.margins_["q0"][answer]["yes"] for answer in ("no", "yes"))
    assert low[1] < 0.25 < low[2] < high[1] < 0.75 < high[2]
    assert (
        "q0 = no" in AdditiveClassifier(survey, "q1").fit(simulate(survey, values, np.random.default_rng(8)).frame).text
    )


@pytest.mark.parametrize(
    "change",
    [
        {"intercept": [0.0]},
        {"terms": []},
        {
            "terms": [
                {"questions": ["distress"], "effects": [[0, 0]] * 2, "estimates": [[0, 0]] * 2, "standard_errors": None}
            ]
        },
        {"terms": [{"questions": ["nothing"], "effects": [], "estimates": [], "standard_errors": None}]},
        {"terms": 3},
        {"margins": [[[0.5, 0.4]]]},
        {"intercept": [float("nan"), 0.0]},
    ],
)
def test_a_file_that_does_not_hold_its_effects_is_refused(change: dict[str, Any]) -> None:
    survey = mixed_survey()
    sent = simulate(survey, np.zeros((40, 5), np.int16), np.random.default_rng(1))
    learnt = LogitClassifier(survey, random_state=1).fit(sent.frame).learnt
    assert LogitClassifier(survey).restored(learnt).learnt == learnt
    if "margins" in change:
        change = {"terms": [learnt["terms"][0] | change, *learnt["terms"][1:]]}
    with pytest.raises(DeniableError, match=r"learnt|there is no question"):
        LogitClassifier(survey).restored(learnt | change).probabilities(np.zeros((1, 5), np.int16))


def test_a_file_of_before_margins_is_read_without_them_and_a_pickle_holds_no_responses() -> None:
    survey = mixed_survey()
    sent = simulate(survey, np.zeros((40, 5), np.int16), np.random.default_rng(1))
    model = LogitClassifier(survey, random_state=1).fit(sent)
    pickled = pickle.dumps(model)
    again = pickle.loads(pickled)  # noqa: S301 - our own
    assert b"Rows" not in pickled
    assert again.margins_ == model.margins_
    old = {"intercept": model.learnt["intercept"], "terms": [dict(each) for each in model.learnt["terms"]]}
    for part in old["terms"]:
        del part["margins"]
    assert LogitClassifier(survey).restored(old).margins_ == {}


@pytest.mark.parametrize(("coins", "times"), [(8, 1), (7, 0)])
def test_the_table_says_how_far_off_coefficients_have_been_behind_many_coins(coins: int, times: int) -> None:
    survey = survey_of(*[('kind = "yes_no"', f"g{coin}", 'truth = "4/5"') for coin in range(coins)])
    rng = np.random.default_rng(1)
    sent = simulate(survey, rng.integers(2, size=(60, coins)).astype(np.int16), rng)
    model = LogitClassifier(survey, "q0", random_state=1).fit(sent.frame)
    said = f"With {coins} coins trust probabilities more than coefficients"
    assert model.text.count(said) == times
    assert coefficients(survey, model, "q0").caution.count(said) == times
    assert not AdditiveClassifier(survey, "q0").caution
