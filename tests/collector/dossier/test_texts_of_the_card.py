"""The dossier agrees with the study card, and says of a design only what applies to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from collector.disclosure.false_responses import planned_shift
from collector.dossier import facts as facts_module
from collector.dossier.document import GAP, Document, Grid, Part, gap, plain
from collector.dossier.dossier import dossier
from collector.dossier.facts import DossierFacts
from collector.exchange.checked import checked
from collector.survey_file.survey_file import compiled

ROOT = Path(__file__).resolve().parents[3]
WELLBEING = (ROOT / "examples" / "wellbeing.toml").read_text(encoding="utf-8")
NOTICE = WELLBEING.replace("[study] ", "[study]\nprivacy = 'Who we are, and what we keep.'\n#", 1)
BY_NOTICE = "check that the privacy notice says"
FAR = gap("confirm the last day, which is more than 5 years away")


def document(text: str, respondents: int | None = 800) -> Document:
    """The dossier of a survey file."""
    return dossier(DossierFacts(checked(compiled(text, ROOT), respondents), respondents))


def example(name: str) -> str:
    """The text of an example survey."""
    return (ROOT / "examples" / f"{name}.toml").read_text(encoding="utf-8")


def part(found: Document, title: str) -> Part:
    """A part of a dossier."""
    return next(each for each in found.parts if each.title.startswith(title))


def fields(found: Part) -> dict[str, str]:
    """The last cell of each row of a part's tables, by the first."""
    rows = (row for block in found.blocks if isinstance(block, Grid) for row in block.rows)
    return {plain(row[0]): plain(row[-1]) for row in rows}


def test_what_a_privacy_notice_says_is_checked_there_and_not_asked_again() -> None:
    without, with_notice = document(WELLBEING), document(NOTICE)
    rows = ("data protection officer", "legal basis (Articles 6 and 9(2))", "(c) data subjects")
    for row in rows:
        assert "to be filled in" in fields(part(without, "Record"))[row]
        assert BY_NOTICE in fields(part(with_notice, "Record"))[row]
    assert BY_NOTICE in fields(part(with_notice, "Purpose"))["help for respondents in distress"]
    assert not any(BY_NOTICE in each for _, each in without.gaps)
    checks = [each for _, each in with_notice.gaps if BY_NOTICE in each]
    assert len(checks) == 7
    assert all(GAP.fullmatch(each) for each in checks)


def test_a_last_day_is_marked_if_it_is_more_than_five_years_away(monkeypatch: pytest.MonkeyPatch) -> None:
    assert FAR in fields(part(document(WELLBEING), "Purpose"))["days"]
    end = 4102444800.0  # 2100-01-01
    for years, marked in ((4.9, False), (5.1, True)):
        monkeypatch.setattr(facts_module, "time", lambda years=years: end - years * 365.25 * 86400)
        assert (FAR in fields(part(document(WELLBEING), "Purpose"))["days"]) == marked


def test_each_warning_has_a_field_for_the_reason_to_keep_it() -> None:
    warned = [each for each in checked(compiled(WELLBEING, ROOT), 800).lints if each.severity == "warn"]
    asked = [each for _, each in document(WELLBEING).gaps if "why this stays" in each]
    assert len(asked) == len(warned) > 0
    assert all(lint.place in each for lint, each in zip(warned, asked, strict=True))


def test_false_responses_are_also_counted_for_the_main_outcome() -> None:
    survey = compiled(WELLBEING, ROOT).survey
    lines = [str(each) for block in part(document(WELLBEING), "What a response").blocks if hasattr(block, "items")
             for each in block.items if "false of" in str(each)]  # fmt: skip
    for place, value in enumerate(("yes", "no")):
        (line,) = (each for each in lines if f"the estimate of distress = {value} is" in each)
        assert line.endswith(planned_shift(survey, {"distress": place}, 8, 800).line)
    open_target = document(WELLBEING.replace('target = "distress"', 'target = "year"'))
    assert not any("distress = yes is" in str(each) for each in part(open_target, "What a response").blocks)


@pytest.mark.parametrize(("name", "proved"), [("wellbeing", False), ("wellbeing_split", True), ("who5", True)])
def test_the_row_on_differential_privacy_is_said_to_apply_only_with_an_epsilon(name: str, *, proved: bool) -> None:
    told = plain(str(part(document(example(name)), "Singling out").blocks[0]))
    assert ("does not apply here" in told) != proved


def test_that_nobody_learns_of_a_swap_is_limited_where_one_known_answer_shows_it() -> None:
    limited = "the response then shows whether it was swapped"
    assert any(limited in str(each) for each in part(document(WELLBEING), "Information").blocks)
    assert not any(limited in str(each) for each in part(document(example("who5")), "Information").blocks)


def test_questions_that_may_be_refused_are_named() -> None:
    told = {
        name: fields(part(document(example(name)), "Purpose"))["refusing a question"] for name in ("audit_c", "who5")
    }
    assert "often" in told["audit_c"]
    assert "no question" in told["who5"]


def test_the_rarest_of_the_plain_answers_is_told_in_people() -> None:
    told = fields(part(document(WELLBEING), "Singling out"))["Can somebody be singled out?"]
    assert "0.25, about 200 people" in told
    uneven = WELLBEING.replace(
        "sensitive = false ", "sensitive = false\nprior = {first=0.5,second=0.3,third=0.19,fourth=0.01}\n#", 1
    )
    assert "0.01, about 8 people" in fields(part(document(uneven), "Singling out"))["Can somebody be singled out?"]
