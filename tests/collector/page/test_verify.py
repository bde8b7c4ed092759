"""A page that differs from the installed files in one byte is reported, and so is another design, script or policy."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask
from werkzeug.exceptions import NotFound
from werkzeug.middleware.dispatcher import DispatcherMiddleware
from werkzeug.serving import make_server

from browser_fixtures import Served
from collector.cli import main
from collector.errors import InputError
from collector.page.static_files import disguise_hash, static_files, static_folder
from collector.page.verify import verify_page
from collector.store.store import Store
from collector.survey.study import Study
from collector.survey.survey import Survey
from pictures import survey_with_pictures
from respondent.app import create_app
from respondent.pages.languages import interface

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def stored(tmp_path: Path, wellbeing: Survey) -> Iterator[Store]:
    with Store(tmp_path / "deniable.db", create=True) as store:
        store.publish(wellbeing)
        yield store


@contextmanager
def serving(app: Flask) -> Iterator[str]:
    """The address of the survey's page, on a free port."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}/s/wellbeing"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_the_hash_is_what_one_line_of_shell_prints() -> None:
    line = "cd static/disguise && sha384sum *.mjs | sha384sum"
    assert line in (ROOT / "docs" / "respondent.md").read_text(encoding="utf-8")
    shell = ["bash", "-c", line]
    printed = subprocess.run(shell, cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S603 - our own
    assert printed.split()[0] == disguise_hash(static_files())


def test_the_hash_counts_names_and_every_byte_of_what_disguises_and_nothing_else() -> None:
    files = static_files()
    known = disguise_hash(files)
    assert disguise_hash(files | {"page/survey.mjs": b""}) == known
    for name in (each for each in files if each.startswith("disguise/")):
        assert disguise_hash(files | {name: files[name] + b" "}) != known
    renamed = {name.replace("disguise/coins", "disguise/tosses"): content for name, content in files.items()}
    assert disguise_hash(renamed) != known


def test_the_page_of_this_installation_is_the_same(served: Served, wellbeing: Survey) -> None:
    found = verify_page(served.page(wellbeing))
    assert found.differences == ()
    assert found.files == len(static_files())
    assert found.fingerprint == wellbeing.fingerprint
    result = CliRunner().invoke(main, ["verify-page", served.page(wellbeing)])
    assert result.exit_code == 0
    assert f"SHA-384 of static/disguise: {disguise_hash(static_files())}\n" in result.output
    assert f"fingerprint of the design: {wellbeing.fingerprint}\n" in result.output


@pytest.mark.parametrize("name", ["disguise/coins.mjs", "disguise/request.mjs", "page/survey.mjs", "page/style.css"])
def test_a_page_with_one_byte_changed_is_reported(
    name: str, stored: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = tmp_path / "static"
    shutil.copytree(static_folder(), changed)
    content = (changed / name).read_bytes()
    place = content.index(b"\n", 300) - 1
    (changed / name).write_bytes(content[:place] + b"~" + content[place + 1 :])
    monkeypatch.setattr("respondent.app.static_folder", lambda: changed)
    line = content[:place].count(b"\n") + 1
    with serving(create_app(stored)) as address:
        assert verify_page(address).differences == (f"static/{name}: it differs in line {line}",)
        result = CliRunner().invoke(main, ["verify-page", address, "--json"])
    assert result.exit_code == 1
    assert json.loads(result.output)["same"] is False


def altering(app: Flask, change: Callable[[bytes], bytes], *, header: str | None = None) -> Flask:
    """The app, its survey page changed on the way."""
    kept = app.wsgi_app

    def answer(environ: dict[str, Any], start: Any) -> Iterable[bytes]:  # noqa: ANN401 - WSGI's own
        if environ["PATH_INFO"].startswith("/static/"):
            return kept(environ, start)
        begun: list[Any] = []
        body = change(b"".join(kept(environ, lambda *parts: begun.extend(parts))))
        start(begun[0], [each for each in begun[1] if each[0] not in {"Content-Length", header}])
        return [body]

    app.wsgi_app = answer  # type: ignore[method-assign] # as Flask's documentation has it
    return app


CHANGES = {
    "a script in the page": (b"</main>", b"<script>send()</script></main>", "the page has <script> with no address"),
    "another script": (b"</head>", b"<script src='/static/x.mjs'></script></head>", "the page loads /static/x.mjs"),
    "a handler": (b'<h1 tabindex="-1">', b'<h1 tabindex="-1" onclick="x()">', "the page has <h1 onclick>"),
    "a frame": (b"</main>", b"<iframe src='/'></iframe></main>", "the page has <iframe>"),
    "a script from elsewhere": (
        b'src="/static/page/survey.mjs"',
        b'src="https://x.example/static/page/survey.mjs"',
        "the page loads https://x.example/static/page/survey.mjs",
    ),
    "a weaker coin": (
        b'"truth":[4,5]',
        b'"truth":[1,1]',
        "the design is not the one of the fingerprint that responses name",
    ),
}


@pytest.mark.parametrize("what", sorted(CHANGES))
def test_what_else_a_page_would_run_is_reported(what: str, stored: Store) -> None:
    before, after, line = CHANGES[what]

    def change(body: bytes) -> bytes:
        assert before in body
        return body.replace(before, after, 1)

    with serving(altering(create_app(stored), change)) as address:
        assert verify_page(address).differences == (line,)


def test_a_page_without_its_policy_is_reported(stored: Store) -> None:
    app = altering(create_app(stored), lambda body: body, header="Content-Security-Policy")
    with serving(app) as address:
        found = verify_page(address).differences
        assert any(line.startswith("the policy lacks script-src 'self' 'sha256-") for line in found)
    with serving(altering(create_app(stored), lambda body: body, header="Integrity-Policy")) as address:
        line = "the page comes without Integrity-Policy: blocked-destinations=(script)"
        assert verify_page(address).differences == (line,)


WORDS = {
    "consent": (b"Taking part is your choice", b"Taking part is your duty"),
    "a button": (b"I agree: start", b"I agree: stars"),
    "an attribute": (b'aria-describedby="', b'aria-describedby="x'),
    "what the script says": (b'"next":"Continue"', b'"next":"Continua"'),
    "a link": (b'<a href="/static/disguise/visit.mjs"', b'<a href="/static/disguise/coins.mjs"'),
    "a hidden part": (b'<section id="check" hidden>', b'<section id="check">'),
    "a second design": (b"</main>", b'</main><script type="application/json" id="more">1</script>'),
}


@pytest.mark.parametrize("what", sorted(WORDS))
def test_one_changed_word_is_reported_with_its_place(what: str, stored: Store) -> None:
    before, after = WORDS[what]

    def change(body: bytes) -> bytes:
        assert before in body
        return body.replace(before, after, 1)

    with serving(altering(create_app(stored), change)) as address:
        (line,) = verify_page(address).differences
    assert line.startswith("the page has ")
    assert " where it should have " in line


def test_a_changed_word_is_reported_in_a_language_that_was_not_asked_for(stored: Store, bilingual: Survey) -> None:
    stored.publish(bilingual)
    word = interface("ar").gettext("I agree: start")
    app = altering(create_app(stored), lambda body: body.replace(word.encode(), b"no"))
    with serving(app) as address:
        (line,) = verify_page(f"{address}_two_languages?lang=en").differences
    assert line.startswith("the page has ")


@pytest.mark.parametrize("mark", ["", "test", "preview"])
def test_pages_by_invitation_with_full_quotas_and_marks_are_the_same(
    mark: str, stored: Store, bilingual: Survey
) -> None:
    study = replace(bilingual.study or Study(), quotas=(("year", (("third", 1),)),))
    survey = replace(bilingual, study=study)
    stored.publish(survey)
    stored.invite(survey.name, 1)
    with serving(create_app(stored, mark=mark)) as address:
        assert verify_page(f"{address}_two_languages").differences == ()
        assert verify_page(f"{address}_two_languages?lang=ar").differences == ()


def test_a_page_below_another_address_is_the_same(stored: Store) -> None:
    app = create_app(stored)
    app.wsgi_app = DispatcherMiddleware(NotFound(), {"/below": app.wsgi_app})  # type: ignore[method-assign]
    with serving(app) as address:
        assert verify_page(address.replace("/s/", "/below/s/")).differences == ()


@pytest.mark.parametrize("address", ["file:///etc/hosts", "ftp://x.example/", "/s/wellbeing", "https://", "wellbeing"])
def test_what_is_no_address_of_the_web_is_refused(address: str) -> None:
    with pytest.raises(InputError, match="the text is not a web address"):
        verify_page(address)
    assert CliRunner().invoke(main, ["verify-page", address]).exit_code == 2


def test_what_is_no_page_of_a_survey_is_refused(served: Served) -> None:
    for path, problem in (
        ("/", "the address does not lead to a survey page"),
        ("/s/nothing", "the server answers 404"),
    ):
        with pytest.raises(InputError, match=problem):
            verify_page(served.address + path)
    with pytest.raises(InputError, match="it cannot be fetched"):
        verify_page("http://127.0.0.1:9/s/wellbeing")


def test_another_style_sheet_of_a_survey_is_found(
    served: Served, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = replace(wellbeing, study=Study(accent="#1a6b52", font="serif"))
    served.store.publish(survey)
    assert verify_page(served.page(survey)).differences == ()
    monkeypatch.setattr("respondent.pages.static_files.style_sheet", lambda _: b"main { display: none; }")
    line = "style/1a6b52-serif.css: it differs in line 1"
    assert verify_page(served.page(survey)).differences == (line,)


def test_another_picture_is_found(served: Served, tmp_path: Path) -> None:
    survey = survey_with_pictures(tmp_path / "files")
    served.store.publish(survey)
    assert verify_page(served.page(survey)).differences == ()
    given_out = served.store.picture
    logo = survey.pictures[0].name
    served.store.picture = lambda name: b"another" if name == logo else given_out(name)  # type: ignore[method-assign]
    assert verify_page(served.page(survey)).differences == (f"pictures/{logo}: it is another picture",)
    served.store.picture = lambda name: None if name == logo else given_out(name)  # type: ignore[method-assign]
    assert verify_page(served.page(survey)).differences == (f"pictures/{logo}: the server answers 404",)
