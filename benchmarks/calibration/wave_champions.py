"""How often the scheduled job replaces a champion by a worse model when a new wave begins.

    python -m benchmarks.calibration.wave_champions          # 200 pairs of waves, some minutes
    python -m benchmarks.calibration.wave_champions 20       # so many pairs

Both waves ask the same questions of other people with the same answers. The first wave has 1,500 responses, the second
60 to 400, so that the model of the second is mostly the worse one. Both models are judged on 20,000 undisguised people:
a model is worse if its accuracy there is at least .02 lower. Prints how many new models were worse and were promoted
all the same, with the standard error of that share, and how many were better and were promoted.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.results import ROOT
from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import read_survey_file
from miner.learners.classifier import DisguisedClassifier
from miner.models.model import read_model
from miner.responses.responses import Values, value_indices
from miner.retrain.job import retrain
from miner.retrain.settings import Settings
from miner.simulation.simulation import simulate

sys.path.insert(0, str(ROOT / "examples"))
from population import draw_answers  # type: ignore[import-not-found] # an example, and no package

PAIRS, FIRST, PEOPLE, WORSE = 200, 1500, 20_000, 0.02


def accuracy(model: Path, values: Values) -> float:
    """Return the share of undisguised people whose class a model predicts."""
    learner: DisguisedClassifier = read_model(model).classifier
    return float((np.asarray(learner.probabilities(values)).argmax(axis=1) == values[:, -1]).mean())


def pair(survey: Survey, people: Values, seed: int) -> tuple[float, float, bool]:
    """Return the accuracy of the first wave's champion and of the second wave's model, and whether it was promoted."""
    rng = np.random.default_rng((61, seed))
    with TemporaryDirectory() as folder, Store(Path(folder) / "s.db", create=True) as store:
        settings = Settings(Path(folder) / "champion.json", mode="robust", minimum_new=20)
        for wave, count in ((1, FIRST), (2, int(rng.integers(60, 401)))):
            published = store.publish(replace(survey, wave=wave), new_version=wave > 1).survey
            answers = value_indices(survey, draw_answers(count, rng))
            store.add(published, simulate(published, answers, rng).codes.tolist())
            before = settings.champion.read_bytes() if wave > 1 else b""
            retrain(store, survey.name, settings)
        promoted, alone = settings.champion.read_bytes() != before, Path(folder) / "alone.json"
        retrain(store, survey.name, replace(settings, champion=alone), force=True)
        first = Path(folder) / "first.json"
        first.write_bytes(before)
        return accuracy(first, people), accuracy(alone, people), promoted


def main(arguments: list[str]) -> None:
    """Run and print."""
    survey = read_survey_file(ROOT / "examples" / "wellbeing.toml")
    people = value_indices(survey, draw_answers(PEOPLE, np.random.default_rng(60)))
    found = []
    for seed in range(int(arguments[0]) if arguments else PAIRS):
        found.append(pair(survey, people, seed))
        worse = [promoted for before, after, promoted in found if after <= before - WORSE]
        better = [promoted for before, after, promoted in found if after >= before + WORSE]
        share = sum(worse) / max(1, len(worse))
        print(
            f"{len(found)} pairs: {len(worse)} new models were worse by {WORSE}, {sum(worse)} of them promoted "
            f"({share:.3f}, standard error {sqrt(share * (1 - share) / max(1, len(worse))):.3f}); {len(better)} were "
            f"better, {sum(better)} promoted",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
