"""One code for two answers: exact, by enumeration of every code; what is chosen, published, refused and disclosed."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from math import exp, log, log2
from pathlib import Path
from typing import Any

import pytest

from collector.design import survey_from_design, survey_from_json
from collector.disclosure import QuestionDisclosure
from collector.errors import ResponseError, SurveyError
from collector.group_disclosure import GroupDisclosure
from collector.pair_channel import TogetherChannel
from collector.pair_coding import PairCoding, best_pair_coding, prime_from, table_variance
from collector.precision import response_variance
from collector.privacy import SurveyPrivacy
from collector.rounding import exp_below
from collector.store import Store
from collector.survey import Survey
from collector.survey_file import compiled, parse_survey
from collector.survey_writer import survey_text
from collector.table import WRITERS, read_table, write_table
from paired_surveys import FORCED, ODDS, code_chances, forced, paired_survey, sent_by
from split_surveys import HEAD, budget_question, question, survey_of_tables

SMALL = [
    PairCoding(5, "plain", 5, 1),
    PairCoding(4, "subsets", 4, 2),
    PairCoding(6, "subsets", 6, 3),
    PairCoding(7, "subsets", 7, 2),
    PairCoding(4, "affine", 5, 2),
    PairCoding(6, "affine", 7, 3),
    PairCoding(7, "affine", 7, 4),
    PairCoding(8, "affine", 11, 3),
]


def titles(coding: PairCoding) -> str:
    return f"{coding.scheme}-{coding.combinations}-{coding.size}"


# The coding


@pytest.mark.parametrize("coding", SMALL, ids=titles)
def test_any_two_combinations_are_in_equally_many_codes(coding: PairCoding) -> None:
    codes = list(coding.codes)
    assert len(set(codes)) == len(codes) == coding.count
    owned = [{code for code in codes if coding.has(code, each)} for each in range(coding.combinations)]
    assert {len(each) for each in owned} == {coding.count / coding.sharpness}
    shared = {len(one & other) for place, one in enumerate(owned) for other in owned[:place]}
    assert shared == {coding.common * len(owned[0])}


@pytest.mark.parametrize("coding", SMALL, ids=titles)
def test_two_digits_are_a_code_exactly_if_they_are_listed(coding: PairCoding) -> None:
    near = [*range(-1, 140), 2**15 - 1, 2**15]
    assert {each for each in product(near, near) if coding.is_code(*each)} == set(coding.codes)


def test_a_mask_of_thirty_combinations_has_two_halves_of_fifteen_bits() -> None:
    coding = PairCoding(30, "subsets", 30, 2)
    assert coding.is_code(2**14, 1)
    assert [each for each in range(30) if coding.has((2**14, 1), each)] == [14, 15]
    assert coding.is_code(0, 2**14 + 1)
    assert not coding.is_code(2**14 + 1, 1)


@pytest.mark.parametrize("odds", [Fraction(7, 2), Fraction(1, 9)])
@pytest.mark.parametrize("coding", SMALL, ids=titles)
def test_every_code_has_exactly_the_ratio_of_the_odds_and_no_more(coding: PairCoding, odds: Fraction) -> None:
    rows = [code_chances(coding, odds, each) for each in range(coding.combinations)]
    assert all(sum(row.values()) == 1 for row in rows)
    ratios = [max(row[code] for row in rows) / min(row[code] for row in rows) for code in coding.codes]
    assert max(ratios) == 1 + odds


@pytest.mark.parametrize("coding", SMALL, ids=titles)
def test_readings_are_unbiased_for_every_combination_and_add_up_to_one(coding: PairCoding) -> None:
    truth = coding.truth(ODDS)
    even = Fraction(1, coding.combinations)
    read = {code: coding.reading(code) for code in coding.codes}
    assert all(sum(each) == 1 for each in read.values())
    for combination in range(coding.combinations):
        chances = code_chances(coding, ODDS, combination)
        for other in range(coding.combinations):
            weights = {code: (read[code][other] - (1 - truth) * even) / truth for code in read}
            assert sum(chances[code] * weights[code] for code in read) == (combination == other)


def enumerated_variance(coding: PairCoding, prior: list[Fraction], event: set[int]) -> Fraction:
    truth, share = coding.truth(ODDS), Fraction(len(event), coding.combinations)
    square, mean = Fraction(0), Fraction(0)
    for combination, part in enumerate(prior):
        for code, chance in code_chances(coding, ODDS, combination).items():
            counted = (sum(coding.reading(code)[each] for each in event) - (1 - truth) * share) / truth
            square, mean = square + part * chance * counted**2, mean + part * chance * counted
    assert mean == sum(prior[each] for each in event)
    return square - mean**2


@pytest.mark.parametrize("event", [{0}, {1, 2}, {0, 2, 3}])
@pytest.mark.parametrize("coding", [each for each in SMALL if each.scheme != "affine"], ids=titles)
def test_the_variance_of_any_event_is_what_enumeration_says(coding: PairCoding, event: set[int]) -> None:
    kinds = coding.combinations
    prior = [Fraction(2 * each + 1, kinds**2) for each in range(kinds)]
    frequency, share = sum((prior[each] for each in event), Fraction(0)), Fraction(len(event), kinds)
    assert coding.variance(frequency, share, coding.truth(ODDS)) == enumerated_variance(coding, prior, event)


@pytest.mark.parametrize("coding", [each for each in SMALL if each.scheme == "affine"], ids=titles)
def test_the_variance_that_affine_codes_give_a_combination_is_nearly_what_enumeration_says(coding: PairCoding) -> None:
    kinds, even = coding.combinations, Fraction(1, coding.combinations)
    prior = [Fraction(2 * each + 1, kinds**2) for each in range(kinds)]
    for each in range(kinds):
        found = float(coding.variance(prior[each], even, coding.truth(ODDS)))
        assert found == pytest.approx(float(enumerated_variance(coding, prior, {each})), rel=0.05)
    if kinds == coding.points:
        assert coding.variance(even, even, coding.truth(ODDS)) == enumerated_variance(coding, [even] * kinds, {1})


@pytest.mark.parametrize("coding", SMALL, ids=titles)
def test_no_prior_lets_a_response_tell_more_bits_than_said(coding: PairCoding) -> None:
    kinds = coding.combinations
    for prior in ([1 / kinds] * kinds, [(2 * each + 1) / kinds**2 for each in range(kinds)]):
        rows = [code_chances(coding, ODDS, each) for each in range(kinds)]
        told = 0.0
        for code in coding.codes:
            whole = sum(part * float(row[code]) for part, row in zip(prior, rows, strict=True))
            told += sum(
                p * float(row[code]) * log2(float(row[code]) / whole) for p, row in zip(prior, rows, strict=True)
            )
        assert told <= coding.most_bits(float(ODDS)) + 1e-12
    if coding.combinations == coding.points:
        even = sum(float(c) * log2(float(c) * coding.count) for c in rows[0].values())
        assert coding.most_bits(float(ODDS)) == pytest.approx(even, rel=1e-12)


def subset_selection(kinds: int, epsilon: float) -> float:
    """The variance of one response summed over values, even answers, with any subsets (Ye & Barg 2018)."""
    odds, best = exp(epsilon), float("inf")
    for size in range(1, kinds):
        whole = size * odds + kinds - size
        kept = size * odds / whole
        stray = ((size - 1) * size * odds + (kinds - size) * size) / ((kinds - 1) * whole)
        support = (kept - stray) / kinds + stray
        best = min(best, kinds * support * (1 - support) / (kept - stray) ** 2)
    return best


@pytest.mark.parametrize("epsilon", [0.5, 1, 2, 4, 8])
@pytest.mark.parametrize("kinds", [4, 6, 9, 16, 30, 31, 32, 49, 90, 112, 320, 2652])
def test_the_chosen_coding_is_as_precise_as_subset_selection(kinds: int, epsilon: float) -> None:
    coding = best_pair_coding(kinds, exp(epsilon) - 1)
    worse = 1.04 if 30 < kinds < 100 else 1.005  # points that stand for nothing
    assert table_variance(coding, exp(epsilon) - 1) <= worse * subset_selection(kinds, epsilon)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ((4, "projective", 4, 2), "the scheme is not known"),
        ((3, "subsets", 3, 2), "there are fewer than 4 combinations, or too many"),
        ((32_750, "plain", 32_750, 1), "there are fewer than 4 combinations, or too many"),
        ((6, "subsets", 6, 6), "a code stands for no combination, or for all"),
        ((6, "subsets", 6, 0), "a code stands for no combination, or for all"),
        ((6, "affine", 7, 6), "a code stands for no combination, or for all"),
        ((6, "subsets", 6, 1), "plain codes stand for one combination"),
        ((6, "plain", 6, 2), "plain codes stand for one combination"),
        ((6, "affine", 9, 2), "its points are not the combinations, or the next prime"),
        ((6, "affine", 11, 2), "its points are not the combinations, or the next prime"),
        ((6, "subsets", 7, 2), "its points are not the combinations, or the next prime"),
        ((31, "subsets", 31, 2), "there are more than 30 combinations"),
    ],
)
def test_what_is_no_design_is_refused(fields: tuple[int, str, int, int], problem: str) -> None:
    with pytest.raises(SurveyError, match=f"together: {problem}"):
        PairCoding(*fields)


def test_primes_are_the_next_ones() -> None:
    assert [prime_from(each) for each in (1, 2, 4, 24, 31, 90, 2652, 32_719)] == [2, 2, 5, 29, 31, 97, 2657, 32_719]


# The survey


def test_a_survey_file_asks_for_it_and_the_design_says_it_all() -> None:
    survey = paired_survey((2, 7, 16), "epsilon = 1")
    assert survey.design["groups"][0]["together"] == [
        {"combinations": 14, "scheme": "subsets", "points": 14, "size": 4},
        {"combinations": 32, "scheme": "affine", "points": 37, "size": 10},
        {"combinations": 112, "scheme": "affine", "points": 113, "size": 30},
    ]
    assert survey_from_json(survey.canonical).fingerprint == survey.fingerprint
    assert parse_survey(survey_text(survey, "")).fingerprint == survey.fingerprint
    assert len(survey.canonical) < 2500
    channel = survey.together
    assert channel is not None
    assert exp_below(Fraction(999, 1000)) < 1 + channel.odds <= exp_below(Fraction(1))


def test_what_is_always_asked_leaves_fewer_pairs() -> None:
    survey = paired_survey((2, 2, 3), always='"q0"')
    assert survey.together is not None
    assert [each.combinations for each in survey.together.codings] == [4, 6]
    assert survey.together.coding_of([2, 3]).combinations == 6
    lone = paired_survey((2, 2, 3), always='"q2"')
    assert lone.together is not None
    assert [each.combinations for each in lone.together.codings] == [6]
    with pytest.raises(ValueError, match="these questions have no code together"):
        lone.together.coding_of([2, 2])


TABLES = [question(f"q{number}", size, "g") for number, size in enumerate((2, 2, 3))]
TWO = "[sampling]\nask = 2\n"


@pytest.mark.parametrize(
    ("tables", "group", "sampling", "line"),
    [
        (
            TABLES,
            "g = { epsilon = 1, together = true }",
            "[sampling]\nask = 3\n",
            "together: not everybody is asked two",
        ),
        (TABLES, "g = { epsilon = 1, together = true }", "", "together: no two of its questions are ever asked alone"),
        (TABLES, 'g = { truth = "1/2", channel = "uniform", together = true }', TWO, "together: with a truth its"),
        (TABLES, 'g = { epsilon = 1, together = "yes" }', TWO, "together: it is not true or false"),
        (TABLES, "g = { odds = 4294967295, together = true }", TWO, "odds: with 4 combinations of answers its coin is"),
        ([*TABLES, question("a", 2, None)], "g = { odds = 3, together = true }", TWO, "together: a question of the"),
        (
            [*TABLES, question("a", 4, "g", 'coding = "subsets-2"')],
            "g = { odds = 3, together = true }",
            TWO,
            'together: "a" has a coding of its own',
        ),
        (
            [question(name, 200, "g") for name in "ab"],
            "g = { odds = 3, together = true }",
            TWO,
            "together: two of its questions have more than 32749 combinations of answers; give them fewer values, or",
        ),
    ],
)
def test_a_survey_file_that_it_does_not_fit_is_refused(tables: list[str], group: str, sampling: str, line: str) -> None:
    with pytest.raises(SurveyError) as raised:
        survey_of_tables(tables, group, sampling)
    assert str(raised.value).replace('group "g", ', "").replace('group "g": ', "").startswith(line)


def edited(design: dict[str, Any], **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever JSON can hold
    found: dict[str, Any] = json.loads(json.dumps(design))
    found["groups"][0] |= changes
    return found


PLAIN_FOUR = {"combinations": 4, "scheme": "plain", "points": 4, "size": 1}
PLAIN_SIX = {"combinations": 6, "scheme": "plain", "points": 6, "size": 1}


@pytest.mark.parametrize(
    ("together", "line"),
    [
        ([], 'group "g", together: its codings are not those of any two questions'),
        ([PLAIN_FOUR], 'group "g", together: its codings are not those of any two questions'),
        ([PLAIN_SIX, PLAIN_FOUR], 'group "g", together: its codings are not those of any two questions'),
        ([PLAIN_FOUR, PLAIN_FOUR, PLAIN_SIX], 'group "g", together: its codings are not those of any two questions'),
        ({}, 'group "g", together: it is not a list'),
        ([PLAIN_FOUR, 6], 'group "g", together number 2: it is not a table'),
        ([PLAIN_FOUR, PLAIN_SIX | {"blocks": []}], 'group "g", together number 2: the key "blocks" is unknown'),
        ([PLAIN_FOUR, PLAIN_SIX | {"size": 2}], 'group "g", together: plain codes stand for one combination'),
        ([PLAIN_FOUR, PLAIN_SIX | {"points": 6.0}], 'group "g", together number 2, points: it is not a whole number'),
    ],
)
def test_a_design_that_was_edited_is_refused(together: Any, line: str) -> None:  # noqa: ANN401 - likewise
    with pytest.raises(SurveyError) as raised:
        survey_from_design(edited(paired_survey().design, together=together))
    assert str(raised.value).startswith(line)


def test_a_group_of_a_truth_has_no_such_key() -> None:
    design = survey_of_tables([question("a", 2, "g")], 'g = { truth = "3/4" }').design
    with pytest.raises(SurveyError, match='group "g": the key "together" is unknown'):
        survey_from_design(edited(design, together=[PLAIN_FOUR]))


# The plan


def plan_lines(epsilon: str, aim: str = "pairs", more: str = "") -> tuple[Survey, str]:
    questions = "".join(budget_question(f"q{number}", size) for number, size in enumerate([2, 7, 16, 20]))
    found = compiled(f'{HEAD}{questions}{more}[privacy]\nepsilon = {epsilon}\naim = "{aim}"\n[sampling]\n')
    assert found.plan is not None
    return found.survey, found.plan.lines[0]


@pytest.mark.parametrize("epsilon", ["1", "2"])
def test_pairs_at_a_small_epsilon_are_planned_with_one_code_for_both_answers(epsilon: str) -> None:
    survey, line = plan_lines(epsilon)
    assert isinstance(survey.groups[0].channel, TogetherChannel)
    assert f"Planned for epsilon {epsilon} of a whole response: one coin and one code for both answers" in line
    assert SurveyPrivacy(survey).epsilon <= float(epsilon)


@pytest.mark.parametrize(("epsilon", "aim"), [("8", "pairs"), ("1", "shares"), ("1", "trees")])
def test_nothing_else_is(epsilon: str, aim: str) -> None:
    survey, line = plan_lines(epsilon, aim)
    assert survey.together is None
    assert "one code" not in line


def test_what_is_sent_as_it_is_has_no_code_with_anything() -> None:
    survey, _ = plan_lines("1", more=question("open", 2, None))
    assert survey.together is None


def test_codes_that_would_all_be_plain_are_left_apart() -> None:
    questions = "".join(budget_question(f"q{number}", 2) for number in range(6))
    survey = compiled(f'{HEAD}{questions}[privacy]\nepsilon = 2\naim = "pairs"\n[sampling]\nask = 2\n').survey
    assert survey.together is None


# What is stored


def test_the_store_takes_codes_of_two_answers_and_refuses_what_is_none(tmp_path: Path) -> None:
    survey = forced("masks")
    with Store(tmp_path / "a.db", create=True) as store:
        store.publish(survey)
        row = survey.checked_codes({"q0": 0b101, "q1": 0, "q2": None})
        assert row == (5, 0, None)
        store.add(survey, [row, (None, 0b111000, 0)])
        assert sorted(store.rows(survey), key=str) == [(5, 0, None), (None, 56, 0)]


@pytest.mark.parametrize(
    ("codings", "codes", "line"),
    [
        ("masks", (0b111, 0, None), "codes: they are no code of two answers; send what the survey's page makes"),
        ("masks", (0b101, 1, None), "codes: they are no code of two answers; send what the survey's page makes"),
        ("masks", (0b101, None, 0), "codes: they are no code of two answers; send what the survey's page makes"),
        ("affine maps", (0, 1, None), "codes: they are no code of two answers; send what the survey's page makes"),
        ("affine maps", (1, 5, None), "codes: they are no code of two answers; send what the survey's page makes"),
        ("masks", (32_768, 0, None), 'question "q0": the code is missing or not one of its codes; send 0 to 32767'),
        ("masks", (True, 0, None), 'question "q0": the code is missing or not one of its codes; send 0 to 32767'),
        ("masks", (3, None, None), "codes: they are not as many as one respondent is asked for; send 2 codes"),
        ("masks", (3, 0, 0), "codes: they are not as many as one respondent is asked for; send 2 codes"),
    ],
)
def test_what_is_no_code_is_refused_without_repeating_it(codings: str, codes: tuple[int, ...], line: str) -> None:
    with pytest.raises(ResponseError) as raised:
        forced(codings).checked_codes(dict(zip(["q0", "q1", "q2"], codes, strict=True)))
    assert str(raised.value).startswith(line)


@pytest.mark.parametrize("form", WRITERS)
def test_tables_hold_the_digits_and_read_back_as_they_were(form: str, tmp_path: Path) -> None:
    survey, path = forced("affine maps"), tmp_path / f"a.{form}"
    rows = [(4, 0, None), (None, 3, 6), (1, None, 2)]
    path.write_text("".join(write_table(survey, rows, form)), encoding="utf-8")
    assert "#4" in path.read_text(encoding="utf-8")
    assert read_table(survey, path) == rows


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("#3,q10,", 'line 2, column "q1": it is not half of a code of two answers; write what was sent, such as #12'),
        ("#3,#01,", 'line 2, column "q1": it is not half of a code of two answers; write what was sent, such as #12'),
        ("#3,#32768,", 'line 2, column "q1": it is not half of a code of two answers; write what was sent, such'),
        ("#0,#1,", "line 2: codes: they are no code of two answers"),
        ("#1,#1,#1", "line 2: codes: they are not as many as one respondent is asked for"),
    ],
)
def test_a_table_that_is_wrong_is_refused_by_line(line: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"q0,q1,q2\n{line}\n", encoding="utf-8")
    with pytest.raises(ResponseError) as raised:
        read_table(forced("affine maps"), path)
    assert said in str(raised.value)


def test_a_digit_that_is_no_text_is_refused_with_what_to_write(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"q0": 3, "q1": "#4"}\n', encoding="utf-8")
    with pytest.raises(ResponseError, match='line 1, column "q0": it is not text; write what was sent, such as #12'):
        read_table(forced("affine maps"), path)


# What is disclosed


UNEVEN = ("prior = { q00 = 0.7, q01 = 0.3 }", "", "prior = { q20 = 0.6, q21 = 0.3, q22 = 0.1 }")


@pytest.mark.parametrize("name", FORCED)
def test_no_response_tells_more_of_an_answer_than_the_statement_says(name: str) -> None:
    survey = forced(name)
    priors = [list(each.prior) for each in paired_survey(priors=UNEVEN).questions]
    for place, asked in enumerate(paired_survey(priors=UNEVEN).questions):
        told = QuestionDisclosure(asked, survey.groups[0])
        for pair, _ in sent_by(survey, (0, 0, 0)):
            if place not in pair:
                continue
            for value, risk in enumerate(told.risks):
                assert _largest_posterior(survey, priors, pair, place, value) <= risk.rise.after < 1


def _largest_posterior(
    survey: Survey, priors: list[list[Fraction]], pair: tuple[int, int], place: int, value: int
) -> Fraction:
    """The surest that any response to these two questions makes one value of one of them."""
    whole: dict[tuple[int, ...], Fraction] = {}
    own: dict[tuple[int, ...], Fraction] = {}
    for both in product(*(range(len(priors[each])) for each in pair)):
        values = [0, 0, 0]
        values[pair[0]], values[pair[1]] = both
        chance = priors[pair[0]][both[0]] * priors[pair[1]][both[1]]
        for row, likely in dict(sent_by(survey, values))[pair].items():
            whole[row] = whole.get(row, Fraction(0)) + chance * likely
            if values[place] == value:
                own[row] = own.get(row, Fraction(0)) + chance * likely
    return max(own[row] / whole[row] for row in own)


@pytest.mark.parametrize("name", FORCED)
def test_as_many_bits_stay_unknown_as_the_statement_says(name: str) -> None:
    survey = forced(name)
    for place, asked in enumerate(survey.questions):
        told = QuestionDisclosure(asked, survey.groups[0])
        for pair, _ in sent_by(survey, (0, 0, 0)):
            if place in pair:
                assert told.anonymity <= _unsure(survey, pair, place) + 1e-12
        assert 0 < told.anonymity < told.entropy


def _unsure(survey: Survey, pair: tuple[int, int], place: int) -> float:
    """H(answer | response), answers being even."""
    joint: dict[tuple[int, ...], dict[int, float]] = {}
    sizes = [len(survey.questions[each].values) for each in pair]
    for both in product(*map(range, sizes)):
        values = [0, 0, 0]
        values[pair[0]], values[pair[1]] = both
        for row, likely in dict(sent_by(survey, values))[pair].items():
            part = joint.setdefault(row, {})
            part[values[place]] = part.get(values[place], 0.0) + float(likely) / sizes[0] / sizes[1]
    return sum(p * log2(sum(row.values()) / p) for row in joint.values() for p in row.values())


def test_the_group_says_how_many_responses_there_are_and_its_epsilon() -> None:
    survey = forced("affine maps")
    group = GroupDisclosure(survey.groups[0], survey.questions[:2])
    assert (group.states, group.candidates) == (20, 4)
    assert group.epsilon == pytest.approx(log(4.5), abs=1e-12)
    assert group.belief.after == Fraction(3, 5)
    assert group.as_dict["odds"] == "7/2"
    statement = SurveyPrivacy(survey)
    assert "one code for both answers" in statement.group_lines[0]
    assert any(line.startswith('question "q0": at least 0.') for line in statement.lines)
    assert statement.as_dict["questions"][0]["risks"][0]["sent"] is None


# What is foretold


@pytest.mark.parametrize("name", [name for name in FORCED if "maps" not in name])
def test_the_foretold_variance_of_a_share_is_that_of_every_response(name: str) -> None:
    survey = forced(name)
    for place, asked in enumerate(survey.questions):
        square, count = Fraction(0), 0
        for values in product(*(range(len(each.values)) for each in survey.questions)):
            for pair, sent in sent_by(survey, values):
                if place in pair:
                    square += sum(chance * _counted(survey, pair, row, place) ** 2 for row, chance in sent.items())
                    count += 1
        even = Fraction(1, len(asked.values))
        expected = (square / count - even**2) / survey.asking_probability([asked.name])
        assert response_variance(survey, asked, 0) == expected


def _counted(survey: Survey, pair: tuple[int, int], row: tuple[int, ...], place: int) -> Fraction:
    """What a response counts for the first value of one of the questions that were asked."""
    assert survey.together is not None
    sizes = [len(survey.questions[each].values) for each in pair]
    coding = survey.together.coding_of(sizes)
    read = coding.reading((row[pair[0]], row[pair[1]]))
    event = [number for number, both in enumerate(product(*map(range, sizes))) if both[pair.index(place)] == 0]
    truth = coding.truth(ODDS)
    share = Fraction(len(event), coding.combinations)
    return (sum((read[each] for each in event), Fraction(0)) - (1 - truth) * share) / truth
