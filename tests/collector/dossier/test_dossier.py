"""The dossier: its figures are those of `collector check`, it follows the design, and it draws no conclusion."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from collector.cli import main
from collector.disclosure.lint import certainty
from collector.dossier.document import gap
from collector.dossier.dossier import dossier
from collector.dossier.evidence import EVIDENCE
from collector.dossier.facts import DossierFacts
from collector.dossier.writers import as_markdown
from collector.exchange.checked import checked
from collector.store.invitation import Invitations
from collector.store.published import SurveyState
from collector.store.store import Store
from collector.survey_file.survey_file import Compiled, compiled, read_compiled
from respondent.app import create_app

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.toml") if path.stem != "retrain")
PERCENT = re.compile(r"\d+\.\d%")


def written(text: str, respondents: int | None = 4000) -> str:
    """The dossier of a survey file's text, as Markdown."""
    return as_markdown(dossier(DossierFacts(checked(compiled(text, ROOT), respondents), respondents))).decode()


def example(name: str) -> str:
    """The text of an example survey."""
    return (ROOT / "examples" / f"{name}.toml").read_text(encoding="utf-8")


def part(text: str, title: str) -> str:
    """One part of a dossier in Markdown."""
    return text.split(f"\n## {title}\n")[1].split("\n## ", 1)[0]


def check(name: str) -> dict[str, Any]:
    """What `collector check --json` prints of an example."""
    arguments = ["check", str(ROOT / "examples" / f"{name}.toml"), "--respondents", "4000", "--json"]
    found: dict[str, Any] = json.loads(CliRunner().invoke(main, arguments).stdout)
    return found


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_figure_on_disclosure_is_one_of_check_and_all_of_check_are_there(name: str) -> None:
    printed, told = check(name), part(written(example(name)), "What a response discloses").replace("\\", "")
    for each in (*printed["lines"], *printed["central"]["lines"]):
        assert each in told
    rises = [rise for each in printed["questions"] for rise in each["risks"] if each["group"] is not None]
    rises += [rise for each in printed["questions"] for option in each["options"] for rise in option.values()
              if isinstance(rise, dict)]  # fmt: skip
    known = {f"{share:.1%}" for rise in rises for share in (rise["before"], rise["after"]) if share is not None}
    known |= {each for lint in printed["lints"] for each in PERCENT.findall(f"{lint['problem']} {lint['remedy']}")}
    assert {*PERCENT.findall(told)} <= known
    surest = certainty(Fraction(max(rise["after"] for rise in rises)))
    assert re.search(rf"One answer: .* to {surest}; no response makes .* more probable than that", told)
    assert all(f"{each['too_high']:.3f}"[:4] in told for each in printed["false"])


def test_a_changed_truth_changes_every_place_that_states_it() -> None:
    before = written(example("wellbeing"))
    after = written(example("wellbeing").replace('substances = { truth = "4/5" }', 'substances = { truth = "3/4" }'))
    assert "complement, truth 4/5): no epsilon" in before
    assert "complement, truth 4/5): no epsilon" not in after
    assert "from 80.0% to 94.1%; no response" in before
    assert "94.1%" not in after
    for title in ("What is collected, and what is not", "What a response discloses", "Methods paragraph",
                  "Singling out, linkability and inference (Opinion 05/2014)",
                  "Impact assessment (Article 35 GDPR), a draft"):  # fmt: skip
        assert part(before, title) != part(after, title)


def test_it_follows_the_days_the_texts_and_the_quota_of_the_study_card() -> None:
    text = example("wellbeing")
    changed = written(text.replace("until = 2099-12-31", "until = 2098-01-02\nquota = 1234"))
    for title in ("Recipients, retention, withdrawal", "Purpose, people and burden", "Reporting and preregistration"):
        assert "2098-01-02" in part(changed, title)
    assert "1,234 responses, whichever comes first" in changed
    without = written(re.sub(r"(?ms)^\[study\].*?^\[\[", "[[", text, count=1))
    assert gap("the purpose") in without
    assert "Example University" not in without


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_draws_no_conclusion_on_anonymity(name: str) -> None:
    told = written(example(name))
    assert re.findall(r"[^.]*\banonym\w*[^.]*\.", told) == [
        " This document does not conclude whether the responses are anonymous."
    ]
    assert '"may not" be excluded' in told


