"""Pooling versions: those whose questions agree with the newest, with all their responses, and a word on the others."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from collector.channel.channel import channel
from collector.store.simulated import Coins
from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey.text import Text
from miner.estimates.estimate import estimate, frequencies
from miner.responses.pooling import disagreement, pooled, pooled_by_question
from miner.responses.responses import Responses
from miner_command import run
from store_rows import OTHER, ROW, bring_in


def weaker(survey: Survey) -> Survey:
    """The same questions, with another chance of truth in one group."""
    *others, last = survey.groups
    return replace(survey, groups=(*others, replace(last, channel=channel("complement", Fraction(2, 3)))))


def shorter(survey: Survey) -> Survey:
    """Without the question that is alone in its group and is asked last."""
    kept = survey.questions[:-1]
    names = {question.name for question in kept}
    groups = tuple(group for group in survey.groups if set(group.questions) <= names)
    return replace(survey, questions=kept, groups=groups, target=None)


def test_versions_that_differ_in_what_is_not_measured_pool(store: Store, wellbeing: Survey) -> None:
    wave = replace(wellbeing, title=Text.of(en="Second wave"))
    silent = replace(wave, preview="off", target="debt")
    store.publish(wave, new_version=True)
    store.publish(silent)
    for survey, rows in ((wellbeing, [ROW]), (wave, [OTHER, ROW]), (silent, [ROW])):
        store.add(survey, rows)
    found, versions, line = pooled(store, "wellbeing")
    assert versions == [1, 2, 3]
    assert line == "pooled versions: 1, 2, 3"
    assert found.survey == silent
    assert sorted(map(tuple, found.codes.tolist())) == sorted([ROW, ROW, ROW, OTHER])


def test_a_version_that_was_disguised_otherwise_is_left_aside_and_named(store: Store, wellbeing: Survey) -> None:
    store.add(wellbeing, [ROW])
    store.publish(weaker(wellbeing))
    store.add(weaker(wellbeing), [OTHER])
    found, versions, line = pooled(store, "wellbeing")
    assert versions == [2]
    assert line.startswith("version 2 alone; version 1 ")
    assert 'question "distress"' in line
    assert found.codes.tolist() == [list(OTHER)]


def test_questions_that_only_an_older_version_has_are_dropped_and_those_it_lacks_are_told(
    store: Store, wellbeing: Survey
) -> None:
    short = shorter(wellbeing)
    assert disagreement(short, wellbeing) == ""
    assert disagreement(wellbeing, short) == 'question "distress" is not in it'
    store.add(wellbeing, [ROW])
    store.publish(short)
    store.add(short, [OTHER[:-1]])
    assert sorted(map(tuple, pooled(store, "wellbeing")[0].codes.tolist())) == sorted([ROW[:-1], OTHER[:-1]])


def test_an_order_that_changed_keeps_each_answer_with_its_question(store: Store, wellbeing: Survey) -> None:
    first, second, *rest = wellbeing.questions
    turned = replace(wellbeing, questions=(second, first, *rest))
    store.add(wellbeing, [ROW])
    store.publish(turned)
    store.add(turned, [(ROW[1], ROW[0], *ROW[2:])])
    found = pooled(store, "wellbeing")[0]
    assert found.codes.tolist() == [[ROW[1], ROW[0], *ROW[2:]]] * 2


def test_simulated_responses_are_counted_over_all_pooled_versions(store: Store, wellbeing: Survey) -> None:
    bring_in(store, store.published("wellbeing"), [ROW, ROW], simulated=Coins.SEEDED)
    wave = replace(wellbeing, title=Text.of(en="Second wave"))
    store.publish(wave, new_version=True)
    store.add(wave, [OTHER])
    simulated = pooled(store, "wellbeing")[0].simulated
    assert simulated is not None
    assert (simulated.responses, simulated.seeded, simulated.of) == (2, 2, 3)


def test_the_command_says_which_versions_it_pooled(store: Store, wellbeing: Survey) -> None:
    wave = replace(wellbeing, title=Text.of(en="Second wave"))
    store.publish(wave, new_version=True)
    for survey in (wellbeing, wave):
        store.add(survey, [ROW, OTHER] * 20)
    arguments = ("estimate", "wellbeing", "cannabis = yes", "--store", str(store.path))
    alone = json.loads(run(*arguments, "--json").stdout)
    both = run(*arguments, "--versions", "all", "--json")
    found = json.loads(both.stdout)
    assert (alone["n"], found["n"], found["versions"]) == (40, 80, [1, 2])
    assert found["estimate"] == pytest.approx(alone["estimate"])
    assert "note: pooled versions: 1, 2" in both.stderr
    refused = run(*arguments, "--versions", "all", "--version", "1")
    assert (refused.exit_code, "--versions" in refused.stderr) == (2, True)


def test_a_version_pools_for_each_question_that_did_not_change(store: Store, wellbeing: Survey) -> None:
    old, new = 60, 40
    store.add(wellbeing, [ROW, OTHER] * (old // 2))
    changed = weaker(wellbeing)
    store.publish(changed)
    store.add(changed, [ROW, OTHER, OTHER, ROW] * (new // 4))
    found = pooled_by_question(store, "wellbeing")
    assert found.agreeing(["cannabis"]) == [1, 2]
    assert found.agreeing(["cannabis", "distress"]) == found.agreeing([]) == [2]
    everybody = Responses(changed, np.array([ROW, OTHER] * 50, np.int16))
    assert estimate(found, "cannabis = yes") == estimate(everybody, "cannabis = yes")
    assert estimate(found, "distress = yes").n == new
    each = frequencies(found)
    assert [each[name][0].n for name in ("cannabis", "distress") if each[name][0]] == [old + new, new]
    read = found.in_memory(["cannabis", "year"])
    assert (len(read), read.survey) == (old + new, changed)
    for condition in ("cannabis = yes", "year = first"):
        assert estimate(read, condition) == estimate(everybody, condition)


def test_commands_pool_by_the_questions_they_are_asked_for(store: Store, wellbeing: Survey) -> None:
    store.add(wellbeing, [ROW, OTHER] * 30)
    changed = weaker(wellbeing)
    store.publish(changed)
    store.add(changed, [ROW, OTHER] * 20)
    counts = {
        ("estimate", "wellbeing", "cannabis = yes"): ([1, 2], 100),
        ("estimate", "wellbeing", "distress = yes and cannabis = yes"): ([2], 40),
        ("difference", "wellbeing", "cannabis = yes", "year = first", "year = second"): ([1, 2], 100),
        ("difference", "wellbeing", "distress = yes", "year = first", "year = second"): ([2], 40),
    }
    for arguments, (versions, n) in counts.items():
        found = run(*arguments, "--store", str(store.path), "--versions", "all", "--json")
        printed = json.loads(found.stdout)
        assert (printed["versions"], printed["n"]) == (versions, n), arguments
        left = 'version 1 is left aside: question "distress" is disguised differently'
        assert (left in found.stderr) == (versions == [2])


def test_a_question_without_a_response_in_any_version_that_agrees_is_named(store: Store, wellbeing: Survey) -> None:
    store.add(wellbeing, [ROW, OTHER] * 30)
    store.publish(weaker(wellbeing))
    found = run("estimate", "wellbeing", "distress = yes", "--store", str(store.path), "--versions", "all")
    assert found.exit_code == 2
    assert "question distress: " in found.stderr
