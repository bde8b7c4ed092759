"""Designs with the same epsilon per response: the questions of a survey with other sampling and channels.

Everybody is asked everything, or some questions each, drawn; there is one coin for all that a person is asked, or one
for each question, the epsilon shared evenly or unequally (`collector.allocation.epsilon_plan`). With coins of their own
questions are coded plainly (k-ary randomized response), in the coding of the smallest variance, or plainly with lies
that are drawn as the priors say instead of evenly (forced response; an unrelated question whose answers are known).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from collector.allocation.epsilon_plan import best_option, every_option
from collector.allocation.problem import Option, Problem
from collector.coding.coding import plain_coding
from collector.disclosure.accounting import epsilon_of, person_ratio
from collector.errors import QueryError, SurveyError
from collector.survey.question import Question
from collector.survey.survey import Survey
from collector.survey_file.epsilon_design import always_asked, design_of, numbers_below_all, problem_of
from collector.survey_file.question_file import Draft

PLAIN, BEST, FORCED = CODINGS = ("plain", "best", "forced")
KINDS = ("one coin", "even", "unequal")
PUBLISHED = "as published"
FINEST = 100  # parts of a replacement's chance: a weight in the page


@dataclass(frozen=True)
class Design:
    """One way to ask and disguise.

    Attributes:
        coins: One of `KINDS`; `PUBLISHED` for a survey's own that is none of these.
        coding: One of `CODINGS`, of questions that have coins of their own.
        survey: The design, compiled.
        published: Whether it is the survey's own.
    """

    coins: str
    coding: str
    survey: Survey
    published: bool

    @property
    def ask(self) -> int:
        """How many questions a person is asked."""
        sampling = self.survey.sampling
        return len(self.survey.questions) if sampling is None else sampling.ask

    @property
    def epsilon(self) -> float:
        """Of a whole response, exact before rounding; inf where there is no bound."""
        return epsilon_of(person_ratio(self.survey))

    @property
    def words(self) -> str:
        """For tables and keys."""
        coins = {"one coin": "one coin", "even": "a coin each", "unequal": "a coin each, unequal"}
        codings = {PLAIN: ", k-ary", BEST: "", FORCED: ", forced"}
        many = "all" if self.survey.sampling is None else f"{self.ask} of {len(self.survey.questions)}"
        return f"{many} asked, {coins.get(self.coins, self.coins)}{codings[self.coding]}"


def budget_of(survey: Survey) -> Fraction:
    """The epsilon that a survey keeps for a whole response, rounded up to millionths.

    Raises:
        QueryError: If it keeps none.
    """
    ratio = person_ratio(survey)
    if ratio is None or ratio == 1:
        problem = "it keeps no epsilon for a whole response" if ratio is None else "it disguises nothing"
        raise QueryError(f'survey "{survey.name}"', problem, "say which one the designs are to keep: --epsilon")
    return Fraction(int(epsilon_of(ratio) * 10**6) + 1, 10**6)


def designs(survey: Survey, epsilon: Fraction) -> tuple[Design, ...]:
    """Every design to compare, the survey's own first if it keeps the epsilon.

    Always asked is what the survey says; if it does not sample, the target and what is not sensitive.

    Args:
        survey: Whose questions are asked.
        epsilon: For a whole response; above 0.

    Raises:
        QueryError: If nothing is sensitive, or the survey asks one question only.
    """
    if not any(question.sensitive for question in survey.questions):
        raise QueryError(f'survey "{survey.name}"', "no question is sensitive", "drop sensitive = false somewhere")
    found = {each.survey.fingerprint: each for each in reversed([*_built(survey, epsilon)])}
    same = found.pop(survey.fingerprint, None)
    others = tuple(reversed(found.values()))
    if same is not None:
        return (replace(same, published=True), *others)
    ratio = person_ratio(survey)
    if ratio is None or epsilon_of(ratio) > epsilon:
        return others
    return (Design(PUBLISHED, BEST, survey, published=True), *others)


def _built(survey: Survey, epsilon: Fraction) -> Iterator[Design]:
    always = survey.sampling.always if survey.sampling else always_asked(survey.questions, survey.target)
    problem = problem_of(epsilon, survey.questions, always, survey.target)
    for option in _options(problem, len(always)):
        codings = CODINGS if option.kind == "even" else (BEST,)
        for coding in codings:
            if coding == FORCED and all(len(set(each.prior)) == 1 for each in survey.questions if each.sensitive):
                continue  # as k-ary randomized response
            try:
                found = design_of(option, epsilon, [_draft(each, coding) for each in survey.questions], always)
            except SurveyError:  # no coin of one word keeps it
                continue
            compiled = replace(survey, questions=found.questions, groups=found.groups, sampling=found.sampling)
            yield Design(option.kind, coding, compiled, published=False)


def _options(problem: Problem, always: int) -> Iterator[Option]:
    """Of each kind the one that asks everything, and the best that asks less."""
    every = len(problem.questions)
    for asks in ([every], numbers_below_all(every, always)):
        options = [each for each in every_option(problem, asks) if each.affordable]
        for kind in KINDS:
            same = [each for each in options if each.kind == kind]
            if same:
                yield best_option(same)


def _draft(question: Question, coding: str) -> Draft:
    plain = replace(question, coding=plain_coding(len(question.values)))
    place = f'question "{question.name}"'
    if not question.sensitive:
        return Draft(plain, place, None, None, None)
    replacement = _lies(question.prior) if coding == FORCED else None
    return Draft(plain, place, None, PLAIN if coding == PLAIN else None, replacement)


def _lies(prior: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """The prior in hundredths, at least one each: the chances of a replacement."""
    parts = [max(1, round(share * FINEST)) for share in prior]
    return tuple(Fraction(part, sum(parts)) for part in parts)