@pytest.mark.parametrize("name", EXAMPLES)
def test_only_a_proved_epsilon_becomes_an_entry_for_the_registry_with_its_unit(name: str) -> None:
    entry = part(written(example(name)), "Entry for the registry of differential privacy deployments")
    epsilon = check(name)["epsilon"]
    if epsilon is None:
        assert entry.strip().startswith("No entry")
        assert "| epsilon |" not in entry
    else:
        assert f"| epsilon | {epsilon:.3f} for this unit |" in entry
        assert "| unit of privacy | one response" in entry


def test_texts_of_the_survey_and_of_the_page_are_in_each_language_of_the_survey() -> None:
    facts = DossierFacts(checked(read_compiled(ROOT / "examples" / "who5.toml")))
    told = as_markdown(dossier(facts)).decode()
    assert "شعرت بالهدوء والاسترخاء" in told
    assert "I have felt calm and relaxed" in told
    shown = part(told, "Information for respondents").splitlines()
    points = [line for line in shown if line.startswith("- ")]
    assert len(points) == 12
    assert not {*points[:6]} & {*points[6:]}  # translated, all of them


@pytest.mark.parametrize("name", EXAMPLES)
def test_texts_for_respondents_are_those_that_the_page_shows(name: str, tmp_path: Path) -> None:
    survey = read_compiled(ROOT / "examples" / f"{name}.toml").survey
    shown = part(written(example(name)), "Information for respondents").replace("\\", "").splitlines()
    texts = [line.removeprefix("- ") for line in shown if line.startswith("- ")]
    with Store(tmp_path / "deniable.db", create=True) as store:
        store.publish(survey)
        client = create_app(store).test_client()
        pages = "".join(unescape(client.get(f"/s/{name}?lang={each}").text) for each in survey.languages)
    assert len(texts) == 6 * len(survey.languages)
    assert not [text for text in texts if text not in pages]


def test_a_question_with_a_condition_and_a_drawn_one_are_said_to_be_asked_of_some() -> None:
    routed, split = written(example("audit_c")), written(example("wellbeing_split"))
    assert "everybody, if often is monthly or two_to_four_a_month" in routed
    assert "some people, drawn at random" in split
    assert "Each person is asked 7 questions" in split


@pytest.mark.parametrize(
    ("issued", "used", "rate"),
    [(20, 9, "45 % of 20"), (19, 9, None), (20, 0, None), (20, 20, None), (1000, 999, None), (1000, 994, "99 %")],
)
def test_a_response_rate_is_stated_from_20_invitations_on_and_never_of_nobody_or_all(
    issued: int, used: int, rate: str | None
) -> None:
    design = checked(read_compiled(ROOT / "examples" / "wellbeing.toml"))
    told = DossierFacts(design, invitations=Invitations(issued, used)).response_rate
    assert ("%" in told) == (rate is not None)
    assert rate is None or rate in told


def closed(store: Store, *, for_good: bool) -> SurveyState:
    """The state of the example survey, after it was closed for good or not."""
    store.publish(read_compiled(ROOT / "examples" / "wellbeing.toml").survey)
    if for_good:
        store.close_survey("wellbeing", for_good=True)
    state = store.state("wellbeing")
    assert state is not None
    return state


@pytest.mark.parametrize("for_good", [True, False])
def test_withdrawal_is_offered_and_responses_are_pseudonymous_until_closing_for_good(
    tmp_path: Path, *, for_good: bool
) -> None:
    with Store(tmp_path / "deniable.db", create=True) as store:
        state = closed(store, for_good=for_good)
    facts = DossierFacts(checked(Compiled(state.newest.survey, None)), None, state, Invitations(0, 0))
    told = as_markdown(dossier(facts)).decode()
    assert ("responses are pseudonymous" in told) == ("What was published before cannot be called back" in told)
    assert ("responses are pseudonymous" in told) != for_good
    assert "wellbeing, version 1" in told


def test_the_first_part_lists_every_text_to_be_filled_in_once() -> None:
    told = written(example("who5"), None)
    listed = re.findall(r"^- .*?: (\[to be filled in: .*\])$", part(told, "About this document"), re.MULTILINE)
    rest = told.split("\n## Purpose, people and burden\n")[1]
    assert len(listed) == len({*listed})
    assert {*listed} == {*re.findall(r"\[to be filled in: [^\]]*\]", rest)}


def test_readme_and_planning_page_have_the_same_text_on_evidence() -> None:
    for page in ("README.md", "docs/planning.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert "\n\n".join(EVIDENCE) in text
