"""docs/extending.md: the channel, learner and question kind that it adds are like any other; no package changes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import make_reference
import miner
from benchmarks.exact_table import transition_of
from channel_cases import (
    arrays_are_the_exact_table,
    cases,
    forward_times_inverse_is_the_identity,
    one_question_is_the_group_of_one,
    ratio_is_that_of_enumeration,
    simulation_has_the_frequencies_of_the_table,
    survey_of,
    variance_is_that_of_enumeration,
)
from collector.channel.channel import REPLACEMENTS
from collector.channel.replacement import Replacement
from collector.channel.uniform import Uniform
from collector.coding.coding import Coding
from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import QueryError, SurveyError
from collector.exchange.surveyjs import from_surveyjs
from collector.exchange.surveyjs_out import to_surveyjs
from collector.exchange.xlsform_out import to_xlsform
from collector.survey import screen
from collector.survey.design import survey_from_json
from collector.survey_file.kinds.registry import KINDS as QUESTION_KINDS
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import survey_tables, survey_text
from engine_cases import (
    a_mixture_has_the_likelihood_of_the_exact_table,
    a_packed_tree_is_the_tree_on_product_weights,
    answers_that_agree,
    counts_at_leaves_are_the_product_weights,
    every_learner_learns,
    grouped_survey,
    paths_are_the_product_weights,
    signed_copies_are_the_product_weights,
)
from miner.behind.patterns import Patterns
from miner.estimates.crosstab import crosstab
from miner.estimates.frequencies import likeliest_frequencies
from miner.learners.kinds import KINDS, LEARNERS, Learner, Role, names_of
from miner.models.model import read_model, write_model
from miner.models.training import train
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner.trees.counts import Level
from miner.weights.weights import ProductWeights

PAGE = Path(__file__).resolve().parents[2] / "docs" / "extending.md"
FIRST, SECOND = Fraction(4, 5), Fraction(2, 5)
YES_NO = 'kind = "yes_no"'


def code_of_page() -> list[str]:
    """Code of the page, block by block: the channel, the coding, the learner, the question kind."""
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names that the page's code defines, with its channel registered."""
    code = code_of_page()[0]
    names: dict[str, Any] = {"__name__": "extending"}
    exec(compile(code, str(PAGE), "exec", dont_inherit=True), names)  # noqa: S102 - the page is ours
    names["truth"], names["replacement"] = names["kuk"](FIRST, SECOND)
    monkeypatch.setitem(REPLACEMENTS, "kuk", names["replacement"])
    return names


def test_the_channel_of_the_page_passes_the_suite_of_the_registry(page: dict[str, Any]) -> None:
    for channel, codings in cases(page["replacement"], two_valued=True):
        forward_times_inverse_is_the_identity(channel, codings)
        ratio_is_that_of_enumeration(channel, codings)
        variance_is_that_of_enumeration(channel, codings)
        one_question_is_the_group_of_one(channel, codings)
    for questions in (1, 2):
        survey = survey_of("kuk", str(page["truth"]), [YES_NO] * questions)
        arrays_are_the_exact_table(survey)
        simulation_has_the_frequencies_of_the_table(survey)


def test_its_forward_table_is_that_of_two_decks_of_cards(page: dict[str, Any]) -> None:
    survey = survey_of("kuk", str(page["truth"]), [YES_NO])
    (group,), codings = survey.groups, [survey.questions[0].coding]
    assert transition_of(group.channel, codings) == [[FIRST, 1 - FIRST], [SECOND, 1 - SECOND]]


def test_it_is_published_checked_and_estimated_like_any_other(page: dict[str, Any]) -> None:
    survey = survey_of("kuk", str(page["truth"]), [YES_NO, YES_NO])
    assert survey_from_json(survey.canonical) == survey
    alone = SurveyPrivacy(survey_of("kuk", str(page["truth"]), [YES_NO]))
    assert alone.epsilon == pytest.approx(np.log(3))  # black: (1 - 2/5) / (1 - 4/5); red: 2
    values = np.stack([np.arange(20_000) % 10 >= 3, np.arange(20_000) % 2], axis=1).astype(np.int16)
    responses = simulate(survey, values, np.random.default_rng(3))
    weights = ProductWeights(responses).of({"q0": frozenset({0})})
    assert weights.mean() == pytest.approx(0.3, abs=5 * weights.std() / 20_000**0.5)
    found = likeliest_frequencies(responses, ["q0", "q1"])
    assert found is not None


