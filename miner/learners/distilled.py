"""Learn a tree that people can read from the predictions of the best classifier (Craven & Shavlik 1996)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from miner.behind.mixture.model import FEWEST_RESPONSES
from miner.effects.copies import latent_copies
from miner.learners.auto import AutoClassifier
from miner.learners.id3 import ID3Classifier
from miner.learners.mode_classifier import LATENT, asked_for
from miner.responses.plain_rows import PlainRows, stacked
from miner.responses.responses import Data


class DistilledTreeClassifier(ID3Classifier):
    """ID3 tree on the predictions of `AutoClassifier` for rows that may be behind the responses.

    Arguments and attributes are those of `ID3Classifier`.

    The tree approximates the best classifier, which `choice_.why` names. The tree always learns in latent mode,
    whatever ``mode`` and ``prune_share`` are.
    """

    def _fit(self, data: Data, plain: PlainRows | None, target: str) -> None:
        if not len(data):
            super()._fit(data, plain, target)
            return
        rng, responses = np.random.default_rng(self.random_state), data.in_memory()
        teacher = AutoClassifier(self.survey, target, by=self.by, random_state=self.random_state)
        teacher.fit(responses, plain=plain)
        why = f"distilled from what another classifier predicts: {teacher.why_}"
        self.choice_ = replace(asked_for(LATENT), why=why, comparison=teacher.comparison_)
        known = responses if plain is None else stacked(responses, plain, rng)
        if len(known) < FEWEST_RESPONSES:
            self.choice_ = replace(self.choice_, why=f"{why}; one response")
            self._learn(responses, plain, target)
            self._cut()
            return
        copies = latent_copies(known, target, rng)
        shares = teacher.probabilities(copies.values)
        values, classes = np.repeat(copies.values, shares.shape[1], axis=0), np.arange(shares.shape[1])
        values[:, self.survey.questions.index(self.survey.question(target))] = np.tile(classes, len(shares))
        weights = (shares * (copies.weights * copies.times)[:, np.newaxis]).ravel()
        rows = PlainRows.of(self.survey, values[weights > 0], weights[weights > 0])
        self._learn(known.take([]), rows, target)
        self._recount(len(data) + (0.0 if plain is None else float(plain.weights.sum())))
        self._cut()
