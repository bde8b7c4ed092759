"""The hold-out of the scheduled job, for whoever wants to test its models again."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np

from collector.store.store import Store
from collector.survey.survey import Row, Survey
from miner.models.model import Model
from miner.responses.responses import NOT_ASKED, Responses


def held_out(store: Store, path: Path, model: Model) -> Responses | None:
    """The responses of a store that its scheduled job kept out of training a model, those that came since included.

    Args:
        store: Whose register says whether it trained the model: another store deals its responses in another way.
        path: Of the model file.
        model: What it holds.

    Returns:
        None if the model is not from the scheduled job of this store.
    """
    if model.training.seed is not None:
        return None
    known = {run.model for run in store.registry.runs(model.survey.fingerprint)}
    if digest(path) not in known:
        return None
    return dealt_responses(model.survey, store.dealt(model.survey, model.training.test_share)[1])


def digest(path: Path) -> str | None:
    """SHA-256 of a model file, as the register has it; None if there is no such file."""
    try:
        return sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None


def dealt_responses(survey: Survey, rows: Sequence[Row]) -> Responses:
    """Rows of codes, as the store deals them, sorted: their order there is random."""
    codes = sorted(tuple(NOT_ASKED if code is None else code for code in row) for row in rows)
    return Responses(survey, np.array(codes, dtype=np.int16).reshape(len(rows), len(survey.questions)))
