"""The attack audit counts what an attacker would learn, and says it of ours and of scikit-learn's models alike."""

from __future__ import annotations

import json
from fractions import Fraction
from html import unescape
from html.parser import HTMLParser
from math import log
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, export_text

from benchmarks.releasing.scikit_trees import published_scikit_learn
from collector.errors import ModelError, QueryError, ResponseError
from collector.ledger.budget import Cost, DataSet
from collector.ledger.ledger import Ledger, Purse
from collector.survey_file.survey_file import parse_survey
from miner.attacks.audit import audit
from miner.attacks.exposure import exposure, homogeneity_attack
from miner.attacks.membership import clopper_pearson, membership
from miner.attacks.page import audit_page
from miner.attacks.published import published_model, trees_of
from miner.attacks.rule_file import parse_rules, published_rules
from miner.cli import main
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.learners.kinds import KINDS
from miner.learners.random_trees import RandomTreesClassifier
from miner.models.model import Model, Training, write_model
from miner.release.families.greedy import GreedyTree
from miner.release.noise import SystemNoise
from miner.release.release import release, write_release
from miner.release.table import TrustedTable
from miner.responses.answers import read_answers
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Values
from random_tables import people
from said import figures
from small_surveys import mixed_survey

COUNTS = np.array([[1, 0, 0], [5, 0, 0], [2, 3, 0], [1, 1, 8], [0, 0, 0]], float)  # 21 people in 4 leaves
TRAINING = Training(n_train=200, n_test=0, test_share=Fraction(0), seed=1, outcome=None)


def rows_of_mixed(rows: int, seed: int = 0) -> tuple[Values, pd.DataFrame]:
    survey, dice = mixed_survey(), np.random.default_rng(seed)
    values = np.column_stack([dice.integers(len(q.values), size=rows) for q in survey.questions]).astype(np.int16)
    words = {q.name: np.array(q.values)[values[:, place]] for place, q in enumerate(survey.questions)}
    return values, pd.DataFrame(words)


def test_exposure_counts_people_and_leaves_by_the_number_of_classes() -> None:
    found = exposure(COUNTS)
    assert (found.people, found.leaves, found.smallest, found.unique) == (21, 4, 1, 1)
    assert [(each.classes, each.leaves, each.people) for each in found.diversity] == [(1, 2, 6), (2, 1, 5), (3, 1, 10)]
    assert found.homogeneous_people == 6 / 21
    assert found.homogeneous_leaves == 2 / 4
    assert found.background(1) == 11 / 21
    assert found.background(2) == 1
    assert found.least_entropy == 1


def test_entropy_diversity_of_even_leaves_is_the_number_of_classes() -> None:
    assert exposure(np.full((2, 4), 5.0)).least_entropy == pytest.approx(4)


def test_nobody_gives_nothing_away() -> None:
    found = exposure(np.array([[-3.0, 0.2], [0.0, 0.0]]))
    assert (found.people, found.leaves, found.homogeneous_people) == (0, 0, 0)


def test_the_homogeneity_attack_is_judged_by_who_is_really_there() -> None:
    noisy = np.array([[4.0, -1.0], [2.0, 2.0]])  # the first leaf looks pure
    places, labels = np.array([[0, 0, 0, 1]]), np.array([0, 0, 1, 1])
    found = homogeneity_attack([noisy], places, labels)
    assert found.attacked == 3 / 4
    assert found.right == 2 / 3
    assert homogeneity_attack([noisy[1:]], places * 0, labels).right is None


def test_a_full_tree_of_scikit_learn_gives_everybody_away() -> None:
    frame = people(200)
    tree = DecisionTreeClassifier(random_state=0).fit(frame.drop(columns="ill"), frame["ill"])
    found = audit(published_scikit_learn(tree), frame, target="ill")
    assert found.people is not None
    assert found.published[0].homogeneous_people == found.people.trees[0].homogeneous_people == 1
    assert found.people.homogeneity.as_json == {"attacked": 1, "right": 1}
    assert found.published == found.people.trees


