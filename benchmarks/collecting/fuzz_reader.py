"""The reader of bodies, driven by atheris.

    python -m benchmarks.collecting.fuzz_reader FOLDER -runs=N        # as libFuzzer takes it

Whatever the bytes, it gives a response or one of its own few messages, which never depend on what was sent. The seeds
are a good response, a good wish to take one back, and a response by invitation; what comes of them by mutation is kept
in the folder where it takes a branch that nothing took before.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.collecting.survival import SURVEY
from collector.errors import ResponseError

RECEIPT = "A" * 43
CODES = {question.name: question.codes[0] for question in SURVEY.questions}
WISH: dict[str, Any] = {"fingerprint": SURVEY.fingerprint, "receipt": RECEIPT}
GOOD = WISH | {"codes": CODES}
SEEDS = [GOOD, WISH, GOOD | {"invitation": "7ZQ4K-0B1CD-EFGHJ-KMNPQ-RSTVWX"}]
WRONG: list[str] = [
    "",
    "[]",
    '{"a": 1, "a": 2}',
    "[1.5]",
    *(json.dumps(GOOD | wrong) for wrong in ({"codes": 1}, {"invitation": 1}, {"fingerprint": 1}, {"receipt": 1})),
    json.dumps(GOOD | {"codes": CODES | {"hope": 1}}),
    *(json.dumps(GOOD | {"codes": CODES | {name: -1}}) for name in CODES),
]


def messages(body: bytes) -> Iterator[str]:
    """What the reader, and the survey after it, say against a body."""
    reader = import_module("respondent.intake.body")
    try:
        SURVEY.checked_codes(reader.read_response(body).codes)
    except ResponseError as error:
        yield str(error)
    try:
        reader.read_withdrawal(body)
    except ResponseError as error:
        yield str(error)


def main() -> None:
    """Run until libFuzzer has had enough; it ends the process itself."""
    atheris = import_module("atheris")
    with atheris.instrument_imports(include=["respondent.intake.body", "json.decoder", "base64"]):
        import_module("respondent.intake.body")
    ours = {message for body in WRONG for message in messages(body.encode())}

    def judge(body: bytes) -> None:
        for message in messages(body):
            if message not in ours:
                raise AssertionError(f"it says something else: {message}")

    for folder in sys.argv[1:]:
        with suppress(OSError):  # an option of libFuzzer's, and no folder
            for number, seed in enumerate(SEEDS):
                Path(folder, f"seed-{number}").write_text(json.dumps(seed), encoding="utf-8")
    atheris.Setup(sys.argv, judge)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
