"""The text of the dossier is enough to recompute the disclosure and the standard errors, without the design."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path

import pytest

from collector.channel.value_channel import value_transition
from collector.dossier.coding_part import coding
from collector.dossier.document import Grid, Part, Points
from collector.dossier.dossier import dossier
from collector.dossier.facts import DossierFacts
from collector.exchange.checked import checked
from collector.survey_file.survey_file import compiled, read_compiled

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
WELLBEING = DossierFacts(checked(read_compiled(EXAMPLES / "wellbeing.toml"), 800), 800)
Drawn = dict[int, Fraction]


def read(words: str, codes: int) -> Drawn:
    """The probabilities that a cell states, by code."""
    if alone := re.fullmatch(r"code (\d+)", words):
        return {int(alone[1]): Fraction(1)}
    found = {int(code): Fraction(share) for code, share in re.findall(r"code (\d+) with ([\d/]+)", words)}
    if rest := re.search(r"each (?:other code|of the codes .*) with ([\d/]+)", words):
        found = {code: found.get(code, Fraction(rest[1])) for code in range(codes)}
    assert sum(found.values()) == 1
    return found


def rows_of(part: Part) -> dict[str, list[tuple[str, Fraction, str, str]]]:
    """The answers of each question: name, prior, codes drawn, codes sent."""
    (grid,) = (block for block in part.blocks if isinstance(block, Grid))
    found: dict[str, list[tuple[str, Fraction, str, str]]] = {}
    for name, answer, prior, drawn, sent, _ in grid.rows:
        found.setdefault(str(name), []).append((str(answer), Fraction(str(prior)), str(drawn), str(sent)))
    return found


def rules_of(part: Part) -> dict[str, str]:
    """The rule of the coin of each group."""
    (points,) = (block for block in part.blocks if isinstance(block, Points))
    return dict(str(item).split(": ", 1) for item in points.items)


def instead(rule: str, name: str) -> str:
    """What a rule says of the codes that are sent instead, for one question."""
    return rule.rsplit(f"{name} ", maxsplit=1)[-1].split(";", maxsplit=1)[0]


def complements(rule: str, name: str) -> dict[int, int]:
    """The complement of each code of a question, as its rule says."""
    return {int(own): int(sent) for sent, own in re.findall(r"(\d+) for (\d+)", instead(rule, name))}


def test_the_disclosure_of_two_questions_with_one_coin_follows_from_the_text_alone() -> None:
    part = coding(WELLBEING)
    rows, rule = rows_of(part), rules_of(part)["substances"]
    truth = Fraction(re.findall(r"with probability ([\d/]+) the drawn", rule)[0])
    names = "cannabis", "drinking"
    partner = {name: complements(rule, name) for name in names}
    joint: dict[tuple[int, ...], dict[tuple[str, ...], Fraction]] = {}
    for truths in product(*(rows[name] for name in names)):
        for codes in product(*(read(row[2], 4).items() for row in truths)):
            chance = prod((row[1] for row in truths), start=prod((each for _, each in codes), start=Fraction(1)))
            own = tuple(code for code, _ in codes)
            swapped = tuple(partner[name][code] for name, code in zip(names, own, strict=True))
            for sent, share in ((own, truth), (swapped, 1 - truth)):
                behind = joint.setdefault(sent, {})
                answers = tuple(row[0] for row in truths)
                behind[answers] = behind.get(answers, Fraction(0)) + chance * share
    assert sum(sum(behind.values()) for behind in joint.values()) == 1
    for place, name in enumerate(names):
        disclosure = WELLBEING.privacy.question(name)
        for risk in disclosure.risks:
            value = disclosure.question.values[risk.value]
            after = max(
                sum(share for answers, share in behind.items() if answers[place] == value) / sum(behind.values())
                for behind in joint.values()
            )
            assert after == risk.rise.after
    assert WELLBEING.privacy.question("cannabis").risks[1].rise.after == Fraction(16, 17)


def test_the_standard_errors_follow_from_the_text_alone() -> None:
    part = coding(WELLBEING)
    rows, rules = rows_of(part), rules_of(part)
    methods = next(each for each in dossier(WELLBEING).parts if each.title == "Methods paragraph")
    (plans,) = (block for block in methods.blocks if isinstance(block, Grid))
    told = {str(row[0]): (str(row[1]), float(str(row[3]))) for row in plans.rows}
    for name, group in (("cannabis", "substances"), ("drinking", "substances"), ("income", "money"), ("debt", "debts")):
        value, error = told[name]
        codes = 1 + max(code for row in rows[name] for code in read(row[2], 4))
        own = next(read(row[2], codes) for row in rows[name] if row[0] == value)
        t = Fraction(re.findall(r"with probability ([\d/]+) the drawn", rules[group])[0])
        pairs = complements(rules[group], name)
        mean = square = Fraction(0)
        for _, prior, _, sent in rows[name]:
            for code, share in read(sent, codes).items():
                if pairs:
                    weight = (t * (code in own) - (1 - t) * (pairs[code] in own)) / (2 * t - 1)
                else:
                    u = sum(
                        (chance for each, chance in read(instead(rules[group], name), codes).items() if each in own),
                        start=Fraction(0),
                    )
                    weight = ((code in own) - (1 - t) * u) / t
                mean, square = mean + prior * share * weight, square + prior * share * weight**2
        assert mean == next(row[1] for row in rows[name] if row[0] == value)
        assert round(float((square - mean**2) / 800) ** 0.5, 4) == error


@pytest.mark.parametrize("name", ["wellbeing", "audit_c", "who5"])
def test_every_row_has_the_chances_of_the_channel(name: str) -> None:
    facts = DossierFacts(checked(read_compiled(EXAMPLES / f"{name}.toml")))
    rows = rows_of(coding(facts))
    assert [*rows] == [each.name for each in facts.disguised]
    for question in facts.disguised:
        group = facts.survey.group_of(question.name)
        assert group is not None
        sent = value_transition(question.coding, group.channel)
        for value, row in enumerate(rows[question.name]):
            assert read(row[3], len(sent)) == {code: chances[value] for code, chances in sent.items()}


def test_the_last_column_is_how_often_an_answer_stays_as_it_is() -> None:
    (grid,) = (block for block in coding(WELLBEING).blocks if isinstance(block, Grid))
    kept = {(str(row[0]), str(row[1])): str(row[-1]) for row in grid.rows}
    assert kept["cannabis", "yes"] == kept["drinking", "never"] == kept["drinking", "weekly"] == "4/5"
    assert kept["income", "<400"] == "3/4"


def test_a_coin_by_odds_is_stated_with_the_numbers_that_its_truth_is_computed_from() -> None:
    facts = DossierFacts(checked(read_compiled(EXAMPLES / "wellbeing_split.toml")))
    (group,) = facts.survey.groups
    rule = rules_of(coding(facts))[group.name]
    odds = Fraction(re.findall(r"o is ([\d/]+)", rule)[0])
    sharpness = dict(re.findall(r"(\w+) (\d+)[,)]", rule.split(" asked (")[1].split("),")[0] + ")"))
    asked = facts.survey.members(group)[1:4]
    states = prod(int(sharpness[each.name]) for each in asked)
    assert odds / (odds + states) == group.channel.truth([each.coding for each in asked])


def test_without_a_disguised_question_there_is_no_table() -> None:
    head = 'name = "s"\ntitle = "S"\nlanguages = ["en"]\n'
    text = f'{head}[[questions]]\nname = "a"\nlabel = "A?"\nkind = "yes_no"\nsensitive = false\n'
    part = coding(DossierFacts(checked(compiled(text, EXAMPLES))))
    assert not [block for block in part.blocks if isinstance(block, Grid)]
