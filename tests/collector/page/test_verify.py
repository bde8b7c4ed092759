"""A site that differs from the one made here in one byte or header is reported, whatever a parser makes of it."""

from __future__ import annotations

import gzip
import json
import shutil
import socket
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
from collector.page.fetch import BROWSER, Answer, fetch
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
    with monkeypatch.context() as patched:
        patched.setattr("respondent.app.static_folder", lambda: changed)
        app = create_app(stored)
    line = content[:place].count(b"\n") + 1
    with serving(app) as address:
        (found,) = (each for each in verify_page(address).differences if each.startswith(f"static/{name}: "))
        assert found.startswith(f"static/{name}: line {line} has ")
        result = CliRunner().invoke(main, ["verify-page", address, "--json"])
    assert result.exit_code == 1
    assert json.loads(result.output)["same"] is False


Headers = list[tuple[str, str]]


def altering(
    app: Flask,
    change: Callable[[bytes], bytes] = lambda body: body,
    headers: Callable[[Headers], Headers] = lambda headers: headers,
    where: Callable[[dict[str, Any]], bool] = lambda environ: (
        environ["PATH_INFO"] == "/s/wellbeing" and "HTTP_SERVICE_WORKER" not in environ
    ),
) -> Flask:
    """The app, some of its answers changed on the way."""
    kept = app.wsgi_app

    def answer(environ: dict[str, Any], start: Any) -> Iterable[bytes]:  # noqa: ANN401 - WSGI's own
        if not where(environ):
            return kept(environ, start)
        begun: list[Any] = []
        body = b"".join(kept(environ | {"HTTP_ACCEPT_ENCODING": ""}, lambda *parts: begun.extend(parts)))  # type: ignore[arg-type, func-returns-value]
        start(begun[0], headers([each for each in begun[1] if each[0] != "Content-Length"]))
        return [change(body)]

    app.wsgi_app = answer  # type: ignore[method-assign, assignment] # as Flask's documentation has it
    return app


def swapping(before: bytes, after: bytes) -> Callable[[bytes], bytes]:
    """A change of the first of these bytes, which must be there."""

    def change(body: bytes) -> bytes:
        assert before in body
        return body.replace(before, after, 1)

    return change


SCRIPT = b"<script type=module src=/static/page/evil.mjs></script>"
WRAPPED = [b"<!-->%s<!-- -->", b"<!-- --!>%s<!-- -->", b"<![CDATA[>%s]]>"]
CHANGES: dict[str, tuple[bytes, bytes]] = {
    "a script in the page": (b"</main>", b"<script>send()</script></main>"),
    "another script": (b"</head>", SCRIPT + b"</head>"),
    **{f"a script in {each.decode()}": (b"</head>", each % SCRIPT + b"</head>") for each in WRAPPED},
    "a second design before the true one": (
        b"<section id=",
        b'<!--><script type="application/json" id="design">{}</script><!-- --><section id=',
    ),
    "a second data": (b"</main>", b'<script type="application/json" id="data">{}</script></main>'),
    "a handler": (b'<h1 tabindex="-1">', b'<h1 tabindex="-1" onclick="x()">'),
    "a frame": (b"</main>", b"<iframe src='/'></iframe></main>"),
    "a script from elsewhere": (b'src="/static/page/survey.mjs"', b'src="https://x.example/page/survey.mjs"'),
    "a weaker coin": (b'"truth":[4,5]', b'"truth":[1,1]'),
    "a comment": (b"</body>", b"<!-- --></body>"),
    "what follows the page": (b"</html>", b"</html>" + SCRIPT),
    "consent": (b"Taking part is your choice", b"Taking part is your duty"),
    "an attribute": (b'aria-describedby="', b'aria-describedby="x'),
    "an attribute twice": (b'<section id="check" hidden>', b'<section id="check" hidden hidden>'),
    "white space": (b"<main id", b"<main  id"),
    "what the script says": (b'"next":"Continue"', b'"next":"Continua"'),
    "a quota that the design lacks": (b'"fingerprint":', b'"full":{"year":["third"]},"fingerprint":'),
}


@pytest.mark.parametrize("what", sorted(CHANGES))
def test_every_change_of_the_page_is_reported_with_its_place(what: str, stored: Store) -> None:
    with serving(altering(create_app(stored), swapping(*CHANGES[what]))) as address:
        (line, *_) = verify_page(address).differences
    assert line.startswith("s/wellbeing and 2 more: line ")
    assert " where it should have " in line


