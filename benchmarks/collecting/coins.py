"""The coins of the shipped script, audited: do they protect as the design says?

    python -m benchmarks.collecting.coins [--quick] [--only WORD] [--json]

A real browser makes 1,000,000 responses with the modules that respondents get and its own secure randomness, the draw
of the questions included, half of them of one person's answers and half of another's. For each event on what is sent,
the share of it among the ones is bounded from below and among the others from above (Clopper and Pearson 1934). The
logarithm of their ratio is an epsilon that the coins exceed for all but certain, and must not be above the design's
(Jagielski, Ullman and Oprea 2020, section 3).

The events are the single responses. Where two answers have one code there may be thousands, each too rare to tell much.
There the events are also those of the responses that stand for one person's combination and not for the other's, for
both, or for neither; of each draw of two questions, and of all draws. Of such an event too the ratio is bounded by the
design's, and the first reaches it exactly.
"""

from __future__ import annotations

import math
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import click
from playwright.sync_api import Page, sync_playwright
from scipy.stats import beta  # type: ignore[import-untyped] # scipy brings no types

from benchmarks.collecting.coin_designs import DESIGNS, design_epsilon, survey_of
from benchmarks.record import record
from benchmarks.results import ROOT
from collector.commands.command import print_json, print_table

STATIC = ROOT / "static"
CHANCE_OF_FAILING = 1e-6  # of an audit as a whole, if the coins are what they should be
TOSS = """async ([survey, answers, times]) => {
  const load = (name) => import(`/static/${name}.mjs`);
  const [coding, disguise, sampling] = await Promise.all(
    ["disguise/coding", "disguise/disguise", "disguise/sampling"].map(load),
  );
  const drawn = new Uint32Array(16384); // at once: one call for each word would take most of the time
  let left = 0;
  const words = () => {
    if (left === 0) left = crypto.getRandomValues(drawn).length;
    return drawn[--left];
  };
  const respond = (part) => disguise.disguise(part, coding.codeAnswers(part, answers, words), words);
  const counts = {};
  for (let time = 0; time < times; time += 1) {
    const part = sampling.partOf(survey, sampling.drawQuestions(survey, words));
    const key = Object.values(sampling.whole(survey, respond(part))).join(" ");
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}"""


@dataclass(frozen=True)
class Audit:
    """What was found of one channel.

    Attributes:
        name: Name of the design.
        coins: How many were tossed.
        epsilon: Epsilon of the design.
        lower: Bound from below of the coins' own epsilon.
        estimate: The log ratio as it was seen, of the event that the bound is of; never seen counts as once.
    """

    name: str
    coins: int
    epsilon: float
    lower: float
    estimate: float

    @property
    def holds(self) -> bool:
        """Whether the coins protect as the design says."""
        return self.lower <= self.epsilon


class _Quiet(SimpleHTTPRequestHandler):
    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript"}  # noqa: RUF012 - as its base has it

    def log_message(self, *details: object) -> None:
        """Say nothing."""


@contextmanager
def browser_page() -> Iterator[Page]:
    """A page of a real browser on a site that serves the shipped modules."""
    handler = partial(_Quiet, directory=str(STATIC.parent))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{server.server_address[1]}/static/page/icon.svg")
            yield page
            browser.close()
    finally:
        server.shutdown()
        server.server_close()


def audit(name: str, page: Page, coins: int) -> Audit:
    """Toss so many coins for a design and bound what they reveal."""
    survey = survey_of(name)
    first = {question.name: question.values[0] for question in survey.questions}
    last = {question.name: question.values[-1] for question in survey.questions}
    times = coins // 2
    sent = (page.evaluate(TOSS, [survey.design, answers, times]) for answers in (first, last))
    one, other = (Counter(each) for each in sent)
    pairs = [(a[event], b[event]) for a, b in ((one, other), (other, one)) for event in sorted(one | other)]
    chance = CHANCE_OF_FAILING / (2 * len(pairs))
    lower, high, low = max((lower_log_ratio(*each, times, chance), *each) for each in pairs)
    return Audit(name, coins, design_epsilon(survey), lower, math.log(high / max(low, 1)))


def lower_log_ratio(high: int, low: int, times: int, chance: float) -> float:
    """A bound that the logarithm of a ratio of two chances is below with twice this chance at most."""
    least = beta.ppf(chance, high, times - high + 1) if high else 0.0
    most = beta.ppf(1 - chance, low + 1, times - low) if low < times else 1.0
    return math.log(least / most) if least > 0 else -math.inf


@click.command()
@click.option("--quick", is_flag=True, help="300,000 coins for each design instead of 1,000,000.")
@click.option("--only", default="", help="Designs in whose name this is.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def main(*, quick: bool, only: str, as_json: bool) -> None:
    """Audit designs, print, and exit with 1 if one is broken."""
    with browser_page() as page:
        found = [audit(name, page, 300_000 if quick else 1_000_000) for name in DESIGNS if only in name]
    if as_json:
        command = f"python -m benchmarks.collecting.coins{' --quick' * quick}{f' --only {only}' * bool(only)}"
        print_json(record(command, audits=[asdict(each) | {"holds": each.holds} for each in found]))
    else:
        columns = ("design", "coins", "epsilon", "lower bound", "seen")
        rows = [
            (each.name, f"{each.coins}", f"{each.epsilon:.4f}", f"{each.lower:.4f}", f"{each.estimate:.4f}")
            for each in found
        ]
        print_table(columns, rows)
    sys.exit(not all(each.holds for each in found))


if __name__ == "__main__":
    main()
