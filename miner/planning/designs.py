"""Designs with the same epsilon per response: the questions of a survey with other sampling and channels.

Respondents are asked all questions, or a random part. There is one coin for all questions that a person is asked, or
one for each question with the epsilon divided equally or unequally (`collector.allocation.epsilon_plan`). With one coin
per question, the coding is one code per value (k-ary randomized response), or the coding of the smallest variance, or
one code per value with replacements drawn from the priors instead of uniformly (forced response; unrelated question
with known distribution).
"""

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
from collector.survey_file.question_file import QuestionDraft

PLAIN, BEST, FORCED = CODINGS = ("plain", "best", "forced")
KINDS = ("one coin", "even", "unequal")
PUBLISHED = "as published"
FINEST = 100  # parts of a replacement's chance: a weight in the page


@dataclass(frozen=True)
class Design:
    """A design: sampling, coins and coding.

    Attributes:
        coins: One of `KINDS`; `PUBLISHED` for a published design of another kind.
        coding: One of `CODINGS`, for questions with separate coins.
        survey: The design, compiled.
        published: Whether it is the published design of the survey.
    """

    coins: str
    coding: str
    survey: Survey
    published: bool

    @property
    def ask(self) -> int:
        """The number of questions that a respondent is asked."""
        sampling = self.survey.sampling
        return len(self.survey.questions) if sampling is None else sampling.ask

    @property
    def epsilon(self) -> float:
        """Epsilon of a complete response, exact before rounding; inf if there is no bound."""
        return epsilon_of(person_ratio(self.survey))

    @property
    def words(self) -> str:
        """For tables and keys."""
        coins = {"one coin": "one coin", "even": "a coin each", "unequal": "a coin each, unequal"}
        codings = {PLAIN: ", k-ary", BEST: "", FORCED: ", forced"}
        many = "all" if self.survey.sampling is None else f"{self.ask} of {len(self.survey.questions)}"
        return f"{many} asked, {coins.get(self.coins, self.coins)}{codings[self.coding]}"


def budget_of(survey: Survey) -> Fraction:
    """The epsilon of a complete response of a survey, rounded up to millionths.

    Raises:
        QueryError: If it has no finite epsilon.
    """
    ratio = person_ratio(survey)
    if ratio is None or ratio == 1:
        problem = "it keeps no epsilon for a whole response" if ratio is None else "it disguises nothing"
        raise QueryError(f'survey "{survey.name}"', problem, "say which one the designs are to keep: --epsilon")
    return Fraction(int(epsilon_of(ratio) * 10**6) + 1, 10**6)


def designs(survey: Survey, epsilon: Fraction) -> tuple[Design, ...]:
    """All designs to compare; the published design first, if it keeps the epsilon.

    The survey states which questions are always asked; without sampling, they are the target and the questions that are
    not sensitive.

    Args:
        survey: The survey with the questions.
        epsilon: Of a complete response; above 0.

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
    """For each kind, the design that asks all questions, and the best that asks fewer."""
    every = len(problem.questions)
    for asks in ([every], numbers_below_all(every, always)):
        options = [each for each in every_option(problem, asks) if each.affordable]
        for kind in KINDS:
            same = [each for each in options if each.kind == kind]
            if same:
                yield best_option(same)


def _draft(question: Question, coding: str) -> QuestionDraft:
    plain = replace(question, coding=plain_coding(len(question.values)))
    place = f'question "{question.name}"'
    if not question.sensitive:
        return QuestionDraft(plain, place, None, None, None)
    replacement = _lies(question.prior) if coding == FORCED else None
    return QuestionDraft(plain, place, None, PLAIN if coding == PLAIN else None, replacement)


def _lies(prior: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """The distribution of a replacement: the prior in hundredths, at least one each."""
    parts = [max(1, round(share * FINEST)) for share in prior]
    return tuple(Fraction(part, sum(parts)) for part in parts)