def test_trees_forests_copies_and_the_mixture_are_those_of_its_exact_table(page: dict[str, Any]) -> None:
    survey = grouped_survey("kuk", str(page["truth"]), [YES_NO] * 4)
    for target in ("q0", "told"):
        counts_at_leaves_are_the_product_weights(survey, target)
        a_packed_tree_is_the_tree_on_product_weights(survey, answers_that_agree(survey, 20_000), target)
    signed_copies_are_the_product_weights(survey, "q0")
    a_mixture_has_the_likelihood_of_the_exact_table("kuk", str(page["truth"]), [YES_NO] * 2)


@pytest.mark.usefixtures("page")
def test_it_is_mined_from_the_survey_to_the_forest() -> None:
    survey = grouped_survey("kuk", "4/5", [YES_NO] * 4)
    values = answers_that_agree(survey, 6000)
    every_learner_learns(survey, values, "q0", ["faithful", "robust"])
    every_learner_learns(survey, values[:4000], "q1", ["latent"])
    responses = simulate(survey, values, np.random.default_rng(1))
    table = crosstab(responses, "q0", "q1")
    names = survey.questions[0].values
    for row, column in product(range(2), repeat=2):
        true = float(((values[:, 0] == row) & (values[:, 1] == column)).mean())
        assert table.cells[names[row], names[column]].estimate == pytest.approx(true, abs=0.05)


