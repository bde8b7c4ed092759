"""The coins of the shipped script, audited: do they protect as the design says?

    python -m benchmarks.collecting.coins [--quick] [--only WORD] [--json]

A real browser makes 1,000,000 responses with the modules that respondents get and its own secure randomness, the draw
of the questions included, half of them of one person's answers and half of another's. For each response that may be
sent, the share of it among the ones is bounded from below and among the others from above (Clopper and Pearson 1934).
The logarithm of their ratio is an epsilon that the coins exceed for all but certain, and must not be above the design's
(Jagielski, Ullman and Oprea 2020, section 3).
"""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from threading import Thread

import click
from playwright.sync_api import Page, sync_playwright
from scipy.stats import beta  # type: ignore[import-untyped] # scipy brings no types

from benchmarks.record import record
from benchmarks.results import ROOT
from collector.channel import Codes, states
from collector.coding import Coding
from collector.command import print_json, print_table
from collector.group import Group
from collector.survey import Survey
from collector.survey_file import parse_survey

STATIC = ROOT / "static"
CHANCE_OF_FAILING = 1e-6  # of an audit as a whole, if the coins are what they should be
ONE_QUESTION = "[{ name = 'a', label = 'A', kind = 'yes_no', group = 'g' }]"
THREE_VALUES = "[{ name = 'a', label = 'A', kind = 'choice', values = ['x', 'y', 'z'], group = 'g' }]"
FORCED = "[{ name = 'a', label = 'A', kind = 'yes_no', group = 'g', replacement = { yes = '3/4', no = '1/4' } }]"
SEVEN_VALUES = """[{ name = 'a', label = 'A', kind = 'choice', group = 'g', coding = 'projective-2', \
values = ['t', 'u', 'v', 'w', 'x', 'y', 'z'] }]"""
FOUR_VALUES = """[{ name = 'a', label = 'A', kind = 'choice', group = 'g', coding = 'subsets-2', \
values = ['w', 'x', 'y', 'z'] }]"""
TWO_QUESTIONS = """[
  { name = "a", label = "A", kind = "choice", values = ["x", "y", "z"], group = "g" },
  { name = "b", label = "B", kind = "yes_no", group = "g" },
]"""
FOUR_QUESTIONS = """[
  { name = "a", label = "A", kind = "choice", values = ["x", "y", "z"], group = "g" },
  { name = "b", label = "B", kind = "yes_no", group = "g" },
  { name = "c", label = "C", kind = "yes_no", group = "g" },
  { name = "d", label = "D", kind = "yes_no", group = "h" },
]"""
FIVE_QUESTIONS = """[
  { name = "a", label = "A", kind = "choice", values = ["x", "y", "z"], group = "g" },
  { name = "b", label = "B", kind = "yes_no", group = "g" },
  { name = "c", label = "C", kind = "yes_no", group = "g" },
  { name = "d", label = "D", kind = "yes_no", group = "g" },
  { name = "e", label = "E", kind = "choice", values = ["v", "w", "x", "y"], group = "g" },
]"""
ODD_QUESTIONS = """[
  { name = "a", label = "A", kind = "choice", values = ["w", "x", "y", "z"], group = "f", coding = "subsets-2" },
  { name = "b", label = "B", kind = "yes_no", group = "g", replacement = { yes = "2/3", no = "1/3" } },
  { name = "c", label = "C", kind = "yes_no", group = "h" },
]"""
SHARED_CODES = """[
  { name = "a", label = "A", kind = "choice", group = "g", coding = "cyclotomic-5-2", \
values = ["v", "w", "x", "y", "z"] },
  { name = "b", label = "B", kind = "yes_no", group = "g" },
  { name = "c", label = "C", kind = "yes_no", group = "g" },
]"""
PLANNED_QUESTIONS = FIVE_QUESTIONS.replace(', group = "g"', "")
COMPLEMENT, UNIFORM = (
    "groups = {{ g = {{ truth = '{}' }} }}",
    "groups = {{ g = {{ truth = '{}', channel = 'uniform' }} }}",
)
SPLIT = """groups = { g = { odds = "7/2" }, h = { truth = "3/5" } }
sampling = { ask = 3, always = ["d"] }"""
ONE_COIN = """groups = { g = { epsilon = "3/2" } }
sampling = { ask = 2 }"""
SHARED_SPLIT = """groups = { g = { odds = "9" } }
sampling = { ask = 2 }"""
ODD_SPLIT = """groups.f = { truth = "1/2", channel = "uniform" }
groups.g = { truth = "2/5", channel = "uniform" }
groups.h = { truth = "4/5" }
sampling = { ask = 2 }"""
PLANNED = """privacy = { epsilon = 3 }
sampling = { ask = 3, always = ["b"] }"""
PLANNED_OWN = """privacy = { epsilon = 3, coins = "own" }
sampling = { ask = 3, always = ["b"] }"""
DESIGNS = {
    "complement, one question, 3/4": (ONE_QUESTION, COMPLEMENT.format("3/4")),
    "complement, one question, 1/5": (ONE_QUESTION, COMPLEMENT.format("1/5")),
    "uniform, one question of two, 1/3": (ONE_QUESTION, UNIFORM.format("1/3")),
    "uniform, one question of three, 2/3": (THREE_VALUES, UNIFORM.format("2/3")),
    "uniform, two questions, 3/5": (TWO_QUESTIONS, UNIFORM.format("3/5")),
    "forced response, three to one, 1/2": (FORCED, UNIFORM.format("1/2")),
    "projective-2, seven values, 1/2": (SEVEN_VALUES, UNIFORM.format("1/2")),
    "subsets-2, four values, 3/5": (FOUR_VALUES, UNIFORM.format("3/5")),
    "uniform, three questions, codes shared by values, 3/5": (SHARED_CODES, UNIFORM.format("3/5")),
    "split, two of three asked, codes shared by values, odds 9": (SHARED_CODES, SHARED_SPLIT),
    "split, three of four asked, odds 7/2": (FOUR_QUESTIONS, SPLIT),
    "split, two of five asked, one coin of epsilon 3/2": (FIVE_QUESTIONS, ONE_COIN),
    "split, two of three asked, subsets, forced, complement": (ODD_QUESTIONS, ODD_SPLIT),
    "split, three of five asked, planned for epsilon 3": (PLANNED_QUESTIONS, PLANNED),
    "split, three of five asked, own coins for epsilon 3": (PLANNED_QUESTIONS, PLANNED_OWN),
}
"""Questions and groups of each."""
TOSS = """async ([design, answers, times]) => {
  const [designs, coding, disguise, sampling] = await Promise.all(
    ["design", "coding", "disguise", "sampling"].map((name) => import(`/static/${name}.mjs`)),
  );
  const survey = designs.readDesign(design);
  const words = () => crypto.getRandomValues(new Uint32Array(1))[0];
  const counts = {};
  for (let time = 0; time < times; time += 1) {
    const part = sampling.partOf(survey, sampling.drawQuestions(survey, words));
    const sent = disguise.disguise(part, coding.codeAnswers(part, answers, words), words);
    const key = Object.values(sampling.whole(survey, sent)).join(" ");
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}"""


