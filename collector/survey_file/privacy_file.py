"""The ``[privacy]`` table of a survey file, which sets one epsilon for the complete response."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from collector.allocation.epsilon_plan import best_option, every_option
from collector.allocation.problem import AIMS, PAIRS, SINGLES, TREES, Option, Problem
from collector.channel.rounding import check_epsilon
from collector.errors import SurveyError, suggestion
from collector.survey.fields import Fields, read_fraction
from collector.survey.question import Question
from collector.survey.sampling import Sampling
from collector.survey_file.central_wish import CentralWish, read_central
from collector.survey_file.epsilon_design import EpsilonDesign, always_asked, design_of, numbers_below_all, problem_of
from collector.survey_file.question_file import QuestionDraft

COINS = {"one": ("one coin",), "own": ("even", "unequal")}
SAVING = 1.01  # smallest factor of respondents saved by asking fewer questions that is reported
WORTH = 1.1  # smallest factor of respondents saved at which trees are learnt from fewer questions per person
PLAIN = (None, "auto")
TAKES = {
    TREES: "a table with the target takes",
    SINGLES: "the shares of a question take",
    PAIRS: "a table of two questions takes",
}

LOST = (
    "Where not everybody is asked everything, models are learnt in latent mode alone, and the accuracy of one that "
    "looks at more questions than a person is asked is not known."
)


@dataclass(frozen=True)
class SamplingWish:
    """The ``[sampling]`` table of a survey file.

    Without a ``[sampling]`` table, all respondents are asked all questions.

    Attributes:
        ask: Number of questions for each respondent, or None to choose the number automatically.
        always: Names of questions that everybody is asked, in survey order, or None to choose the questions
            automatically.
    """

    ask: int | None
    always: tuple[str, ...] | None


@dataclass(frozen=True)
class EpsilonPlan:
    """The chosen design for an epsilon of the complete response, and the alternatives.

    Attributes:
        epsilon: Epsilon of a complete response.
        chosen: Design that was chosen.
        options: Best design for each way to ask the questions, with the chosen design, sorted by measure.
        fewer: Design that an empty ``[sampling]`` table would choose, or None if it needs no fewer respondents or the
            file has the table.
        questions: Number of questions of the survey.
        why: Reason for the choice, in words.
        takes: Words for the measure of a design (the number of respondents that it needs).
        central: Central epsilon of the survey file, or None if the file sets the local epsilon.
    """

    epsilon: Fraction
    chosen: Option
    options: tuple[Option, ...]
    fewer: Option | None
    questions: int
    why: str
    takes: str
    central: CentralWish | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        """Lines that state the chosen design, the reason for the choice, and the measures of the alternatives."""
        head = (
            f"Planned for epsilon {float(self.epsilon):g} of a whole response: {self._told(self.chosen)}; {self.why}."
        )
        rest = [f"Instead, {self._told(each)}." for each in self.options if each != self.chosen]
        if self.fewer is not None:
            rest.append(self._saved(self.fewer))
        asked = self.chosen.ask if self.fewer is None else self.fewer.ask
        lost = asked < self.questions and self.takes == TAKES[TREES]
        asked_for = [] if self.central is None else [self.central.line(self.epsilon)]
        return (*asked_for, head, *rest, *([LOST] if lost else []))

    def _saved(self, fewer: Option) -> str:
        ratio = f"{self.chosen.measure / fewer.measure:,.2f}"
        return f"With an empty [sampling], {self._told(fewer)}; 1 respondent then tells as much as {ratio} do now."

    def _told(self, option: Option) -> str:
        asked = "all" if option.ask == self.questions else f"{option.ask} of {self.questions}"
        coins = {
            "one coin": "one coin for all that a person is asked",
            "even": "a coin for each question, the epsilon evenly shared",
            "unequal": "a coin for each question, the epsilon shared unequally",
        }
        shared = ", codes shared by answers" if any(each != "plain" for _, each in option.codings) else ""
        noise = f"{self.takes} {option.measure:,.2f} times the respondents of open answers to all"
        return f"{coins[option.kind]}{shared}, {asked} questions asked: {noise}"

    @property
    def as_dict(self) -> dict[str, Any]:
        """The chosen design and its alternatives as plain JSON values."""
        return {
            "epsilon": float(self.epsilon),
            "chosen": _option(self.chosen),
            "options": [_option(each) for each in self.options],
            "fewer": None if self.fewer is None else _option(self.fewer),
            "lines": list(self.lines),
        }


def _option(option: Option) -> dict[str, Any]:
    epsilons = {name: float(epsilon) for name, epsilon in option.epsilons}
    figures = {"kind": option.kind, "ask": option.ask, "measure": option.measure, "epsilons": epsilons}
    return figures | {"codings": dict(option.codings)}


@dataclass(frozen=True)
class Promise:
    """The ``[privacy]`` table of a survey file.

    Attributes:
        epsilon: Epsilon of a complete response, above 0; before `settled` is called, perhaps a central epsilon.
        coins: ``one`` for one coin per person, ``own`` for one coin per question, or None for the better of both.
        aim: Purpose of the responses, one of `collector.allocation.problem.AIMS`.
    """

    epsilon: Fraction
    coins: str | None
    aim: str = TREES
    central: CentralWish | None = None

    def settled(self, questions: Sequence[Question]) -> Promise:
        """Return the ``[privacy]`` settings with the local epsilon that follows from a central epsilon."""
        return self if self.central is None else replace(self, epsilon=self.central.local(questions))


def read_promise(table: dict[str, object] | None, groups: object) -> Promise | None:
    """Return the settings in the ``[privacy]`` table of a survey file, or None without this table.

    Raises:
        SurveyError: If the table is not valid, or the survey file also has groups.
    """
    if table is None:
        return None
    fields = Fields(table, "privacy")
    central, given = read_central(fields), fields.take_optional_any("epsilon")
    if central is not None and given is not None:
        raise SurveyError(
            "privacy",
            "[privacy] has both an epsilon and a central epsilon",
            "keep one of the two: each follows from the other",
        )
    if central is None and given is None:
        raise SurveyError(fields.within("epsilon"), "the epsilon is missing", "add an epsilon, such as 8")
    epsilon = read_fraction(given, fields.within("epsilon")) if central is None else central.epsilon
    check_epsilon(epsilon, fields.within("epsilon"))
    coins, aim = fields.take_optional("coins", str), fields.take_optional("aim", str) or TREES
    fields.finish()
    if coins not in {None, *COINS}:
        raise SurveyError(fields.within("coins"), "there is no such setting of coins", suggestion(coins, COINS))
    if aim not in AIMS:
        raise SurveyError(fields.within("aim"), "the aim does not exist", suggestion(aim, AIMS))
    if groups is not None:
        raise SurveyError(
            "privacy", "with an epsilon for the whole response, the groups are made automatically", "drop [groups]"
        )
    return Promise(epsilon, coins, aim, central)


def planned(
    promise: Promise, drafts: Sequence[QuestionDraft], wish: SamplingWish | None, target: str | None
) -> tuple[EpsilonDesign, EpsilonPlan]:
    """Return the questions with codings, the groups and the sampling for an epsilon, and the reason for the choice.

    Raises:
        SurveyError: If a question has disguise settings, no question is disguised, or no design keeps the epsilon.
    """
    for draft in drafts:
        _refuse_own_disguise(draft)
    questions = [each.question for each in drafts]
    if not any(each.sensitive for each in questions):
        raise SurveyError(
            "privacy", "no question is sensitive", "remove [privacy], or remove sensitive = false from a question"
        )
    promise = promise.settled(questions)
    always = _always(promise, questions, wish, target)
    if wish is not None:
        least = len(always) + 1
        Sampling(least if wish.ask is None else wish.ask, always).check([each.name for each in questions])
    problem = problem_of(promise.epsilon, questions, always, target, promise.aim)
    options = _options(promise, problem, _asks(len(questions), len(always), wish))
    if not options:
        raise _no_design(problem, len(always), wish)
    chosen = best_of(options, len(questions), promise.aim)
    try:
        design = design_of(chosen, promise.epsilon, drafts, always)
    except SurveyError as error:  # its groups are in no file
        raise SurveyError("privacy, epsilon", error.problem, error.remedy) from None
    fewer = None if wish is not None else _fewer(promise, questions, target, chosen)
    return design, replace(_plan(problem, chosen, options, fewer), central=promise.central)


def _options(promise: Promise, problem: Problem, asks: Sequence[int]) -> list[Option]:
    """Return the permitted designs for an epsilon, without designs whose responses carry no information."""
    kinds = COINS.get(promise.coins or "")
    every = (each for each in every_option(problem, asks) if each.affordable)
    return [each for each in every if kinds is None or each.kind in kinds]


def _fewer(promise: Promise, questions: Sequence[Question], target: str | None, chosen: Option) -> Option | None:
    """Return the design for an empty ``[sampling]`` table, or None if it saves no questions or no respondents."""
    wish = SamplingWish(None, None)
    always = _always(promise, questions, wish, target)
    problem = problem_of(promise.epsilon, questions, always, target, promise.aim)
    options = _options(promise, problem, _asks(len(questions), len(always), wish))
    best = best_of(options, len(questions), promise.aim) if options else chosen
    return best if best.ask < chosen.ask and best.measure * SAVING <= chosen.measure else None


def best_of(options: Sequence[Option], questions: int, aim: str) -> Option:
    """Return the best design among the options for an epsilon.

    If trees are to be learned, a split questionnaire is preferred only if it saves at least a tenth of the respondents.
    """
    best = best_option(options, aim)
    whole = min((each for each in options if each.ask == questions), key=lambda each: each.measure, default=best)
    return whole if aim == TREES and whole.measure < best.measure * WORTH else best


def _no_design(problem: Problem, always: int, wish: SamplingWish | None) -> SurveyError:
    """Return the error, with its cause, for an epsilon that no design can keep."""
    least = always + problem.drawn_together
    if wish is not None and wish.ask is not None and wish.ask < least:
        apart = "a table is wanted of questions that are never asked of the same person"
        return SurveyError("sampling, ask", apart, f"ask {least} or more")
    return SurveyError(
        "privacy, epsilon", "no design keeps this epsilon", "ask fewer questions, or give another epsilon"
    )


def _refuse_own_disguise(draft: QuestionDraft) -> None:
    said = {"group": draft.group, "replacement": draft.replacement, "coding": draft.coding}
    for key, value in said.items():
        if value is not None and not (key == "coding" and value in PLAIN):
            problem = f"[privacy] sets how it is disguised, yet it has a {key}"
            raise SurveyError(f"{draft.place}, {key}", problem, f"drop the {key}, or [privacy]")


def _always(
    promise: Promise, questions: Sequence[Question], wish: SamplingWish | None, target: str | None
) -> tuple[str, ...]:
    if wish is None:
        return tuple(each.name for each in questions)
    if wish.always is not None:
        return wish.always
    return always_asked(questions, target if promise.aim == TREES else None)


def _asks(questions: int, always: int, wish: SamplingWish | None) -> list[int]:
    if wish is None:
        return [questions]
    return [*numbers_below_all(questions, always), questions] if wish.ask is None else [wish.ask]


def _plan(problem: Problem, chosen: Option, options: Sequence[Option], fewer: Option | None) -> EpsilonPlan:
    ranked = sorted(options, key=lambda each: each.measure)
    kinds = {each.kind: each for each in reversed(ranked)}
    everything = [each for each in ranked if each.ask == len(problem.questions)][:1]
    shown = dict.fromkeys([chosen, *kinds.values(), *everything])
    least = ranked[0]
    why = "no other needs fewer respondents"
    if chosen is not least:
        would = f"asking {least.ask} would take {least.measure:,.2f} times"
        more = f"but with {chosen.ask} questions of the same person more than pairs of answers can be learnt"
        uneven = "if all answers were as frequent, and more where they are not"
        if chosen.ask == len(problem.questions) > least.ask:
            more = "but where everybody is asked everything the accuracy of models has an interval"
        why = f"{would}, {more}" if problem.aim == TREES else f"{would} {uneven}"
    ordered = tuple(sorted(shown, key=lambda each: each.measure))
    aim = SINGLES if problem.target is None and problem.aim == TREES else problem.aim
    return EpsilonPlan(problem.epsilon, chosen, ordered, fewer, len(problem.questions), why, TAKES[aim])