class Halves(Replacement):
    """Of four codes, a replacement is drawn among the two of the same half: it is drawn, and depends on the truth."""

    name: ClassVar[str] = "halves"
    keeps_epsilon: ClassVar[bool] = False
    paired: ClassVar[bool] = False
    candidates: ClassVar[int | None] = None
    uninformative_at: ClassVar[Fraction] = Fraction(0)

    def check(self, truth: Fraction) -> None:  # noqa: D102 - as its base says
        Uniform().check(truth)

    def sent(self, code: int, coding: Coding) -> Mapping[int, Fraction]:  # noqa: ARG002, D102
        return {code // 2 * 2 + part: Fraction(1, 2) for part in range(2)}

    def weights(self, truth: Fraction) -> tuple[Fraction, Fraction]:  # noqa: D102
        return Uniform().weights(truth)  # of any replacement that replaced again is distributed as before

    def ratio(self, truth: Fraction, codings: Sequence[Coding]) -> Fraction | None:  # noqa: ARG002, D102
        return None

    def variance(self, truth: Fraction, event: Fraction, replacement: Fraction, both: Fraction) -> Fraction:  # noqa: D102
        raise NotImplementedError


def test_replacements_drawn_depending_on_the_truth_are_tested_on_and_not_counted_node_by_node(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(REPLACEMENTS, "halves", Halves())
    four = 'kind = "choice"\nvalues = ["a", "b", "c", "d"]'
    survey = grouped_survey("halves", "2/3", [four] * 2)
    arrays_are_the_exact_table(survey_of("halves", "2/3", [four] * 2))
    simulation_has_the_frequencies_of_the_table(survey_of("halves", "2/3", [four]))
    signed_copies_are_the_product_weights(survey, "q0")
    paths_are_the_product_weights(survey, "q0")
    codes = np.zeros((4, 3), np.int16)
    with pytest.raises(QueryError, match='an answer to "q0" is drawn depending on the answer'):
        Level.at_root(survey, codes, "q0")
    with pytest.raises(QueryError, match='group "g0": the halves channel draws replacements that depend on the truth'):
        Patterns.of(Responses(survey, codes))


REGISTERING = """
from miner.learners.kinds import LEARNERS, Learner
LEARNERS["one-rule"] = Learner("one_rule", "OneRuleClassifier")
from miner.cli import main
main()
"""


@pytest.fixture
def learner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the page's learner, registered by the page's line but for the folder that it is in."""
    line = '"one-rule": Learner("miner.learners.one_rule", "OneRuleClassifier"),'
    assert line in PAGE.read_text(encoding="utf-8")
    path = tmp_path / "one_rule.py"
    path.write_text(code_of_page()[2], encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(LEARNERS, "one-rule", Learner("one_rule", "OneRuleClassifier"))
    return path


def test_the_learner_of_the_page_is_trained_written_and_read(learner: Path) -> None:
    survey = grouped_survey("complement", "4/5", [YES_NO] * 4)
    values = answers_that_agree(survey, 20_000)
    responses = simulate(survey, values, np.random.default_rng(1))
    model = train(responses, KINDS["one-rule"](survey, "q0"), Fraction(1, 3), seed=1)
    (used,) = model.classifier.used_
    assert used in {"q1", "q2", "q3", "told"}
    assert model.kind == "one-rule"
    assert model.training.outcome is not None
    gained = model.training.outcome.accuracy.estimate - model.training.outcome.baseline.estimate
    right = (model.classifier.probabilities(values).argmax(axis=1) == values[:, 0]).mean()
    assert right > max(np.bincount(values[:, 0])) / len(values) + 0.05
    assert gained == pytest.approx(right - max(np.bincount(values[:, 0])) / len(values), abs=0.05)
    write_model(model, learner.with_suffix(".json"))
    read = read_model(learner.with_suffix(".json"))
    assert np.array_equal(read.classifier.probabilities(values), model.classifier.probabilities(values))
    rows = KINDS["one-rule"](survey, "q0").fit(PlainRows.of(survey, values))
    assert rows.used_ in ([name] for name in ("q1", "q2", "q3", "told"))
    assert (rows.probabilities(values).argmax(axis=1) == values[:, 0]).mean() == pytest.approx(right, abs=0.03)


@pytest.mark.usefixtures("learner")
def test_its_registration_is_all_that_names_choices_and_schemas_need() -> None:
    assert miner.OneRuleClassifier is KINDS["one-rule"]
    assert miner.modules()["OneRuleClassifier"] == "one_rule"
    assert "from one_rule import OneRuleClassifier as OneRuleClassifier" in make_reference.public_names()
    assert '"one-rule"' in make_reference.commands_schema()
    assert "one-rule" in names_of(Role.PLAIN)


def test_the_command_trains_it(learner: Path, answered: Path) -> None:
    output = learner.with_name("model.json")
    words = ["train", "wellbeing", "--model", "one-rule", "--seed", "1"]
    words += ["-o", str(output), "--store", str(answered / "s.db"), "--json"]
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", REGISTERING, *words],
        cwd=learner.parent,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": f"{PAGE.parents[1]}{os.pathsep}{learner.parent}"},
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["model"] == "one-rule"
    assert read_model(output).kind == "one-rule"


WAKES = """
name = "sleep"
title = "Sleep"
languages = ["en"]

[[questions]]
name = "wakes"
label = "When do you wake?"
kind = "time"
cuts = ["06:00", "07:30"]
minimum = "04:00"
decline = true
prior = { "<06:00" = 0.25, "06:00..07:30" = 0.5, ">=07:30" = 0.25 }
group = "g"

[[questions]]
name = "tired"
label = "Are you tired?"
kind = "yes_no"
ask_if = "wakes in (<06:00, 06:00..07:30)"
group = "g"

[groups]
g = { truth = "3/4", channel = "uniform" }
"""


@pytest.fixture
def time_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's question kind, registered as the page says."""
    names: dict[str, Any] = {"__name__": "time"}
    exec(compile(code_of_page()[3], str(PAGE), "exec", dont_inherit=True), names)  # noqa: S102 - the page is ours
    monkeypatch.setitem(QUESTION_KINDS, "time", names["TimeKind"]())
    monkeypatch.setattr(screen, "INTERVALS", (*screen.INTERVALS, "time"))
    monkeypatch.setattr(screen, "KINDS", (*screen.KINDS, "time"))


@pytest.mark.usefixtures("time_kind")
def test_the_question_kind_of_the_page_goes_from_a_survey_file_to_a_design_and_a_form_and_back() -> None:
    survey = parse_survey(WAKES)
    wakes = survey.question("wakes")
    assert wakes.values == ("<06:00", "06:00..07:30", ">=07:30", "prefer_not_to_say")
    assert wakes.ordered
    assert survey_from_json(survey.canonical) == survey
    table = survey_tables(survey)["questions"][0]
    assert (table["kind"], table["cuts"], table["minimum"]) == ("time", ["06:00", "07:30"], "04:00")
    assert parse_survey(survey_text(survey, "again")).fingerprint == survey.fingerprint
    form = to_surveyjs(survey).content.decode()
    ((element, _),) = (each["elements"] for each in json.loads(form)["pages"])
    assert (element["type"], element["inputType"], element["min"]) == ("text", "time", "04:00")
    assert parse_survey(from_surveyjs(form, "form.json").content.decode()).fingerprint == survey.fingerprint
    assert to_xlsform(survey).content
    with pytest.raises(SurveyError, match='"25:00" is no time of day'):
        parse_survey(WAKES.replace("07:30", "25:00"))