def test_a_text_of_rules_is_the_tree_it_was_written_from() -> None:
    frame = people(400)
    features = frame.drop(columns="ill")
    tree = DecisionTreeClassifier(max_depth=5, random_state=0).fit(features, frame["ill"])
    text = export_text(tree, feature_names=list(features), show_weights=True, decimals=9, max_depth=999)
    told = audit(published_rules("rules", list(parse_rules(text))), frame, target="ill")
    direct = audit(published_scikit_learn(tree), frame, target="ill")
    assert told.people == direct.people
    assert sorted(told.published[0].diversity, key=str) == sorted(direct.published[0].diversity, key=str)


def test_a_forest_is_the_texts_of_its_trees() -> None:
    frame = people(100)
    forest = RandomForestClassifier(3, max_depth=3, random_state=0).fit(frame.drop(columns="ill"), frame["ill"])
    names = forest.feature_names_in_.tolist()
    texts = [
        export_text(tree, feature_names=names, class_names=["no", "yes"], show_weights=True, decimals=9, max_depth=999)
        for tree in forest.estimators_
    ]
    told = published_rules("rules", list(parse_rules("".join(texts))))
    direct = published_scikit_learn(forest)
    assert told.classes == direct.classes
    assert [len(counts) for counts in told.counts] == [len(counts) for counts in direct.counts]
    for mine, theirs in zip(told.counts, direct.counts, strict=True):
        assert np.allclose(mine, theirs)
    assert np.array_equal(told.land(frame), direct.land(frame))


@pytest.mark.parametrize("rare", [0, 1, 2])
def test_a_class_that_no_leaf_predicts_is_named_by_the_table(rare: int) -> None:
    frame = people(400)
    words = [word for place, word in enumerate(("a", "b", "c")) if place != rare]
    frame["ill"] = np.where(frame["ill"] == "yes", *words)
    frame.loc[::97, "ill"] = "abc"[rare]
    features = frame.drop(columns="ill")
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(features, frame["ill"])
    assert set(tree.predict(features)) == set(words)
    text = export_text(tree, feature_names=list(features), show_weights=True, decimals=9, max_depth=999)
    read = published_rules("rules", list(parse_rules(text)))
    assert audit(read, frame, target="ill").people == audit(published_scikit_learn(tree), frame, target="ill").people
    frame.loc[5, "ill"] = "d"  # four classes are not the tree's three
    with pytest.raises(ResponseError, match="a class of the model"):
        audit(read, frame, target="ill")


def test_classes_that_are_numbers_are_sorted_by_size() -> None:
    rules = "|--- a <= 1\n|   |--- weights: [3, 1, 0] class: 2\n|--- a >  1\n|   |--- weights: [0, 1, 3] class: 10\n"
    read = published_rules("rules", list(parse_rules(rules)))
    assert read.classes == ("2", None, "10")
    assert read.labels(pd.DataFrame({"c": [2, 9, 10]}), "c").tolist() == [0, 1, 2]


def test_trees_that_are_single_leaves_are_trees() -> None:
    text = "|--- weights: [3.0, 1.0] class: no\n|--- weights: [1.0, 3.0] class: yes\n"
    assert [len(rules) for rules in parse_rules(text)] == [1, 1]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "line 1: the file contains no tree"),
        ("age <= 3\n", "line 1: the line does not begin with"),
        ("|--- age <= 3\n|   |--- class: no\n", "line 2: the line is neither a condition nor a leaf with weights"),
        ("|--- age <= 3\n|   |--- truncated branch of depth 3\n", "line 2: the line is neither"),
        ("|--- weights: [one] class: no\n", "line 1: the weights of a leaf are not numbers"),
    ],
)
def test_what_is_no_text_of_rules_is_refused_in_one_line(text: str, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        list(parse_rules(text))


def test_rules_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ModelError, match="numbers of weights"):
        published_rules("r", list(parse_rules("|--- weights: [1, 2] class: a\n|--- weights: [1] class: a\n")))
    with pytest.raises(ModelError, match="the largest weight"):
        published_rules("r", list(parse_rules("|--- weights: [1, 2] class: a\n|--- weights: [0, 2] class: b\n")))


