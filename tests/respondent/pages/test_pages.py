"""The pages as they leave the server: one document per survey, self-contained but for our own static files."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from collector.store.store import Store
from collector.survey.question import EXTRAS
from collector.survey.survey import Survey
from collector.survey.text import Text
from collector.survey_file.survey_file import parse_survey
from collector.wording.languages import SHIPPED, catalogue
from kind_surveys import EVERY_KIND
from respondent.app import create_app
from respondent.pages.languages import interface
from respondent.pages.texts import script_texts
from small_surveys import survey_of
from vector_surveys import SPLIT

EMPTY_ELEMENTS = {"meta", "link", "input", "br", "wbr"}
CLOSED_IN_SVG = {"circle", "path"}


class Document(HTMLParser):
    """A document taken apart; it refuses elements that are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.data: Any = None
        self.design = self.import_map = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element down."""
        self.elements.append((tag, dict(attrs)))
        if tag not in EMPTY_ELEMENTS:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element down that closes itself, as SVG's may."""
        assert tag in CLOSED_IN_SVG
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Check that it closes what was opened last."""
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Keep the data that the script reads."""
        if self._open[-1:] == ["script"] and data.strip():
            attributes = self.elements[-1][1]
            if attributes["type"] == "importmap":
                self.import_map = data
            elif attributes["id"] == "design":
                self.design = data
            else:
                self.data = json.loads(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of every element with this tag."""
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "deniable.db", create=True) as store:
        yield store


@pytest.fixture
def client(store: Store, wellbeing: Survey, bilingual: Survey) -> FlaskClient:
    store.publish(wellbeing)
    store.publish(bilingual)
    return create_app(store).test_client()


@pytest.fixture
def document(client: FlaskClient) -> Document:
    return Document(client.get("/s/wellbeing").text)


def test_the_index_lists_every_survey_once(client: FlaskClient, store: Store, wellbeing: Survey) -> None:
    store.publish(renamed(wellbeing, "wellbeing", "Student wellbeing, second wave"), new_version=True)
    store.publish(renamed(wellbeing, "other", "Another <survey>"))
    page = client.get("/")
    links = [link["href"] for link in Document(page.text).all("a")]
    assert links == ["#main", "/exit", "/s/other", "/s/wellbeing", "/s/wellbeing_two_languages"]
    assert "second wave" in page.text
    assert "Another &lt;survey&gt;" in page.text


def test_the_index_leaves_out_what_is_closed(client: FlaskClient, store: Store) -> None:
    store.close_survey("wellbeing")
    assert 'href="/s/wellbeing"' not in client.get("/").text
    answer = client.get("/s/wellbeing")
    assert answer.status_code == 410
    assert "takes no more responses" in answer.text


def test_the_index_of_an_empty_store_says_so(store: Store) -> None:
    assert "There is none at the moment" in create_app(store).test_client().get("/").text


def test_a_survey_that_is_not_published_is_not_found(client: FlaskClient) -> None:
    for address in ("/s/nothing", "/s/nothing/by-hand"):
        answer = client.get(address)
        assert answer.status_code == 404
        assert answer.mimetype == "text/html"
        assert "Check the link that you were given" in answer.text


def test_the_form_has_no_action_and_no_name_anywhere(document: Document) -> None:
    (form,) = document.all("form")
    assert form.keys().isdisjoint({"action", "method", "name", "target"})
    assert form["autocomplete"] == "off"
    for tag in ("input", "button", "fieldset"):
        assert all("name" not in attributes for attributes in document.all(tag))
    assert not document.all("select")
    assert not document.all("textarea")


def test_everything_is_closed_until_the_script_opens_it(document: Document) -> None:
    assert all("disabled" in attributes for attributes in document.all("input") + document.all("button"))
    assert "hidden" in document.all("form")[0]
    assert len(document.all("noscript")) == 1


def test_nothing_is_inline_but_one_style_whose_hash_is_in_the_policy_and_nothing_foreign(
    client: FlaskClient, document: Document
) -> None:
    import_map, script, data, design = document.all("script")
    assert import_map == {"type": "importmap"}
    integrity = "sha256-" + b64encode(sha256(client.get("/static/page/survey.mjs").data).digest()).decode()
    assert script == {"type": "module", "src": "/static/page/survey.mjs", "integrity": integrity}
    assert data == {"type": "application/json", "id": "data"}
    assert design == {"type": "application/json", "id": "design"}
    assert document.all("style") == [{}]
    page = client.get("/s/wellbeing")
    style = page.text.partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    assert f"style-src 'self' 'sha256-{digest}';" in page.headers["Content-Security-Policy"]
    for _, attributes in document.elements:
        assert "style" not in attributes
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("href", "src"):
            assert str(attributes.get(name) or "/").startswith(("/", "#main"))
    assert "http" not in client.get("/s/wellbeing").text


def test_every_script_that_the_page_loads_has_its_hash_and_the_map_of_hashes_is_in_the_policy(
    client: FlaskClient, document: Document
) -> None:
    loaded = [str(link["href"]) for link in document.all("link") if link["rel"] == "modulepreload"]
    digests = {each: b64encode(sha256(client.get(each).data).digest()).decode() for each in loaded}
    assert len(loaded) > 12
    later = "/static/page/restored.mjs"  # only where a tab holds a locked response
    digests[later] = b64encode(sha256(client.get(later).data).digest()).decode()
    assert json.loads(document.import_map) == {
        "integrity": {f"..{each}": f"sha256-{digest}" for each, digest in digests.items()}
    }
    headers = client.get("/s/wellbeing").headers
    whole = b64encode(sha256(document.import_map.encode()).digest()).decode()
    assert f"script-src 'self' 'sha256-{whole}';" in headers["Content-Security-Policy"]
    assert headers["Integrity-Policy"] == "blocked-destinations=(script)"
    assert "Integrity-Policy" not in client.get("/").headers, "a page without scripts"


def test_the_design_travels_as_it_was_published(document: Document, wellbeing: Survey) -> None:
    assert json.loads(document.design) == wellbeing.design
    assert document.design == wellbeing.canonical.replace("<", "\\u003c")
    assert document.data["fingerprint"] == wellbeing.fingerprint
    assert document.data["address"] == "/api/v1/surveys/wellbeing/responses"
    texts = script_texts(interface("en"), disguised=False)
    assert document.data["texts"] == {name: text for name, text in texts.items() if name not in UNSAID | OF_KINDS}


UNSAID = {
    *("total", "vast", "maximum", "uninvited", "unknown-invitation", "used-invitation", "recode", "bare", "never"),
    *("one-of", "who-these", "sure", "certain", "right", "set", "side", "coin-more", "full", "see"),
}
OF_KINDS = {
    *(
        "prefer_not_to_say",
        "no_answer",
        "not_applicable",
        "changed-asked",
        "whole",
        "rank",
        "lines",
        "coin-here",
        "coin-here-more",
        "few",
        "many",
    ),
    *(
        "each-grid",
        "each-multiple",
        "optional",
        "tap",
        "unticked",
        "search",
        "found",
    ),
}


def test_what_can_be_said_in_a_survey_travels_with_it(client: FlaskClient, store: Store) -> None:
    store.publish(parse_survey(SPLIT))
    store.invite("split", 1)
    said = Document(client.get("/s/split").text).data["texts"]
    texts = script_texts(interface("en"), disguised=False)
    never = {"maximum", "certain", "full", "see"}  # no number of them has a maximum
    assert said == {name: text for name, text in texts.items() if name not in never | OF_KINDS}


def test_a_survey_without_a_preview_shows_no_bytes(store: Store, wellbeing: Survey) -> None:
    pages = {}
    for preview in ("before", "after", "off"):
        store.publish(replace(wellbeing, name=f"preview_{preview}", preview=preview))
        document = Document(create_app(store).test_client().get(f"/s/preview_{preview}").text)
        pages[preview] = (
            {element["id"] for _, element in document.elements if "id" in element},
            "code" in document.data["texts"],
        )
    assert {"preview", "bytes"} <= pages["before"][0]
    assert "bytes" in pages["after"][0]
    assert "preview" not in pages["after"][0]
    assert "bytes" not in pages["off"][0]
    assert [told for _, told in pages.values()] == [True, True, False]


def test_every_text_of_the_script_is_there(root: Path) -> None:
    script = "".join(path.read_text(encoding="utf-8") for path in (root / "static" / "page").glob("*.mjs"))
    texts = script_texts(interface("en"))
    direct = (
        set(re.findall(r"texts\.(\w+)", script))
        | set(re.findall(r'texts\["([\w-]+)"\]', script))
        | set(re.findall(r'fail\("([\w-]+)"\)', script))
    )
    by_outcome = {"offline", "refused", "outdated", "closed", "full", "unknown-invitation", "used-invitation"}
    by_problem = {"missing", "number", "minimum", "maximum", "few", "many", "rank"}
    by_part = {"each-grid", "each-multiple", "coin", "coin-more", "coin-here", "coin-here-more"}
    assert (direct - {"intervals"}) | by_outcome | by_problem | by_part | {*EXTRAS} == {*texts, "broken"}


def test_each_kind_of_question_has_its_heading_in_its_legend_or_label(document: Document) -> None:
    assert [template["id"] for template in document.all("template")] == ["choice", "number"]
    assert [heading["id"] for heading in document.all("h1") if "id" in heading] == ["q-NAME-title"]
    assert {"for": "q-NAME"} in document.all("label")
    assert all("checked" not in attributes for attributes in document.all("input"))


def test_every_reference_leads_to_an_element(client: FlaskClient) -> None:
    page = client.get("/s/wellbeing").text
    templates = re.findall(r"<template.*?</template>", page, re.DOTALL)
    assert len(templates) == 2
    notes = set(re.findall(r'id="(q-NAME-(?:odds|error))"', templates[0]))  # the script puts them into the other too
    for part in (re.sub(r"(?s)<template.*?</template>", "", page), *templates):  # a tree each
        document = Document(part)
        ids = [attributes["id"] for _, attributes in document.elements if "id" in attributes]
        assert len(set(ids)) == len(ids)
        for _, attributes in document.elements:
            for name in ("for", "aria-labelledby", "aria-describedby"):
                assert set(str(attributes.get(name) or "").split()) <= {*ids, *notes}


@pytest.mark.parametrize("address", ["/s/wellbeing_two_languages", "/s/wellbeing_two_languages/by-hand"])
def test_the_page_is_in_the_language_that_is_asked_for(address: str, client: FlaskClient, bilingual: Survey) -> None:
    english, arabic = {"lang": "en", "dir": "ltr"}, {"lang": "ar", "dir": "rtl"}
    for wish, headers, expected in (
        ("", {}, english),
        ("?lang=ar", {}, arabic),
        ("?lang=xx", {}, english),
        ("", {"Accept-Language": "ar-EG, en;q=0.5"}, arabic),
        ("?lang=en", {"Accept-Language": "ar"}, english),
    ):
        answer = client.get(address + wish, headers=headers)
        assert Document(answer.text).all("html") == [expected]
        assert html.escape(bilingual.questions[0].label[str(expected["lang"])]) in answer.text
        assert "Set-Cookie" not in answer.headers


def test_a_survey_in_another_language_says_so(client: FlaskClient, store: Store) -> None:
    store.publish(parse_survey(wellbeing_in("nl")))
    assert Document(client.get("/s/dutch").text).all("html") == [{"lang": "nl", "dir": "ltr"}]


def wellbeing_in(language: str) -> str:
    return f"""
name = "dutch"
title = "Welzijn"
languages = ["{language}"]
questions = [{{ name = "q", label = "Gaat het?", kind = "yes_no", group = "g" }}]
groups = {{ g = {{ truth = "3/4" }} }}
"""


def test_the_study_card_tells_who_asks_why_and_how_long(client: FlaskClient) -> None:
    page = html.unescape(client.get("/s/wellbeing").text)
    for text in (
        "The student health service of Example University",
        "To plan counselling and debt advice for next year",
        "6 questions, about 3 min",
        "31 December 2099</time>",
        "wellbeing@<wbr>university.example",
        "Example University ethics board, 2026/114",
    ):
        assert text in page


def test_the_study_card_says_up_to_how_many_questions_where_not_everybody_is_asked_each(
    client: FlaskClient, store: Store
) -> None:
    text = wellbeing_in("en").replace("questions = [", "study = { minutes = 1 }\nquestions = [")
    asked = ', { name = "r", label = "Since when?", kind = "yes_no", group = "h", ask_if = "q = yes" }]'
    text = text.replace(" }]", f" }}{asked}", 1).replace("groups = {", 'groups = { h = { truth = "3/4" }, ')
    store.publish(parse_survey(text))
    assert "Up to 2 questions, about 1 min" in html.unescape(client.get("/s/dutch").text)


def test_the_card_of_a_later_wave_says_that_answers_to_an_earlier_one_add_to_what_is_disclosed(
    client: FlaskClient, store: Store
) -> None:
    again = "This survey is repeated."
    assert again not in html.unescape(client.get("/s/wellbeing").text)
    store.publish(parse_survey(wellbeing_in("en")))
    store.publish(parse_survey("wave = 2\n" + wellbeing_in("en").lstrip()))
    assert again in html.unescape(client.get("/s/dutch").text)


DEPOSITED = (
    "After this survey has ended, all responses may be published for anybody to read, exactly as they were sent and "
    "without receipts."
)


@pytest.mark.parametrize("language", SHIPPED)
def test_the_card_and_the_form_by_hand_say_in_each_language_that_responses_may_be_published(
    language: str, client: FlaskClient, store: Store
) -> None:
    said, pages = catalogue(language)(DEPOSITED), ("/s/dutch", "/s/dutch/by-hand")
    assert (said == DEPOSITED) == (language == "en")
    for declaration, shown in (("", False), ("deposit = true\n", True)):
        store.publish(parse_survey(declaration + wellbeing_in(language).lstrip()))
        assert [said in html.unescape(client.get(each).text) for each in pages] == [shown, shown]


SURE = "We never learn whether yours was swapped."
PLAIN = 'kind = "yes_no"\nsensitive = false'


@pytest.mark.parametrize(
    ("questions", "said", "unsaid"),
    [
        (
            [('kind = "yes_no"', "g", 'truth = "3/4"')],
            ["Answer truthfully: what is sent is disguised", SURE, "These are your true answers", "disguised answers"],
            [],
        ),
        (
            [(PLAIN, "", ""), ('kind = "yes_no"', "g", 'truth = "3/4"')],
            [
                "part of what is sent is disguised",
                SURE,
                "only the disguised version",
            ],
            ["truthfully: what is sent", "These are your true answers", "disguised answers"],
        ),
        (
            [(PLAIN, "", "")],
            ["Your answers are sent as they are", "This survey disguises none of its questions."],
            ["a coin toss", SURE, "disguised answers", "what is sent is disguised", "These are your true answers"],
        ),
        ([('kind = "yes_no"', "g", "truth = 1")], ["Your answers are sent as they are"], ["a coin toss", SURE]),
        ([('kind = "yes_no"', "g", "truth = 0")], ["what is sent is disguised", "disguised answers"], [SURE]),
        (
            [('kind = "choice"\nvalues = ["x", "y", "z"]\ncoding = "szucs"', "g", 'truth = "4/5"')],
            ["what is sent shows it", "disguised answers"],
            [SURE],
        ),
    ],
)
def test_what_is_said_of_the_disguise_is_said_of_the_questions_it_is_true_of(
    questions: list[tuple[str, str, str]], said: list[str], unsaid: list[str], store: Store
) -> None:
    store.publish(survey_of(*questions))
    client = create_app(store).test_client()
    page, form = (html.unescape(client.get(f"/s/small{more}").text) for more in ("", "/by-hand"))
    assert [words for words in said if words not in page] == []
    assert [words for words in unsaid if words in page] == []
    assert (SURE in form) == (SURE in said)
    assert ("Send disguised answers" in form) == ("disguised answers" in said)
    assert "obody else ever holds them" not in client.get("/").text


HOSTILE = """
name = "hostile"
title = "</title><script>alert(1)</script>"
languages = ["en"]
questions = [
  { name = "q", label = "'\\"><img src=x>", kind = "choice", sensitive = false, \
values = ["\\"onclick=", "{{ 7 * 7 }}", "</script><!--"] },
]
"""


@pytest.mark.parametrize("address", ["/s/hostile", "/s/hostile/by-hand"])
def test_hostile_texts_stay_texts(address: str, store: Store) -> None:
    store.publish(parse_survey(HOSTILE))
    page = create_app(store).test_client().get(address).text
    document = Document(page)
    assert len(document.all("script")) == (0 if "by-hand" in address else 4)
    assert not document.all("img")
    assert "{{ 7 * 7 }}" in html.unescape(page)


def test_the_form_for_the_hand_takes_codes_and_nothing_else(client: FlaskClient, wellbeing: Survey) -> None:
    document = Document(client.get("/s/wellbeing/by-hand").text)
    (form,) = document.all("form")
    assert form["method"] == "post"
    assert form["action"] == "/s/wellbeing/by-hand?lang=en"
    names = {name for field in document.all("input") if (name := field.get("name"))}
    assert names == {"fingerprint", "receipt", "proof", *(f"q-{question.name}" for question in wellbeing.questions)}
    for question in wellbeing.questions:
        fields = [field for field in document.all("input") if field.get("name") == f"q-{question.name}"]
        assert [field["value"] for field in fields] == [str(code) for code in question.codes]
        assert all("checked" not in field and "required" in field for field in fields)
    assert not document.all("script")


def test_a_survey_that_no_device_can_disguise_says_why(client: FlaskClient, store: Store) -> None:
    store.publish(parse_survey(wellbeing_in("en").replace("3/4", "3/7")))
    page = client.get("/s/dutch/by-hand")
    assert "The odds of question 1 cannot be made exactly" in page.text
    assert not Document(page.text).all("form")


def test_a_survey_by_invitation_asks_for_the_code(client: FlaskClient, store: Store) -> None:
    for address in ("/s/wellbeing", "/s/wellbeing/by-hand"):
        assert "invitation" not in {field.get("id") for field in Document(client.get(address).text).all("input")}
    store.invite("wellbeing", 1)
    for address in ("/s/wellbeing", "/s/wellbeing/by-hand"):
        assert "invitation" in {field.get("id") for field in Document(client.get(address).text).all("input")}


def test_the_page_to_exit_to_says_nothing_of_surveys(client: FlaskClient) -> None:
    page = client.get("/exit").text
    assert "urvey" not in page
    assert len(Document(page).all("a")) == 1


def test_scripts_are_served_as_scripts_and_kept_fresh(client: FlaskClient, root: Path) -> None:
    for path in (root / "static").rglob("*.mjs"):
        address = f"/static/{path.relative_to(root / 'static').as_posix()}"
        with client.get(address) as answer:
            assert answer.mimetype == "text/javascript"
            assert answer.headers["Cache-Control"] == "no-cache"
            known = {"If-None-Match": answer.headers["ETag"]}
        with client.get(address, headers=known) as answer:
            assert answer.status_code == 304
    assert client.get("/static/nothing.mjs").status_code == 404


def renamed(survey: Survey, name: str, title: str) -> Survey:
    return replace(survey, name=name, title=Text.of(en=title))


def test_the_form_by_hand_says_what_an_option_belongs_to_and_when_it_does_not_apply(
    client: FlaskClient, store: Store
) -> None:
    store.publish(parse_survey(EVERY_KIND))
    page = html.unescape(client.get("/s/kinds/by-hand?lang=en").text)
    assert "How were you bullied? By hands" in page
    assert "If your answer to question 1 is not Yes, your answer here is: Does not apply." in page
    assert "Prefer not to say" in page
