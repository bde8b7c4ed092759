"""Infer coins and answers of single respondents as a collector with a fitted model could (``miner audit-survey``).

A mixture fitted to the responses can infer coins better than theta alone, because the complement of a plausible record
is often implausible. The audit applies mixtures to responses that they were not fitted to, and measures the remaining
deniability:

- How often the coins are guessed correctly, *estimated from the disguised responses alone, without trusting the
  mixture*.
- How many bits of the truth remain unknown, for each question, group and record, if the mixture is correct.
- For how many respondents an answer becomes 90 % or 99 % certain to the mixture by the response, and for how many an
  answer is that certain without a response, from the shares alone.
- For how many respondents an answer becomes 90 % or 99 % certain by the response, the priors and the screens of the
  design alone (`collector.disclosure.family`).

An attacker who knows some of a respondent's answers from elsewhere learns more about the other answers. The audit can
assume that the attacker knows some other answers of each respondent. In a split questionnaire, only coins that were
tossed and answers that were given are included.
"""

from dataclasses import dataclass, fields
from statistics import fmean

import numpy as np

from collector.disclosure.families import family_of
from collector.errors import ModelError
from collector.survey.question import Question
from collector.survey.survey import Group
from miner.arrays import Flags, Floats
from miner.attacks.eavesdropper import LEVELS, Eavesdropper, Sight, Uncertainty, risen
from miner.behind.mixture.model import fit_latent
from miner.channels.registry import partner_codes
from miner.counting.factors import signed_weights
from miner.json_values import JsonResult
from miner.responses.distinct import distinct_rows
from miner.responses.responses import Codes, Responses

FOLDS = 3
FEWEST_PER_FOLD = 10
FEWEST_COINS = 2  # smallest number of coins with a standard deviation


@dataclass(frozen=True)
class CoinGuess(JsonResult):
    """Accuracy of an attacker's guesses of a group's coins.

    Attributes:
        group: Name of the group.
        channel: Channel of the group, ``complement`` or ``uniform``.
        tossed: Number of respondents who tossed the group's coin, because they were asked a question of the group.
        truth: Truth probability theta, or its mean over respondents if it depends on the questions asked.
        without_model: Share of coins that the better constant guess gets right: the larger of theta and 1 - theta.
        guessed_right: Unbiased estimate of the share of coins that the mixture guesses correctly, which may exceed 1.
        standard_error: Standard error of `guessed_right`.
        expected_right: Expected share of coins guessed correctly, which is less noisy than `guessed_right`, but correct
            only if the mixture is correct.
    """

    group: str
    channel: str
    tossed: int
    truth: float
    without_model: float
    guessed_right: float
    standard_error: float
    expected_right: float


@dataclass(frozen=True)
class SurveyAudit(JsonResult):
    """Audit of the responses to one published version of a survey.

    Attributes:
        survey: Name of the survey.
        fingerprint: Fingerprint of the design.
        responses: Number of responses.
        known: Number of other answers of a respondent that the attacker knows beforehand.
        classes: Number of classes of the mixture fitted in each fold.
        coins: Guesses of the coins of each group that at least two respondents were asked about.
        questions: Uncertainty about the value of each sensitive question that somebody was asked, by name.
        groups: Uncertainty about all values asked of each group, by name.
        record: Uncertainty about all answers together.
        beforehand: Number of respondents for whom the shares alone, without a response, give a value of some sensitive
            question probability 0.9 or more.
        some_value: Numbers of respondents whose response raises the probability of a value of some sensitive question
            from below 0.9 to 0.9 or more, and from below 0.99 to 0.99 or more.
        some_group: Numbers of respondents whose response raises the probability of all values of some group together
            from below 0.9 to 0.9 or more, and from below 0.99 to 0.99 or more.
        by_design: The same numbers for each sensitive question asked of everybody, by the design and its priors alone.
            The numbers are None if too many responses to the question's family are possible.
    """

    survey: str
    fingerprint: str
    responses: int
    known: int
    classes: tuple[int, ...]
    coins: tuple[CoinGuess, ...]
    questions: dict[str, Uncertainty]
    groups: dict[str, Uncertainty]
    record: Uncertainty
    beforehand: int
    some_value: tuple[int, int]
    some_group: tuple[int, int]
    by_design: dict[str, tuple[int, int] | None]