@pytest.mark.parametrize("kind", [ID3Classifier, ForestClassifier, RandomTreesClassifier])
def test_our_own_trees_land_people_where_they_were_counted(kind: type) -> None:
    values, frame = rows_of_mixed(300)
    survey = mixed_survey()
    classifier = kind(survey).set_params(random_state=1)
    if kind is not RandomTreesClassifier:
        classifier.set_params(mode="faithful")
    classifier.fit(PlainRows.of(classifier.survey, values))
    published = published_model(Model("id3", survey, "distress", classifier, TRAINING))
    places, labels = published.land(frame), published.labels(frame)
    assert places.shape == (len(trees_of(classifier)), 300)
    if kind is not ForestClassifier:  # which counts what it draws
        for counts, place in zip(published.counts, places, strict=True):
            found = np.zeros_like(counts)
            np.add.at(found, (place, labels), 1)
            assert np.allclose(found, counts)


SKIPPABLE = """
name = "patients"
title = "Patients"
languages = ["en"]
mining = { target = "ill" }

[[questions]]
name = "ward"
label = "Ward?"
kind = "choice"
values = ["a", "b"]
sensitive = false

[[questions]]
name = "ill"
label = "Ill?"
kind = "yes_no"
optional = true
sensitive = false
"""


def test_an_empty_class_is_no_answer_for_an_audit_as_it_is_for_a_release(tmp_path: Path) -> None:
    path, survey = tmp_path / "patients.csv", parse_survey(SKIPPABLE)
    path.write_text("ward,ill\n" + "a,yes\nb,no\na,\nb,NA\n" * 30, encoding="utf-8")
    table = TrustedTable.read(survey, path)
    classifier = ID3Classifier(survey, mode="faithful").fit(PlainRows.of(survey, table.values))
    published = published_model(Model("id3", survey, "ill", classifier, TRAINING))
    assert published.labels(read_answers(path)).tolist() == table.labels.tolist()
    write_model(Model("id3", survey, "ill", classifier, TRAINING), tmp_path / "model.json")
    result = CliRunner().invoke(main, ["audit", str(tmp_path / "model.json"), "--data", str(path)])
    assert (result.exit_code, result.stderr) == (0, "")


def test_a_model_without_a_tree_is_refused_and_the_methods_that_have_one_are_named() -> None:
    values, _ = rows_of_mixed(300)
    survey = mixed_survey()
    trees = set()
    for kind in ("id3", "forest", "random-trees", "distilled", "logit", "additive", "boosted", "naive-bayes"):
        if kind == "distilled":  # a tree of another's predictions, which is learnt from responses alone
            assert issubclass(KINDS[kind], ID3Classifier)
            trees.add(kind)
            continue
        classifier = KINDS[kind](survey).set_params(random_state=1)
        classifier.fit(PlainRows.of(classifier.survey, values))
        model = Model(kind, survey, "distress", classifier, TRAINING)
        if trees_of(classifier):
            assert published_model(model).counts
            trees.add(kind)
            continue
        with pytest.raises(ModelError, match=f"a model of {kind} ") as refused:
            published_model(model)
        assert "random-trees" in refused.value.remedy
    assert trees == {"id3", "forest", "random-trees", "distilled"}


def test_a_forest_as_trees_by_value_predicts_the_same() -> None:
    values, _ = rows_of_mixed(300)
    forest = ForestClassifier(mixed_survey(), mode="faithful", random_state=1, n_estimators=5)
    forest.fit(PlainRows.of(forest.survey, values))
    votes = np.mean([tree.predict_proba(values) for tree in trees_of(forest)], axis=0)
    assert np.allclose(votes, forest.forest_.vote(values, hard=False), atol=1e-6)


