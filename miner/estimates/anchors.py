"""Two checks that people answered as asked: an anchor question, and two truth probabilities.

*Anchor.* A question whose frequencies are known, such as a birth quarter, or an instruction ("choose the second").
The survey file states them as its prior, or the researcher states that they are equal. Estimates that differ from them
significantly show that respondents did not answer truthfully, or are not a sample of the population with the known
frequencies. If careless respondents choose all values equally often and all others answer truthfully, the share of
careless respondents can be estimated.

*Arms.* The same question in two versions of a survey, disguised with different truth probabilities and assigned to
respondents at random. If all respondents follow the procedure, both arms have the same expected estimates. If a share
of them sends "no" regardless of the coin, the estimates differ, and the share can be estimated (Clark & Desharnais
1998). In the browser the coin is drawn by the script, so this applies to answers by hand, on paper or from other
software.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from collector.errors import QueryError
from collector.survey.question import Question
from miner.arrays import Floats
from miner.behind.rows import listed_rows
from miner.estimates.estimate import Estimate, mean_estimate
from miner.estimates.independence import chi_square, p_value
from miner.estimates.ratios import weighted_sum
from miner.json_values import JsonResult
from miner.responses.responses import Responses, codes_of_values
from miner.weights.events import with_conditions
from miner.weights.weights import ProductWeights, every_state

ROUNDING = 1e-9


@dataclass(frozen=True)
class Agreement(JsonResult):
    """Agreement of a question's estimates with their expected values.

    Attributes:
        question: Its name.
        statistic: Chi-square.
        degrees_of_freedom: Degrees of freedom of its distribution under agreement.
        p_value: Probability of a statistic at least this large under agreement.
        share: Share of respondents who did not answer as asked: careless for an anchor, always "no" for two arms. None
            if it cannot be estimated.
    """

    question: str
    statistic: float
    degrees_of_freedom: int
    p_value: float
    share: Estimate | None


def anchors(responses: Responses, *known: str, even: Sequence[str] = ()) -> list[Agreement]:
    """Compare the estimates of questions with frequencies that are known for certain.

    Args:
        responses: To the survey.
        known: Names of questions whose prior in the survey file is known.
        even: Names of questions whose values are known to be equally frequent.

    Raises:
        QueryError: If there is no such question, its survey states no prior, or there are too few responses.
    """
    found = [anchored(responses, name) for name in known]
    return found + [anchored(responses, name, even=True) for name in even]


def anchored(responses: Responses, name: str, *, even: bool = False) -> Agreement:
    """Compare the estimates of a question with its prior, which is assumed to be known.

    Args:
        responses: To the survey.
        name: Name of the question.
        even: Whether its values are known to be equally frequent; the prior is then not used.

    Raises:
        QueryError: If there is no such question, its survey states no prior, or there are too few responses.
    """
    question = responses.survey.question(name)
    if not even and len(set(question.prior)) == 1:  # a survey that states none reads so
        remedy = f"state it before publishing, or say --even {name} if its values are known to be alike frequent"
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
        second: Responses to the other, by other people, assigned at random.
        name: Name of a question that both ask, with the same values.

    Raises:
        QueryError: If one does not ask it, its values differ, or there are too few responses.
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
    """`arms` for each disguised question that both versions ask, with the same values.

    Raises:
        QueryError: If there is none, or too few responses.
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
    """The weight of each response for each value, among respondents who were asked: shape (responses, values)."""
    responses = responses.among_asked([question.name])
    if len(responses) < 2:  # one has no deviation
        raise QueryError("responses", "there are too few responses to compare", "collect responses first")
    weights = ProductWeights(responses)
    columns = [weights.of({question.name: codes_of_values(question, {value})}) for value in range(len(question.values))]
    return np.stack(columns, axis=1)


def _states(responses: Responses, question: Question, shares: Floats) -> tuple[Floats, Floats]:
    """The weights of each code that may be sent, shape (kinds, values), and P(kind) where the values have shares.

    There is one kind for each code, in order; if theta depends on which questions were asked, for each such set.
    """
    every, asked = every_state(responses.among_asked([question.name]), [question.name])
    rows = listed_rows(every, [question.name])
    if rows is None:
        raise QueryError(
            f'question "{question.name}"', "the question has too many values to compare", "compare another"
        )
    return _terms(every, question), asked * rows.sent(shares[rows.values])


def _always_no(both: tuple[Responses, Responses], questions: tuple[Question, Question]) -> Estimate | None:
    """The share that sends "no" regardless of the coin; None if both arms have the same channel.

    With h the share of the others and p the frequency of yes among them, a yes is sent in arm i with probability
    ``h (p t_i + (1 - p) l_i)``, where t and l are the chances that a yes and a no are sent as yes. Two arms give two
    linear equations in h p and h.
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
