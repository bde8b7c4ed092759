"""The whole line, once, for real: publish, answer in a browser, disguise, store, mine.

    make demo
    python examples/demo.py 500     # so many simulated respondents, not 4,000

Everything goes through the commands, the HTTP intake and a real browser; only the truth shown beside the estimates is
something that no collector would have.
"""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Request, sync_playwright

from collector.disclosure.privacy import SurveyPrivacy
from collector.survey.survey import Row, Survey
from collector.survey_file.survey_file import read_survey_file
from miner.responses.responses import value_indices
from miner.simulation.simulation import SystemDraws, simulate
from population import draw_answers

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".demo"
COMMANDS = Path(sys.executable).parent
SENDERS = 4
ONE_PERSON = {
    "year": "second",
    "cannabis": "yes",
    "drinking": "weekly",
    "income": 640,
    "debt": "yes",
    "distress": "yes",
}


def main() -> None:
    """Run it all; print as it goes."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    survey = read_survey_file(ROOT / "examples" / "wellbeing.toml")
    respondents = int(sys.argv[1]) if sys.argv[1:] else 4000
    truth = draw_answers(respondents, np.random.default_rng(2026))
    title("1. A researcher publishes a survey")
    run("collector", "publish", "../examples/wellbeing.toml")
    with served() as port:
        title(f"2. {respondents:,} simulated respondents answer: disguised before they are sent")
        send_all(survey, truth, port)
        title("3. One more answers in a real browser")
        sent = answer_in_browser(survey, f"http://127.0.0.1:{port}/s/{survey.name}")
    everybody = pd.concat([truth, pd.DataFrame([ONE_PERSON])], ignore_index=True)
    title("4. The researcher mines what nobody can read")
    show_frequencies(everybody)
    show_tree(everybody)
    title("5. What the collector could learn about the one who answered in the browser")
    show_posteriors(survey, sent)
    print("\nOpen the survey yourself:  make serve   then  http://127.0.0.1:8000/")


def title(text: str) -> None:
    """A heading."""
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}", flush=True)


def run(*command: str, quiet: bool = False) -> str:
    """Run one of our commands as a person would, showing it and what it prints."""
    if not quiet:
        print("$", " ".join(f'"{part}"' if " " in part else part for part in command), flush=True)
    path = COMMANDS / command[0]
    done = subprocess.run(  # noqa: S603 - our own commands
        [path, *command[1:]], cwd=FOLDER, check=False, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}")
    if not quiet:
        print(done.stdout.rstrip())
    return done.stdout


@contextlib.contextmanager
def served() -> Iterator[int]:
    """The port of `respondent serve`, up while the block runs."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [COMMANDS / "respondent", "serve", "--port", str(port), "--per-minute", "1000000"]  # we are 4,000 at once
    with (
        (FOLDER / "server.log").open("w") as log,
        subprocess.Popen(command, cwd=FOLDER, stderr=log, stdout=log) as server,  # noqa: S603 - our own command
    ):
        try:
            wait_until_up(port, server)
            yield port
        finally:
            server.terminate()


def wait_until_up(port: int, server: subprocess.Popen[bytes]) -> None:
    """Return once the port answers."""
    while server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    sys.exit((FOLDER / "server.log").read_text())


def send_all(survey: Survey, truth: pd.DataFrame, port: int) -> None:
    """Send everybody's response through the HTTP intake, a few at a time."""
    responses = list(simulate(survey, value_indices(survey, truth), SystemDraws()).rows)
    parts = [responses[start::SENDERS] for start in range(SENDERS)]
    started = time.perf_counter()
    with ThreadPoolExecutor(SENDERS) as senders:
        stored = sum(senders.map(lambda part: send(survey, part, port), parts))
    seconds = time.perf_counter() - started
    print(f"{stored:,} responses accepted in {seconds:.1f} s, each safely on disk before it was acknowledged")


