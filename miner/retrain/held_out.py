"""Find the responses that the scheduled job held out, to test its models again."""

from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import numpy as np

from collector.store.store import Store
from collector.survey.survey import Survey
from miner.models.model import Model
from miner.responses.responses import Responses
from miner.responses.tally import Tally


def held_out(store: Store, path: Path, model: Model) -> Responses | None:
    """Return the responses that the scheduled job held out from training a model, and later held-out responses.

    Args:
        store: Store whose register says whether the store's scheduled job trained the model.
        path: Path of the model file.
        model: Model in the file.

    Returns:
        The held-out responses, or None if the model is not from the scheduled job of this store.
    """
    if model.training.seed is not None:
        return None
    known = {run.model for run in store.registry.runs(model.survey.fingerprint)}
    if digest(path) not in known:
        return None
    return dealt_responses(store, model.survey, model.training.test_share)[1]


def digest(path: Path) -> str | None:
    """Return the SHA-256 of a model file as the register has it, or None if the file does not exist."""
    try:
        return sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None


def dealt_responses(store: Store, survey: Survey, share: Fraction) -> tuple[Responses, Responses]:
    """Split the responses of a store into sorted responses to learn from, and sorted held-out responses."""
    parts = [Tally(survey, range(len(survey.questions))) for _ in range(2)]
    for batch, held_out in store.dealt(survey, share):
        numbers = np.frombuffer(batch, batch.typecode).reshape(-1, len(survey.questions)).T
        for which, part in enumerate(parts):
            part.add(list(numbers[:, np.frombuffer(held_out, np.uint8) == which]))
    return Responses.from_tally(parts[0], None), Responses.from_tally(parts[1], None)