def test_clopper_pearson_bounds_are_those_of_the_tables() -> None:
    lower, upper = clopper_pearson(7, 10, 0.975)
    assert [lower, upper] == pytest.approx([0.3475, 0.9333], abs=1e-4)
    assert clopper_pearson(0, 10, 0.95)[0] == 0
    assert list(clopper_pearson(10, 10, 0.95)) == pytest.approx([0.05**0.1, 1])


def test_an_attacker_who_knows_all_gets_a_large_epsilon_and_one_who_knows_nothing_gets_none() -> None:
    dice = np.random.default_rng(0)
    known, unknown = np.ones((500, 2)), np.zeros((500, 2))
    found = membership(known, unknown, dice)
    assert found.everybody.right == 1000
    assert found.everybody.epsilon == pytest.approx(log(0.025 ** (1 / 1000) / (1 - 0.025 ** (1 / 1000))))


@pytest.mark.statistical
def test_blind_guesses_claim_an_epsilon_no_more_often_than_one_time_in_twenty() -> None:
    """Of 200 runs, 5 % or fewer claim one in expectation; more than 22 happen once in 2,000 sound runs at most."""
    dice = np.random.default_rng(1)
    nothing = np.zeros((100, 2))
    found = [membership(nothing, nothing, dice) for _ in range(200)]
    assert sum(each.everybody.epsilon > 0 or each.sure.epsilon > 0 for each in found) <= 22


def test_membership_in_an_overgrown_tree_is_seen() -> None:
    members, others = people(1000).iloc[:500], people(1000).iloc[500:]
    tree = DecisionTreeClassifier(random_state=0).fit(members.drop(columns="ill"), members["ill"])
    found = audit(published_scikit_learn(tree), members, others, "ill", np.random.default_rng(0))
    assert found.membership is not None
    assert found.membership.everybody.lower > 0.5
    assert found.membership.everybody.epsilon > 0.2


def test_too_few_people_are_refused() -> None:
    with pytest.raises(ResponseError, match="fewer than 20"):
        membership(np.zeros((19, 2)), np.zeros((50, 2)), np.random.default_rng(0))


def test_tables_that_do_not_fit_are_refused() -> None:
    frame = people(100)
    published = published_scikit_learn(DecisionTreeClassifier(max_depth=1).fit(frame[["x0"]], frame["ill"]))
    with pytest.raises(QueryError, match="which column is the class"):
        audit(published, frame)
    with pytest.raises(ResponseError, match='column "sick": '):
        audit(published, frame, target="sick")
    with pytest.raises(ResponseError, match=r'row 1, column "ill": .* no, yes'):
        audit(published, frame.assign(ill="maybe"), target="ill")
    with pytest.raises(ModelError, match="no fitted tree or forest"):
        published_scikit_learn(DecisionTreeClassifier())


class Outline(HTMLParser):
    """Notes the tags of a page, and what it would fetch."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.fetched: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one."""
        self.tags.append(tag)
        self.fetched += [name for name, _ in attrs if name in {"src", "href"}]


def test_the_page_is_self_contained_and_says_what_each_table_is() -> None:
    frame = people(200)
    tree = DecisionTreeClassifier(random_state=0).fit(frame.drop(columns="ill").iloc[:100], frame["ill"].iloc[:100])
    found = audit(published_scikit_learn(tree), frame.iloc[:100], frame.iloc[100:], "ill", np.random.default_rng(0))
    outline = Outline(audit_page(found))
    assert outline.fetched == []
    assert "script" not in outline.tags
    assert outline.tags.count("table") == outline.tags.count("caption") == 7
    assert outline.tags.count("h1") == outline.tags.count("main") == outline.tags.count("title") == 1


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["audit", *map(str, arguments)])


