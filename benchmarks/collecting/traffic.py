"""Many respondents at once: raw HTTP/1.1 over kept connections, with little work of its own."""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter

from collector.survey.survey import Survey

HEAD_END = b"\r\n\r\n"
WAIT = 30  # seconds
LOST = 0  # the status of a request that was never answered


@dataclass(frozen=True)
class Answer:
    """What came back.

    Attributes:
        number: Number of the request, from 0.
        status: HTTP status; 0 if the connection broke before an answer was there.
        seconds: From sending to the whole answer.
    """

    number: int
    status: int
    seconds: float


def request(path: str, body: bytes, method: str = "POST") -> bytes:
    """One request with a JSON body, as bytes."""
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def body(survey: Survey, codes: Sequence[int], receipt: bytes) -> bytes:
    """A response as the page sends it."""
    named = {question.name: code for question, code in zip(survey.questions, codes, strict=True)}
    text = urlsafe_b64encode(receipt).decode().rstrip("=")
    return json.dumps({"fingerprint": survey.fingerprint, "codes": named, "receipt": text}).encode()


def any_codes(survey: Survey) -> tuple[int, ...]:
    """Codes that fit, at random."""
    return tuple(secrets.choice(question.codes) for question in survey.questions)


def send(port: int, requests: Sequence[bytes], connections: int) -> list[Answer]:
    """Send every request over so many connections, each as soon as the last on its connection was answered."""
    with ThreadPoolExecutor(1) as thread:  # the caller's own may run a loop already
        return thread.submit(asyncio.run, _send(port, requests, connections)).result()


def shout(port: int, sent: bytes) -> bytes:
    """Whatever is answered to these bytes on a connection of their own, until it is closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT) as connection, suppress(ConnectionError):
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while part := connection.recv(65536):
            answer += part
        return answer
    return b""


async def _send(port: int, requests: Sequence[bytes], connections: int) -> list[Answer]:
    numbers = iter(range(len(requests)))
    parts = await asyncio.gather(*(_one_connection(port, requests, numbers) for _ in range(connections)))
    return [answer for part in parts for answer in part]


async def _one_connection(port: int, requests: Sequence[bytes], numbers: Iterator[int]) -> list[Answer]:
    answers: list[Answer] = []
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    for number in numbers:
        started = perf_counter()
        try:
            streams = streams or await asyncio.open_connection("127.0.0.1", port)
            status = await _ask(*streams, requests[number])
        except (OSError, asyncio.IncompleteReadError):
            status = LOST
        if status == LOST and streams:
            streams[1].close()
            streams = None
        answers.append(Answer(number, status, perf_counter() - started))
    if streams:
        streams[1].close()
        with suppress(OSError):
            await streams[1].wait_closed()
    return answers


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sent: bytes) -> int:
    writer.write(sent)
    head = await reader.readuntil(HEAD_END)
    lowered = head.lower()
    place = lowered.find(b"content-length:")
    if place >= 0:
        await reader.readexactly(int(lowered[place + 15 : lowered.index(b"\r\n", place)]))
    return int(head[9:12])
