"""What the pages weigh, uncompressed and without headers, in bytes: ``python -m benchmarks.collecting.weight``.

Under 90,000 must stay what a browser loads to answer an example survey, in any of our languages, with all its texts. A
survey of one question whose texts are one letter each tells what of it we wrote; one of many, what a
question adds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory

from flask.testing import FlaskClient

from benchmarks.results import ROOT
from collector.page.static_files import static_files
from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.wording.languages import SHIPPED
from respondent.app import create_app
from respondent.pages.kinds import scripts_of, styles_of

PUBLISHED = ("who5", "audit_c", "staff_climate")
EXAMPLES = ("wellbeing", "wellbeing_two_languages", *PUBLISHED)
PAGE_FILES = ("page/icon.svg", "page/style.css")
MANY = 60


def survey_with(questions: int) -> Survey:
    """A survey in all our languages with texts of one letter, so that next to nothing in its pages is its own."""
    letter = "{ en = '?', ar = '?' }"
    asked = [f"{{ name = 'q{n}', label = {letter}, kind = 'yes_no', group = 'g{n}' }}" for n in range(questions)]
    groups = [f"g{n} = {{ truth = '3/4' }}" for n in range(questions)]
    return parse_survey(f"""
name = "asks_{questions:02}"
title = {letter}
languages = ["en", "ar"]
questions = [{", ".join(asked)}]
groups = {{ {", ".join(groups)} }}
""")


@dataclass(frozen=True)
class Weights:
    """Of one survey in one language, in bytes.

    Attributes:
        files: All scripts, styles and the icon, but for what the page of this survey does not load.
        page: The survey's page.
        by_hand: The form to fill in by hand.
        others: The list of surveys, thanks, exit, and a page that says something is not there.
    """

    files: int
    page: int
    by_hand: int
    others: int

    @property
    def visit(self) -> int:
        """What a browser loads to answer the survey."""
        return self.files + self.page

    @property
    def total(self) -> int:
        """All there is."""
        return self.visit + self.by_hand + self.others


def example(name: str, language: str = "ar") -> Survey:
    """An example survey; its Arabic texts stand for those of another language where one is given, in name too."""
    text = (ROOT / "examples" / f"{name}.toml").read_text(encoding="utf-8")
    if language != "ar":
        text = re.sub(r'\bar\b(?="|\]| *=)', language, text).replace(f'"{name}"', f'"{name}_{language}"', 1)
    return parse_survey(text)


def weigh(survey: Survey, language: str) -> Weights:
    """Publish a survey, ask for everything a respondent can meet of it, and weigh it."""
    with TemporaryDirectory() as folder, Store(Path(folder) / "deniable.db", create=True) as store:
        store.publish(survey)
        return _weights(create_app(store).test_client(), survey, language)


def _weights(client: FlaskClient, survey: Survey, language: str) -> Weights:
    address, about = f"/s/{survey.name}", f"?lang={language}"
    codes = {f"q-{question.name}": str(question.codes[0]) for question in survey.questions}
    page = client.get(f"{address}/by-hand{about}").text
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]+)">', page))
    response = hidden | codes
    thanks = client.post(f"{address}/by-hand{about}", data=response)
    assert thanks.status_code == HTTPStatus.CREATED, thanks.text  # noqa: S101 - our own form
    others = [len(client.get(path + about).data) for path in ("/", "/exit", "/s/nothing")]
    files = loaded(survey)
    return Weights(
        files=sum(len(client.get(f"/static/{name}").data) for name in files),
        page=len(client.get(address + about).data),
        by_hand=len(page.encode()),
        others=sum(others) + len(thanks.data),
    )


def loaded(survey: Survey) -> list[str]:
    """What the page of a survey loads from ``/static/``, where nobody is invited."""
    return [*scripts_of(survey, static_files(), by_invitation=False), *PAGE_FILES, *styles_of(survey)]


def main() -> None:
    """Print one line for each survey and language."""
    examples = [example(name) for name in EXAMPLES] + [example(name, "hi") for name in PUBLISHED]
    print(f"{'survey':<24}{'':<4}{'files':>8}{'page':>8}{'by hand':>9}{'others':>8}{'visit':>8}{'total':>9}")
    for survey in (survey_with(1), survey_with(MANY), *examples):
        for language in (tag for tag in SHIPPED if tag in survey.languages):
            found = weigh(survey, language)
            parts = f"{found.files:>8}{found.page:>8}{found.by_hand:>9}{found.others:>8}"
            print(f"{survey.name:<24}{language:<4}{parts}{found.visit:>8}{found.total:>9}")


if __name__ == "__main__":
    main()