def test_a_page_with_a_design_that_is_none_is_reported(stored: Store) -> None:
    change = swapping(b"</main>", b'<script type="application/json" id="design">{}</script></main>')
    with serving(altering(create_app(stored), change)) as address:
        (line,) = verify_page(address).differences
    assert line.startswith("the design is none ")


OTHERS = {
    "the list of surveys": (
        lambda environ: environ["PATH_INFO"] == "/" and "HTTP_SERVICE_WORKER" not in environ,
        b"</main>",
    ),
    "a survey in the list": (
        lambda environ: environ["PATH_INFO"] == "/" and "HTTP_SERVICE_WORKER" not in environ,
        b"Student wellbeing",
    ),
    "the form by hand": (lambda environ: environ["PATH_INFO"].endswith("/by-hand"), b"</main>"),
    "the start page": (lambda environ: environ["PATH_INFO"] == "/exit", b"</main>"),
    "the page for one browser's language": (
        lambda environ: (
            environ["PATH_INFO"] == "/s/wellbeing"
            and "HTTP_SERVICE_WORKER" not in environ
            and environ["HTTP_ACCEPT_LANGUAGE"].startswith("en,")
        ),
        b"</main>",
    ),
    "the script of a worker": (lambda environ: environ.get("HTTP_SERVICE_WORKER") == "script", b"addEventListener"),
}


@pytest.mark.parametrize("what", sorted(OTHERS))
def test_the_other_pages_of_the_site_are_compared_too(what: str, stored: Store) -> None:
    where, before = OTHERS[what]
    with serving(altering(create_app(stored), swapping(before, SCRIPT + before), where=where)) as address:
        assert verify_page(address).differences


def test_the_list_may_have_other_surveys_but_no_other_tag(stored: Store, bilingual: Survey) -> None:
    stored.publish(bilingual)
    before = b'<a href="/s/wellbeing_two_languages" lang="en">'

    def is_list(environ: dict[str, Any]) -> bool:
        return environ["PATH_INFO"] == "/" and "HTTP_SERVICE_WORKER" not in environ

    def listing(after: bytes) -> Flask:
        return altering(create_app(stored), swapping(before, after), where=is_list)

    with serving(listing(before)) as address:
        assert verify_page(address).differences == ()
    for after in (b'<a href="//x/s" lang="en">', b'<a href="/s/a" lang="en" autofocus onfocus="x()">', before + b"<b>"):
        with serving(listing(after)) as address:
            assert verify_page(address).differences


def without(name: str) -> Callable[[Headers], Headers]:
    """Headers without one."""
    return lambda headers: [each for each in headers if each[0] != name]


def with_first(name: str, value: str) -> Callable[[Headers], Headers]:
    """Headers with one more, which comes first."""
    return lambda headers: [(name, value), *headers]


def with_other(name: str, before: str, after: str) -> Callable[[Headers], Headers]:
    """Headers of which one says something else."""
    return lambda headers: [(each, value.replace(before, after) if each == name else value) for each, value in headers]


WEAKER = {
    "no policy": without("Content-Security-Policy"),
    "no integrity policy": without("Integrity-Policy"),
    "no opener policy": without("Cross-Origin-Opener-Policy"),
    "a second policy": with_first("Content-Security-Policy", "default-src *"),
    "a looser policy": with_other("Content-Security-Policy", "'self' 'sha256", "'self' 'unsafe-inline' 'sha256"),
    "a policy that lets workers in": with_other("Content-Security-Policy", " worker-src 'none';", ""),
    "a refresh": with_first("Refresh", "0; url=/other"),
    "a link": with_first("Link", "</static/page/evil.mjs>; rel=modulepreload"),
    "another charset": with_other("Content-Type", "utf-8", "utf-7"),
    "a cookie": with_first("Set-Cookie", "who=1"),
    "another host for the same address": with_first("Alt-Svc", 'h3="x.example:443"'),
    "a page that browsers keep": with_other("Cache-Control", "no-store", "max-age=31536000"),
}


@pytest.mark.parametrize("what", sorted(WEAKER))
def test_every_header_that_matters_is_compared(what: str, stored: Store) -> None:
    with serving(altering(create_app(stored), headers=WEAKER[what])) as address:
        found = verify_page(address).differences
    assert found
    assert all(line.startswith("s/wellbeing and 2 more: ") for line in found)


def test_the_headers_of_a_proxy_change_nothing(stored: Store) -> None:
    proxy = [
        ("Via", "1.1 Caddy"),
        ("Via", "1.1 varnish"),
        ("Alt-Svc", 'h3=":443"; ma=2592000'),
        ("Keep-Alive", "max=9"),
    ]
    app = altering(create_app(stored), headers=lambda headers: [*proxy, *headers], where=lambda _: True)
    with serving(app) as address:
        assert verify_page(address).differences == ()


