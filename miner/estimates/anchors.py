"""Check that respondents followed the instructions, by an anchor question or by two truth probabilities.

An *anchor* is a question whose frequencies are known, such as a birth quarter, or an instruction ("choose the second").
The survey file states the known frequencies as the question's prior, or the researcher states that all values are
equally frequent. If estimates differ significantly from known frequencies, respondents did not answer truthfully, or
they are not a sample of the population. If careless respondents choose all values equally often and all others answer
truthfully, the share of careless respondents can be estimated.

*Arms* are two versions of a survey that disguise the same question with different truth probabilities and are assigned
to respondents at random. If all respondents use the coin as instructed, the expected estimates of both versions are
equal. If some respondents send "no" regardless of the coin, their share can be estimated from two arms (Clark &
Desharnais 1998). Arms are useful only if answers come from paper or from other software, because in the browser a
script draws the coin.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from collector.errors import QueryError
from collector.survey.question import Question
from miner.arrays import Floats
from miner.behind.rows import listed_rows
from miner.figures.chi_square import chi_square, p_value
from miner.figures.estimate import Estimate
from miner.figures.means import mean_estimate, weighted_sum
from miner.json_values import JsonResult
from miner.responses.responses import Responses, codes_of_values
from miner.weights.events import with_conditions
from miner.weights.weights import ProductWeights, every_state

ROUNDING = 1e-9


@dataclass(frozen=True)
class Agreement(JsonResult):
    """Test of whether the estimated frequencies of a question agree with their expected values.

    Attributes:
        question: Name of the question.
        statistic: Chi-square statistic.
        degrees_of_freedom: Degrees of freedom of the chi-square distribution.
        p_value: P value of the test.
        share: Estimated share of respondents who did not follow the instructions, or None if it cannot be estimated.
    """

    question: str
    statistic: float
    degrees_of_freedom: int
    p_value: float
    share: Estimate | None


def anchors(responses: Responses, *known: str, even: Sequence[str] = ()) -> list[Agreement]:
    """Compare the estimates of questions with their known frequencies.

    Args:
        responses: Responses to the survey.
        known: Names of questions whose prior in the survey file is their true distribution.
        even: Names of questions whose values are known to be equally frequent.

    Raises:
        QueryError: If a question does not exist or has no prior in the survey file, or there are too few responses.
    """
    found = [anchored(responses, name) for name in known]
    return found + [anchored(responses, name, even=True) for name in even]


def anchored(responses: Responses, name: str, *, even: bool = False) -> Agreement:
    """Compare the estimates of a question with its known frequencies.

    Args:
        responses: Responses to the survey.
        name: Name of the question.
        even: Whether the question's values are known to be equally frequent.

    Raises:
        QueryError: If the question does not exist or has no prior in the survey file, or there are too few responses.
    """
    question = responses.survey.question(name)
    if not even and len(set(question.prior)) == 1:  # a survey that states none reads so
        remedy = f"state it before publishing, or give --even {name} if its values are known to be equally frequent"
        raise QueryError(f'question "{name}"', "the survey file gives no prior to compare with", remedy)
    terms = _terms(responses, question)
    known = np.array([1 / len(question.prior) if even else float(share) for share in question.prior])
    states, chances = terms, np.full(len(terms), 1 / len(terms))
    if len(with_conditions(responses.survey, [name])) == 1:  # else other questions decide what a code counts, too
        states, chances = _states(responses, question, known)
    mean = chances @ states
    spread = (states.T * chances) @ states - np.outer(mean, mean)
    statistic, freedom = chi_square(terms.mean(axis=0) - known, spread / len(terms))
    away = 1 / len(known) - known
    weights = np.linalg.pinv(spread, hermitian=True) @ away
    size = float(weights @ away)
    share = None
    if size > ROUNDING:  # else careless answers have the very frequencies that are known
        possible = (states - known) @ weights / size
        share = mean_estimate((terms - known) @ weights / size, (float(possible.min()), float(possible.max())))
    return Agreement(name, statistic, freedom, p_value(statistic, freedom), share)


def arms(first: Responses, second: Responses, name: str) -> Agreement:
    """Compare the estimates of one question in two versions of a survey.

    Args:
        first: Responses to one version.
        second: Responses to the other version, by other people.
        name: Name of a question that both versions ask, with the same values.

    Raises:
        QueryError: If a version does not ask the question, the question's values differ, or there are too few
            responses.
    """
    questions = first.survey.question(name), second.survey.question(name)
    if questions[0].values != questions[1].values:
        raise QueryError(
            f'question "{name}"', "the values of the question differ between the versions", "compare another question"
        )
    terms = [_terms(arm, question) for arm, question in zip((first, second), questions, strict=True)]
    spread = sum((np.cov(arm, rowvar=False, bias=True) / len(arm) for arm in terms), start=np.zeros(1))
    statistic, freedom = chi_square(terms[0].mean(axis=0) - terms[1].mean(axis=0), np.atleast_2d(spread))
    share = _always_no((first, second), questions) if questions[0].kind == "yes_no" else None
    return Agreement(name, statistic, freedom, p_value(statistic, freedom), share)


def shared_arms(first: Responses, second: Responses) -> list[Agreement]:
    """Compare the estimates of each disguised question that two versions of a survey share (see `arms`).

    Raises:
        QueryError: If the two versions share no disguised question, or there are too few responses.
    """
    others = {question.name: question for question in second.survey.questions}
    shared = [
        question.name
        for question in first.survey.questions
        if question.sensitive and question.name in others and others[question.name].values == question.values
    ]
    if not shared:
        raise QueryError(
            "arms", "the versions share no disguised question", "compare versions that ask the same questions"
        )
    return [arms(first, second, name) for name in shared]


def _terms(responses: Responses, question: Question) -> Floats:
    """Return the weight of each asked respondent for each value of a question, shape (responses, values)."""
    responses = responses.among_asked([question.name])
    if len(responses) < 2:  # one has no deviation
        raise QueryError("responses", "there are too few responses to compare", "collect responses first")
    weights = ProductWeights(responses)
    columns = [weights.of({question.name: codes_of_values(question, {value})}) for value in range(len(question.values))]
    return np.stack(columns, axis=1)


def _states(responses: Responses, question: Question, shares: Floats) -> tuple[Floats, Floats]:
    """Return the weights and the probability of each code that may be sent, given the shares of the values."""
    every, asked = every_state(responses.among_asked([question.name]), [question.name])
    rows = listed_rows(every, [question.name])
    if rows is None:
        raise QueryError(
            f'question "{question.name}"', "the question has too many values to compare", "compare another question"
        )
    return _terms(every, question), asked * rows.sent(shares[rows.values])


def _always_no(both: tuple[Responses, Responses], questions: tuple[Question, Question]) -> Estimate | None:
    """Estimate the share of respondents who send "no" regardless of the coin.

    If both versions disguise the question equally, the share cannot be estimated and is None.

    Let h be the share of respondents who use the coin as instructed, and p the frequency of "yes" among these
    respondents. In version i, "yes" is sent with probability ``h (p t_i + (1 - p) l_i)``, where t_i and l_i are the
    probabilities that a "yes" and a "no" are sent as "yes".
    """
    shares, chances = [], []
    for responses, question in zip(both, questions, strict=True):
        yes = question.coding.codes_of(0)
        known = responses.among_asked([question.name])
        column = known.codes[:, known.survey.questions.index(question)]
        shares.append(mean_estimate(np.isin(column, yes).astype(np.float64), (0.0, 1.0)))
        sent = [_states(responses, question, np.eye(2)[value])[1] for value in (0, 1)]
        among = np.tile(np.isin(question.codes, yes), len(sent[0]) // len(question.codes))
        chances.append([float(sent[0][among].sum()), float(sent[1][among].sum())])
    rows = np.array([[true - false, false] for true, false in chances])
    determinant = float(np.linalg.det(rows))
    if abs(determinant) < ROUNDING:
        return None
    others = zip((-np.linalg.inv(rows)[1]).tolist(), shares, strict=True)
    found = weighted_sum(list(others), sum(share.n for share in shares), start=1.0)
    return found if found.interval else None