@dataclass(frozen=True)
class Audit:
    """What was found of one channel.

    Attributes:
        name: Of the design.
        coins: How many were tossed.
        epsilon: Of the design.
        lower: Bound from below of the coins' own epsilon.
        estimate: Their largest log ratio as it was seen.
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
            page.goto(f"http://127.0.0.1:{server.server_address[1]}/static/icon.svg")
            yield page
            browser.close()
    finally:
        server.shutdown()
        server.server_close()


def survey_of(questions: str, groups: str) -> Survey:
    """A survey of these questions and groups."""
    return parse_survey(f'name = "coins"\ntitle = "Coins"\nlanguages = ["en"]\nquestions = {questions}\n{groups}\n')


def design_epsilon(survey: Survey) -> float:
    """The largest log ratio of two chances of one response, over all pairs of answers and all draws of questions."""
    names = [question.name for question in survey.questions]
    draws = [tuple(names)] if survey.sampling is None else survey.sampling.draws(names)
    return max(sum(_group_epsilon(survey, group, asked) for group in survey.groups) for asked in draws)


def _group_epsilon(survey: Survey, group: Group, asked: Collection[str]) -> float:
    """By enumeration of all values and all codes of a group's questions that are asked."""
    members = [question for question in survey.members(group) if question.name in asked]
    if not members:
        return 0.0
    codings = [question.coding for question in members]
    sent = dict(zip(states(codings), survey.channel_at(group, asked).transition(codings), strict=True))
    rows = [_sent_for(values, codings, sent) for values in product(*(range(len(each.draws)) for each in codings))]
    return max(math.log(one / other) for column in zip(*rows, strict=True) for one, other in product(column, repeat=2))


def _sent_for(
    values: Sequence[int], codings: Sequence[Coding], sent: Mapping[Codes, Sequence[Fraction]]
) -> list[Fraction]:
    """The chance of each state being sent, over the draws of the codes of these values and the coin."""
    draws = product(*(coding.draw_probabilities(value).items() for coding, value in zip(codings, values, strict=True)))
    row = [Fraction(0)] * len(sent)
    for drawn in draws:
        chance = math.prod((each for _, each in drawn), start=Fraction(1))
        row = [old + chance * new for old, new in zip(row, sent[tuple(code for code, _ in drawn)], strict=True)]
    return row


def audit(name: str, page: Page, coins: int) -> Audit:
    """Toss so many coins for a design and bound what they reveal."""
    survey = survey_of(*DESIGNS[name])
    first = {question.name: question.values[0] for question in survey.questions}
    last = {question.name: question.values[-1] for question in survey.questions}
    times = coins // 2
    one, other = (page.evaluate(TOSS, [survey.design, answers, times]) for answers in (first, last))
    every = sorted(one.keys() | other.keys())
    pairs = [(a.get(key, 0), b.get(key, 0)) for a, b in ((one, other), (other, one)) for key in every]
    chance = CHANCE_OF_FAILING / (2 * len(pairs))
    lower = max(lower_log_ratio(high, low, times, chance) for high, low in pairs)
    seen = max(math.log(high / low) for high, low in pairs if high and low)
    return Audit(name, coins, design_epsilon(survey), lower, seen)


def lower_log_ratio(high: int, low: int, times: int, chance: float) -> float:
    """A bound that the logarithm of a ratio of two chances is below with twice this chance at most."""
    least = beta.ppf(chance, high, times - high + 1) if high else 0.0
    most = beta.ppf(1 - chance, low + 1, times - low) if low < times else 1.0
    return math.log(least / most) if least > 0 else -math.inf


@click.command()
@click.option("--quick", is_flag=True, help="100,000 coins for each design instead of 1,000,000.")
@click.option("--only", default="", help="Designs in whose name this is.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def main(*, quick: bool, only: str, as_json: bool) -> None:
    """Audit designs, print, and exit with 1 if one is broken."""
    with browser_page() as page:
        found = [audit(name, page, 100_000 if quick else 1_000_000) for name in DESIGNS if only in name]
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