def test_it_asks_as_a_browser_does(stored: Store) -> None:
    asked: list[dict[str, Any]] = []
    app = altering(create_app(stored), where=lambda environ: bool(asked.append(environ)))  # type: ignore[func-returns-value]
    with serving(app) as address:
        verify_page(address)
    assert all("Firefox/" in each["HTTP_USER_AGENT"] for each in asked)
    assert not any("ython" in str(value) for each in asked for name, value in each.items() if name.startswith("HTTP_"))
    assert {each["HTTP_CONNECTION"] for each in asked} == {"keep-alive"}
    destinations = {"document", "script", "style", "image", "serviceworker"}
    assert {each["HTTP_SEC_FETCH_DEST"] for each in asked} == destinations


HONEST = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi"
HEADS = {
    "a folded line": HONEST.replace(b"text", b"\r\n text"),
    "a lone carriage return": HONEST.replace(b"text/html", b"x\rLink: y"),
    "a line that is no header": HONEST.replace(b"Content-Type", b"what is this\r\nContent-Type"),
    "a space before the colon": HONEST.replace(b"Type:", b"Type :"),
    "a null": HONEST.replace(b"text", b"te\0xt"),
    "lines that end with a line feed": HONEST.replace(b"\r\n", b"\n"),
    "two lengths": HONEST.replace(b"Content-Type: text/html", b"Content-Length: 5"),
    "chunks and a length": HONEST.replace(b"Content-Type: text/html", b"Transfer-Encoding: chunked"),
    "chunks before HTTP/1.1": b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;<script>\r\nhi\r\n0\r\n\r\n",
    "an answer before the answer": b"HTTP/1.1 103 Early Hints\r\nLink: </x.mjs>; rel=preload\r\n\r\n" + HONEST,
    "two compressed files": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + 2 * gzip.compress(b"hi"),
    "damaged compression": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nhi",
}


def answered(written: bytes) -> Answer:
    """What is read of these bytes."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with listener.accept()[0] as caller:
                caller.recv(65_536)
                caller.sendall(written)

        thread = Thread(target=serve)
        thread.start()
        try:
            return fetch(f"http://127.0.0.1:{listener.getsockname()[1]}/", BROWSER)
        finally:
            thread.join()


def test_a_well_formed_answer_is_read() -> None:
    assert answered(HONEST) == Answer(200, (("Content-Type", "text/html"), ("Content-Length", "2")), b"hi")


@pytest.mark.parametrize("what", sorted(HEADS))
def test_what_browsers_may_read_in_another_way_is_refused(what: str) -> None:
    with pytest.raises(InputError):
        answered(HEADS[what])


def test_a_changed_word_is_reported_in_a_language_that_was_not_asked_for(stored: Store, bilingual: Survey) -> None:
    stored.publish(bilingual)
    word = interface("ar").gettext("I agree: start")
    app = altering(create_app(stored), lambda body: body.replace(word.encode(), b"no"), where=lambda _: True)
    with serving(app) as address:
        (line,) = verify_page(f"{address}_two_languages?lang=en").differences
    assert line.startswith("s/wellbeing_two_languages and 1 more: line ")


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
    with pytest.raises(InputError, match="not a web address"):
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


def test_another_style_sheet_of_a_survey_is_found(served: Served, wellbeing: Survey) -> None:
    survey = replace(wellbeing, study=Study(accent="#1a6b52", font="serif"))
    served.store.publish(survey)
    assert verify_page(served.page(survey)).differences == ()
    app = altering(
        create_app(served.store),
        lambda _: b"main { display: none; }",
        where=lambda environ: environ["PATH_INFO"].startswith("/style/"),
    )
    with serving(app) as address:
        (line,) = verify_page(address).differences
    assert line.startswith("style/1a6b52-serif.css: line 1 has ")


def test_another_picture_is_found(served: Served, tmp_path: Path) -> None:
    survey = survey_with_pictures(tmp_path / "files")
    served.store.publish(survey)
    assert verify_page(served.page(survey)).differences == ()
    given_out = served.store.picture
    logo = survey.pictures[0].name
    for other in (b"another", None):
        served.store.picture = lambda name, other=other: other if name == logo else given_out(name)  # type: ignore[method-assign, misc]
        (line, *_) = verify_page(served.page(survey)).differences
        assert line.startswith(f"pictures/{logo}: ")
