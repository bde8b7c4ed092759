"""Refuse a deposit that was not declared, comes too early, or would single somebody out."""

from collections.abc import Sequence
from math import isfinite

import numpy as np

from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import QueryError
from collector.store.published import Published
from collector.survey.survey import Survey
from miner.responses.distinct import alike

PROMISES = ("consent", "privacy")
"""Texts of the study card that may promise to publish no responses."""


def check_declared(published: Published, wordings: Sequence[Survey], *, for_good: bool, texts_allow: bool) -> None:
    """Check that a version may be deposited, whatever its responses are.

    Args:
        published: Version to deposit.
        wordings: All wordings of all versions of the survey.
        for_good: Whether the survey is closed for good.
        texts_allow: Whether somebody has read the privacy notice and the consent text, and they allow it.

    Raises:
        QueryError: If the version may not be deposited.
    """
    survey = published.survey
    place = f'survey "{survey.name}" version {published.version}'
    if not survey.deposit:
        remedy = "write deposit = true into a survey file before the first answer, and publish figures of this one only"
        raise QueryError(place, "its survey file does not declare a deposit", remedy)
    if not for_good:
        raise QueryError(place, "it can still be answered or withdrawn from", "collector close NAME --for-good")
    if any(each.wave > 1 for each in wordings):
        raise QueryError(place, "the same people may have answered several waves", "publish figures of it only")
    if not isfinite(SurveyPrivacy(survey).epsilon):
        raise QueryError(place, "no epsilon holds for a whole response", "publish figures of it only")
    promised = [key for key in PROMISES if any(getattr(each.study, key, None) is not None for each in wordings)]
    if promised and not texts_allow:
        problem = f"respondents read a text about {' and '.join(promised)}, which may deny a deposit"
        raise QueryError(place, problem, "read it in every language; if it allows this, give --privacy-text-allows")


def check_cells(survey: Survey, cells: Sequence[Sequence[int | None]], fewest: int) -> None:
    """Check that everybody has the same undisguised part of a response as enough others.

    The undisguised part is the answers to undisguised questions, which stratum, cluster and sampling weight come from,
    which questions were asked, and whether the person disguised the answers by hand.

    Args:
        survey: Published survey.
        cells: Numbers of responses, as `collector.store.store.Store.cells` returns them.
        fewest: Smallest number of responses with equal undisguised parts.

    Raises:
        QueryError: If some have fewer. The error names no value and no group of people.
    """
    table = np.array([[-1 if each is None else each for each in row] for row in cells], np.int64)
    counts, parts = table[:, 0].astype(np.float64), table[:, 1:]
    small = _small(parts, counts, fewest)
    if not small:
        return
    plain = [each.name for each in survey.questions if not survey.is_disguised(each.name)]
    without = {name: _small(np.delete(parts, place, 1), counts, fewest) for place, name in enumerate(plain, start=1)}
    names = [name for name in plain if without[name] < small]
    remedy = f"ask {', '.join(names)} with fewer values next time" if names else "collect more responses"
    problem = f"{small} groups of people who are alike in all that is not disguised have fewer than {fewest} people"
    raise QueryError("deposit", problem, remedy)


def _small(parts: np.ndarray[tuple[int, int], np.dtype[np.int64]], counts: np.ndarray, fewest: int) -> int:
    return int((alike(parts, counts)[1] < fewest).sum()) if parts.shape[1] else int(counts.sum() < fewest)
