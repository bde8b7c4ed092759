"""Cache the last few fitted models.

Caching saves time if learners are compared, because several of them need the same fitted model.
"""

from collections.abc import Callable
from hashlib import sha256
from typing import Any, TypeVar

import numpy as np

from miner.responses.responses import Responses

T = TypeVar("T")
MOST = 4
_FITS: dict[bytes, tuple[Any, Any, int]] = {}


def cached_fit(fit: Callable[..., T], responses: Responses, rng: np.random.Generator, *others: object) -> T:
    """Return ``fit(responses, rng, *others)``, or the cached result of an equal call.

    A cached result also advances the random generator `rng`, as the fit would.

    Args:
        fit: Function whose result depends only on its arguments and is never changed afterwards.
        responses: Disguised responses.
        rng: Random generator for the fit.
        others: Further arguments of `fit`, each of which is completely described by its `repr`.
    """
    if type(responses) is not Responses:  # others know more of respondents than their codes
        return fit(responses, rng, *others)
    state, seeds = rng.bit_generator, rng.bit_generator.seed_seq
    spawned: int = seeds.n_children_spawned  # type: ignore[attr-defined] # of every sequence that NumPy makes
    asked = f"{fit.__module__}.{fit.__qualname__} {others} {state.state} {spawned}"
    header = f"{asked} {responses.survey.fingerprint} {responses.codes.shape}"
    key = sha256(header.encode() + responses.codes.tobytes()).digest()
    if known := _FITS.get(key):
        result: T = known[0]
        state.state = known[1]
        seeds.spawn(known[2])  # type: ignore[attr-defined]
        return result
    result = fit(responses, rng, *others)
    _FITS[key] = result, state.state, seeds.n_children_spawned - spawned  # type: ignore[attr-defined]
    for old in list(_FITS)[:-MOST]:  # another thread may be at it too
        _FITS.pop(old, None)
    return result