def send(survey: Survey, responses: list[Row], port: int) -> int:
    """Post these responses one by one; how many were stored."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    names = [question.name for question in survey.questions]
    stored = 0
    for codes in responses:
        body = json.dumps(
            {
                "fingerprint": survey.fingerprint,
                "codes": dict(zip(names, codes, strict=True)),
                "receipt": secrets.token_urlsafe(32),
            }
        )
        connection.request(
            "POST", f"/api/v1/surveys/{survey.name}/responses", body, {"Content-Type": "application/json"}
        )
        answer = connection.getresponse()
        answer.read()
        stored += answer.status == http.HTTPStatus.CREATED
    connection.close()
    return stored


def answer_in_browser(survey: Survey, address: str) -> dict[str, int]:
    """Fill the page in as one person would; the codes that left it."""
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 390, "height": 844})
        posts: list[Request] = []
        page.on("request", lambda request: posts.append(request) if request.method == "POST" else None)
        page.goto(address)
        page.get_by_role("button", name="I agree: start").click()
        for question in survey.questions:
            answer = ONE_PERSON[question.name]
            asked = page.locator(f'[data-question="{question.name}"]')
            if question.kind == "number":
                asked.get_by_role("textbox").fill(str(answer))
            else:
                asked.get_by_role("radio").nth(question.value_index(str(answer))).check()
            page.get_by_role("button", name="Continue").click(no_wait_after=True)
        page.get_by_role("button", name="Send answers").click(no_wait_after=True)
        page.get_by_role("heading", name="Thank you").wait_for()
        page.screenshot(path=FOLDER / "thanks.png")
        browser.close()
    (post,) = posts
    sent: dict[str, int] = json.loads(post.post_data or "")["codes"]
    print("the person answered:  ", ", ".join(f"{name} {answer}" for name, answer in ONE_PERSON.items()))
    print("the browser sent:     ", post.post_data)
    return sent


def show_frequencies(everybody: pd.DataFrame) -> None:
    """Two sensitive frequencies as the collector can estimate them, beside the truth that only we know."""
    facts = {
        "cannabis = yes": everybody["cannabis"] == "yes",
        "distress = yes and debt = yes": (everybody["distress"] == "yes") & (everybody["debt"] == "yes"),
    }
    for condition, holds in facts.items():
        found = json.loads(run("miner", "estimate", "wellbeing", condition, "--json", quiet=True))
        low, high = found["interval"]
        print(f'$ miner estimate wellbeing "{condition}"')
        print(
            f"  estimated {found['estimate']:.3f} (standard error {found['standard_error']:.3f}, 95 % interval "
            f"{low:.3f} to {high:.3f}) from {found['n']:,} disguised responses; in truth {holds.mean():.3f}"
        )


def show_tree(everybody: pd.DataFrame) -> None:
    """The tree, its accuracy as estimated from disguised responses, and as it truly is."""
    train = ("miner", "train", "wellbeing", "--model", "id3", "--seed", "1", "-o", "model.json", "--json")
    accuracy = json.loads(run(*train, quiet=True))["accuracy"]
    print("\n$ miner show model.json")
    print(run("miner", "show", "model.json", quiet=True).partition("\nThe model is computed")[0])
    everybody.drop(columns="distress").to_csv(FOLDER / "answers.csv", index=False)
    predicted = pd.read_csv(io.StringIO(run("miner", "predict", "model.json", "answers.csv", quiet=True)))
    true_accuracy = (predicted["prediction"].to_numpy() == everybody["distress"].to_numpy()).mean()
    low, high = accuracy["interval"]
    print(
        f"disguised-test accuracy {accuracy['estimate']:.3f} (95 % interval {low:.3f} to {high:.3f}), from the third\n"
        f"of the disguised responses that was kept out of training; in truth it is right for {true_accuracy:.3f} of all"
    )


def show_posteriors(survey: Survey, sent: dict[str, int]) -> None:
    """What one response lets a collector believe, who knows the published design and the prior."""
    for part in SurveyPrivacy(survey).questions:
        question = part.question
        if part.group is None:
            print(f"  {question.name:9} sent as it is: the collector knows it")
            continue
        posterior = part.posteriors[sent[question.name]]
        beliefs = ", ".join(
            f"{value} {float(before):.0%} -> {float(after):.0%}"
            for value, before, after in zip(question.values, question.prior, posterior, strict=True)
        )
        print(f"  {question.name:9} {beliefs}")


if __name__ == "__main__":
    main()