@pytest.fixture
def model_and_data(tmp_path: Path) -> tuple[Path, Path]:
    """A model file and the people it was grown on."""
    values, frame = rows_of_mixed(200)
    classifier = ID3Classifier(mixed_survey(), mode="faithful").fit(PlainRows.of(mixed_survey(), values))
    write_model(Model("id3", mixed_survey(), "distress", classifier, TRAINING), tmp_path / "model.json")
    frame.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "model.json", tmp_path / "people.csv"


def test_the_command_audits_a_model_file_and_writes_a_page(model_and_data: tuple[Path, Path], tmp_path: Path) -> None:
    model, data = model_and_data
    page = tmp_path / "audit.html"
    result = run(model, "--data", data, "-o", page)
    assert result.exit_code == 0, result.stderr
    assert "homogeneity" in result.stdout
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    found = json.loads(run(model, "--data", data, "--others", data, "--seed", "1", "--json").stdout)
    assert found["people"]["H_u"] == found["published"]["H_u"]
    assert set(found["membership"]) == {"everybody", "surest_tenth", "confidence"}


def test_an_audit_says_whom_it_does_not_protect_on_paper_on_the_screen_and_in_json(
    model_and_data: tuple[Path, Path], tmp_path: Path
) -> None:
    model, data = model_and_data
    for arguments, told in (((model, "--data", data), "This audit is not private."), ((model,), "no more: it was")):
        result = run(*arguments, "--force", "-o", tmp_path / "audit.html")
        assert told in result.stdout
        assert told in unescape((tmp_path / "audit.html").read_text(encoding="utf-8"))
        assert told in json.loads(run(*arguments, "--json").stdout)["warning"]


def test_the_command_audits_a_release(tmp_path: Path) -> None:
    values, frame = rows_of_mixed(300)
    with Ledger(tmp_path / "deniable.db", create=True) as ledger:
        ledger.open(DataSet("people", Cost(Fraction(1))))
        purse, table = Purse(ledger, "people", b"p" * 32), TrustedTable.of(mixed_survey(), values)
        write_release(release(table, GreedyTree(Fraction(1), 300), purse, SystemNoise()), tmp_path / "model.json")
        assert ledger.account("people").left == Cost(Fraction(0))
    frame.to_csv(tmp_path / "people.csv", index=False)
    found = json.loads(run(tmp_path / "model.json", "--data", tmp_path / "people.csv", "--json").stdout)
    assert found["model"] == "ours"
    assert "Adding or removing" in found["guarantee"][0]
    assert figures(found["guarantee"][0]) == [1]
    assert found["people"]["trees"][0]["people"] == 300


def test_the_command_audits_a_text_of_rules(tmp_path: Path) -> None:
    frame = people(60)
    tree = DecisionTreeClassifier(max_depth=3).fit(frame.drop(columns="ill"), frame["ill"])
    rules, data = tmp_path / "tree.txt", tmp_path / "people.csv"
    names = tree.feature_names_in_.tolist()
    rules.write_text(export_text(tree, feature_names=names, show_weights=True, decimals=9), encoding="utf-8")
    frame.to_csv(data, index=False)
    assert json.loads(run(rules, "--json").stdout)["people"] is None
    assert run(rules, "--data", data, "--target", "ill").exit_code == 0


def test_the_command_refuses_in_one_line(model_and_data: tuple[Path, Path], tmp_path: Path) -> None:
    model, data = model_and_data
    for arguments, told in (
        ((model, "--others", data), "the people that the model was trained on are missing"),
        ((tmp_path / "none.json",), "it cannot be read"),
        ((tmp_path / "none.txt",), "it cannot be read"),
        ((data,), "the file is not JSON"),
    ):
        result = run(*arguments)
        assert result.exit_code == 2
        assert told in result.stderr
        assert result.stderr.count("\n") == 1
