"""Whoever sends slowly, or not at all, does not keep others waiting for long: seen on a real server."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from threading import Event, Thread
from time import monotonic
from urllib.parse import urlencode

import pytest

from benchmarks.collecting.serving import Running, running
from benchmarks.collecting.traffic import body, request, shout
from collector.store.store import Store
from collector.survey.survey import Survey
from respondent.intake.chunks import MOST_CHUNKS
from respondent.intake.patience import ANSWERING, CROWDED, HANGING_UP, SENDING, Patience, hang_up
from respondent.server import THREADS, WORKERS
from store_rows import ROW

ENOUGH = 2 * THREADS * WORKERS  # senders, for every thread of every worker, however they are dealt out
PATH = "/api/v1/surveys/wellbeing/responses"
HEAD = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".encode()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, wellbeing: Survey) -> Iterator[Running]:
    """A server of its own."""
    path = tmp_path_factory.mktemp("patience") / "deniable.db"
    with Store(path, create=True) as store:
        store.publish(wellbeing)
    with running(path) as server:
        yield server


@pytest.fixture
def crowd(served: Running) -> Iterator[list[socket.socket]]:
    """As many connections as would take every thread."""
    with ExitStack() as stack:
        yield [stack.enter_context(socket.create_connection(("127.0.0.1", served.port), 30)) for _ in range(ENOUGH)]


def store(served: Running, survey: Survey, number: int) -> None:
    """Send a good response, which must be stored, however busy this machine is."""
    with socket.create_connection(("127.0.0.1", served.port), 60) as connection:
        connection.sendall(request(PATH, body(survey, ROW, number.to_bytes(32, "big"))))
        assert connection.recv(100).startswith(b"HTTP/1.1 201 ")


@pytest.mark.parametrize("part", ["headers", "body"])
def test_a_crowd_that_sends_a_byte_now_and_then_does_not_stop_the_server(
    part: str, served: Running, crowd: list[socket.socket], wellbeing: Survey
) -> None:
    enough = Event()

    def drip() -> None:
        while not enough.wait(0.5):
            for each in crowd:
                try:
                    each.send(b"a")
                except OSError:
                    continue

    for each in crowd:
        each.sendall(HEAD + (b"X-Slow: " if part == "headers" else b"Content-Length: 5000\r\n\r\n{"))
    dripping = Thread(target=drip)
    dripping.start()
    try:
        store(served, wellbeing, 1 if part == "headers" else 2)
    finally:
        enough.set()
        dripping.join()


def test_a_crowd_that_sends_nothing_does_not_keep_anybody_waiting(
    served: Running, crowd: list[socket.socket], wellbeing: Survey
) -> None:
    assert len(crowd) == ENOUGH
    store(served, wellbeing, 3)
    for each in crowd:
        each.settimeout(0)
        with pytest.raises(BlockingIOError):
            each.recv(1)  # nobody had to be given up for it


def test_a_crowd_that_does_not_hang_up_does_not_keep_anybody_waiting_for_long(
    served: Running, crowd: list[socket.socket], wellbeing: Survey
) -> None:
    for each in crowd:
        each.sendall(b"GET /exit HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    for each in crowd:
        assert each.recv(100).startswith(b"HTTP/1.1 200 ")
    store(served, wellbeing, 4)


def test_what_does_not_come_whole_is_answered_such_that_the_page_sends_it_again(served: Running) -> None:
    answer = shout(served.port, HEAD + b"Content-Length: 5000\r\n\r\n{")
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b'"reason":"incomplete"' in answer


CHUNKS = b"5\r\nheron\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    ("path", "kind"),
    [(PATH, "application/json"), ("/s/wellbeing/by-hand", "application/x-www-form-urlencoded")],
    ids=["script", "by hand"],
)
def test_what_comes_in_chunks_and_breaks_off_anywhere_is_answered_likewise(
    path: str, kind: str, served: Running
) -> None:
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n"
    for length in range(len(CHUNKS)):
        answer = shout(served.port, head.encode() + CHUNKS[:length])
        assert answer.startswith(b"HTTP/1.1 408 "), CHUNKS[:length]
    whole = shout(served.port, head.encode() + CHUNKS)
    assert whole.startswith(b"HTTP/1.1 400 "), "it is no response"


def in_chunks(content: bytes, chunks: int) -> bytes:
    """The same content in a number of chunks, of which all but the last have one byte."""
    cut = [content[place : place + 1] for place in range(chunks - 1)] + [content[chunks - 1 :]]
    return b"".join(b"%x\r\n%s\r\n" % (len(each), each) for each in cut) + b"0\r\n\r\n"


@pytest.mark.parametrize(("more", "status"), [(-1, b"201"), (0, b"400")])
def test_a_response_comes_in_so_many_chunks_and_no_more(
    more: int, status: bytes, served: Running, wellbeing: Survey
) -> None:
    content = body(wellbeing, ROW, secrets.token_bytes(32)).ljust(
        MOST_CHUNKS + 100
    )  # whose last, empty chunk counts, too
    head = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    answer = shout(served.port, head + in_chunks(content, MOST_CHUNKS + more))
    assert answer.startswith(b"HTTP/1.1 " + status)
    assert (b"more than" in answer) == (status == b"400")


def test_chunks_that_nobody_asked_for_are_not_read_to_their_end(served: Running) -> None:
    asked = b"GET /s/wellbeing HTTP/1.1\r\nHost: localhost\r\n"
    page = asked + b"Transfer-Encoding: chunked\r\n\r\n" + in_chunks(b" " * 40_000, 40_000)
    with socket.create_connection(("127.0.0.1", served.port), 30) as connection:
        with suppress(OSError):
            connection.sendall(page + asked + b"\r\n")
        answers = b""
        with suppress(OSError):
            while more := connection.recv(2**16):
                answers += more
    assert answers.startswith(b"HTTP/1.1 200 ")
    assert answers.count(b"HTTP/1.1 200 ") == 1, "what follows the chunks is not answered"


def test_a_form_that_lost_its_last_digit_is_not_stored_with_another_code(served: Running, wellbeing: Survey) -> None:
    fields = {"fingerprint": wellbeing.fingerprint, "receipt": "A" * 43}
    form = urlencode(fields | {f"q-{each.name}": 1 for each in wellbeing.questions}).encode()
    head = f"POST /s/wellbeing/by-hand HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(form) + 1}\r\n".encode()
    answer = shout(served.port, head + b"Content-Type: application/x-www-form-urlencoded\r\n\r\n" + form)
    assert answer.startswith(b"HTTP/1.1 408 ")


@pytest.fixture
def both() -> Iterator[tuple[socket.socket, socket.socket]]:
    """The server's end of a connection, and the caller's."""
    ends = socket.socketpair()
    for each in ends:
        each.settimeout(5)
    yield ends
    for each in ends:
        each.close()


def test_a_request_is_received_and_then_answered_for_so_long_and_no_longer(
    both: tuple[socket.socket, socket.socket],
) -> None:
    ours, theirs = both
    patience = Patience(2)
    patience.begin(ours)
    begun = monotonic()
    patience.look(begun + SENDING - 1)
    theirs.sendall(b"a")
    assert ours.recv(10) == b"a"
    patience.look(begun + SENDING + 1)
    assert ours.recv(10) == b"", "as if the caller had stopped"
    ours.sendall(b"408")
    assert theirs.recv(10) == b"408", "who is told so"
    patience.look(begun + ANSWERING + 1)
    with pytest.raises(BrokenPipeError):
        ours.sendall(b"more")


def test_where_threads_are_scarce_a_request_is_received_for_a_shorter_time(
    both: tuple[socket.socket, socket.socket],
) -> None:
    ours, theirs = both
    patience = Patience(2)
    patience.begin(ours)
    patience.begin(theirs)
    patience.look(monotonic() + CROWDED + 1)
    assert ours.recv(10) == b""


def test_a_connection_whose_request_is_done_is_left_alone(both: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = both
    patience = Patience(1)
    patience.begin(ours)
    patience.end(ours)
    patience.look(monotonic() + 2 * ANSWERING)
    theirs.sendall(b"a")
    assert ours.recv(10) == b"a"


def test_who_hangs_up_waits_for_the_caller_but_not_for_long(both: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = both
    theirs.sendall(b"still sending")
    begun = monotonic()
    hang_up(ours)
    assert monotonic() - begun >= HANGING_UP
    assert theirs.recv(10) == b"", "it knows that nothing more comes"