def audit_survey(responses: Responses, rng: np.random.Generator, known: int = 0) -> SurveyAudit:
    """Audit responses by cross-validation in `FOLDS` folds.

    The coins and answers of each fold are guessed by a mixture that is fitted to the other folds.

    Args:
        responses: Disguised responses, at least `FOLDS` x `FEWEST_PER_FOLD`.
        rng: Random generator; a seeded one makes the result reproducible.
        known: Number of other answers of a respondent that the attacker knows.

    Raises:
        ModelError: If there are too few responses.
    """
    if len(responses) < FOLDS * FEWEST_PER_FOLD:
        raise ModelError(
            "audit", f"there are fewer than {FOLDS * FEWEST_PER_FOLD} responses", "collect more responses first"
        )
    folds = np.array_split(rng.permutation(len(responses)), FOLDS)
    models, parts = [], []
    for fold in folds:
        rest = np.setdiff1d(np.arange(len(responses)), fold)
        models.append(fit_latent(responses.take(rest), rng))
        parts.append(Eavesdropper(models[-1], responses.take(fold), rng))
    survey = responses.survey
    groups = {group.name: _pooled([part.cell(number) for part in parts]) for number, group in enumerate(survey.groups)}
    values = {
        question.name: _pooled([part.question(number, known) for part in parts])
        for number, question in enumerate(survey.questions)
        if question.sensitive
    }
    tossed = [number for number, group in enumerate(survey.groups) if groups[group.name].asked.sum() >= FEWEST_COINS]
    return SurveyAudit(
        survey=survey.name,
        fingerprint=survey.fingerprint,
        responses=len(responses),
        known=known,
        classes=tuple(model.classes for model in models),
        coins=tuple(coin_guess(survey.groups[number], number, parts) for number in tossed),
        questions={name: each.uncertainty() for name, each in values.items() if each.asked.any()},
        groups={name: each.uncertainty() for name, each in groups.items() if each.asked.any()},
        record=_pooled([part.record() for part in parts]).uncertainty(),
        beforehand=int(np.any([each.expected >= LEVELS[0] for each in values.values()], axis=0).sum()),
        some_value=_people([each.risen for each in values.values()]),
        some_group=_people([each.risen for each in groups.values()]),
        by_design={
            question.name: _by_design(responses, question)
            for question in survey.questions
            if question.sensitive and not survey.may_miss(question.name)
        },
    )


def _by_design(responses: Responses, question: Question) -> tuple[int, int] | None:
    survey = responses.survey
    found = family_of(survey, question.name).posteriors(question)
    if found is None:
        return None
    names, before, after = found
    codes = responses.codes[:, [survey.column(name) for name in names]]
    first, which = distinct_rows(codes)
    chances = np.array([after.get(tuple(row), before) for row in codes[first].tolist()])
    return _people([risen(np.array(before), chances)[which]])


def _people(known: list[Flags]) -> tuple[int, int]:
    """Return the number of respondents for whom something is known, at each level of certainty."""
    likely, sure = np.any(known, axis=0).sum(axis=0).tolist() if known else (0, 0)
    return likely, sure


def _pooled(sights: list[Sight]) -> Sight:
    return Sight(*(np.concatenate([getattr(each, part.name) for each in sights]) for part in fields(Sight)))


def coin_guess(group: Group, place: int, parts: list[Eavesdropper]) -> CoinGuess:
    """Estimate the share of correct guesses of a group's coin, unbiased even if the mixture is wrong.

    Let f(r) be 1 if the attacker guesses that response r is the truth, and 0 otherwise. A guess is correct if f(r) = 1
    and the coin said truth, or if f(r) = 0 and the coin said replacement. The share of correct guesses is the mean of
    ``theta f(t) + (1 - theta)(1 - f(t'))`` over the true codes t with replacements t'. Means over true codes are
    estimated with signed weights (docs/guarantee.md, section 2).

    Args:
        group: Group that at least two respondents were asked about.
        place: Position of the group among the groups of the survey.
        parts: Folds of the responses.
    """
    tossed = [part.responses.asked[:, part.layout.cells[place].columns].any(axis=1) for part in parts]
    truth = np.concatenate([part.layout.truths(part.responses)[:, place] for part in parts])
    right = np.concatenate([_right(group, place, part) for part in parts])
    chances = np.concatenate([part.coin_chances[:, place] for part in parts])
    truth, right, chances = (each[np.concatenate(tossed)] for each in (truth, right, chances))
    return CoinGuess(
        group=group.name,
        channel=group.channel.name,
        tossed=len(right),
        truth=fmean(truth.tolist()),
        without_model=fmean(np.maximum(truth, 1 - truth).tolist()),
        guessed_right=float(right.mean()),
        standard_error=float(right.std(ddof=1) / np.sqrt(len(right))),
        expected_right=float(np.maximum(chances, 1 - chances).mean()),
    )


def _right(group: Group, place: int, part: Eavesdropper) -> Floats:
    """Return, for each response, the signed weight of a correct guess, shape (responses,)."""
    theta = part.layout.truths(part.responses)[:, place]
    own, replaced = signed_weights(part.responses.survey, group, part.responses.asked)
    as_sent = part.guesses(place).astype(np.float64)
    other = part.guesses(place, _replaced(part, place)).astype(np.float64)
    truthful = own * as_sent + replaced * other
    swapped = other if part.layout.cells[place].drawn else own * other + replaced * as_sent
    right: Floats = theta * truthful + (1 - theta) * (1 - swapped)
    return right


def _replaced(part: Eavesdropper, place: int) -> Codes:
    """Return the codes that would have been sent if one group's coin had said the opposite."""
    codes, survey, cell = part.responses.codes, part.responses.survey, part.layout.cells[place]
    columns = list(cell.columns)
    other = codes.copy()
    if not cell.drawn:
        other[:, columns] = partner_codes(survey, codes)[:, columns]
        return other
    for column in columns:
        chances = part.layout.replacements[column]
        rows = np.flatnonzero(part.responses.asked[:, column])
        other[rows, column] = part.rng.choice(len(chances), len(rows), p=chances)
    return other
