"""The kinds of classifiers that are fitted to disguised responses, by the names that commands and model files use."""

from __future__ import annotations

from miner.learners.baselines import BASELINES
from miner.learners.boosted import BoostedClassifier
from miner.learners.classifier import DisguisedClassifier
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.learners.logit import AdditiveClassifier, LogitClassifier
from miner.learners.random_trees import RandomTreesClassifier

KINDS: dict[str, type[DisguisedClassifier]] = {
    "id3": ID3Classifier,
    "forest": ForestClassifier,
    "random-trees": RandomTreesClassifier,
    "logit": LogitClassifier,
    "additive": AdditiveClassifier,
    "boosted": BoostedClassifier,
    **BASELINES,
}
