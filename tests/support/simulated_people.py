"""People whose answers the shipped script drew questions for, coded and disguised, many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Page

from browser_fixtures import in_browser
from collector.survey.question import Question
from collector.survey.survey import Survey

Mask = NDArray[np.bool_]

SIMULATE = """
  const { canonical, asking, answers, people, seed } = argument;
  let [a, b, c, d] = [seed, 2, 3, 1]; // sfc32, which passes PractRand
  const words = () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  const whole = JSON.parse(canonical);
  const [truth, sent] = [[], []];
  for (let person = 0; person < people; person += 1) {
    const values = whole.questions.map(({ values }) => words() % values.length);
    const own = Object.fromEntries(whole.questions.map(({ name }, at) => [name, answers[at][values[at]]]));
    const asked = sampling.partOf(whole, asking ?? sampling.drawQuestions(whole, words));
    const codes = coding.codeAnswers(asked, own, words);
    const out = disguise.disguise(asked, codes, words);
    truth.push(...values);
    sent.push(...whole.questions.map(({ name }) => out[name] ?? -1));
  }
  return [truth, sent];
"""


@dataclass(frozen=True, eq=False)
class People:
    """Simulated respondents to a survey.

    Attributes:
        survey: The design.
        truth: Values by index, [person, question]; all equally likely.
        sent: Codes, [person, question]; -1 for what was not asked.
    """

    survey: Survey
    truth: NDArray[np.int64]
    sent: NDArray[np.int64]

    def place(self, question: Question) -> int:
        """The position of a question."""
        return self.survey.questions.index(question)


def simulated(page: Page, survey: Survey, people: int, seed: int, asking: Sequence[str] | None = None) -> People:
    """People whose answers the shipped script coded and disguised: to these questions, or to those that it drew."""
    answers = [_answers(question) for question in survey.questions]
    given = {"canonical": survey.canonical, "asking": asking, "answers": answers, "people": people, "seed": seed}
    shape = (people, len(survey.questions))
    truth, sent = (np.array(each).reshape(shape) for each in in_browser(page, SIMULATE, given))
    return People(survey, truth, sent)


def _answers(question: Question) -> list[Any]:
    """An answer that means each value."""
    return [question.cuts[0] - 0.5, *question.cuts] if question.cuts else list(question.values)
