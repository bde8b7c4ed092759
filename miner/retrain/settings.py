"""Read the settings of the scheduled job from a small TOML file. `examples/retrain.toml` explains every key."""

import tomllib
from contextlib import suppress
from dataclasses import asdict, dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar, cast

from collector.errors import DeniableError, QueryError, SurveyError
from collector.survey.fields import Fields, read_fraction
from collector.survey_file.text_file import text_of
from miner.forest.tried import tests_tried
from miner.learners.kinds import Role, names_of
from miner.learners.mode_classifier import AUTO, MODES

OF_MODELS = {
    "mode": ("id3", "forest"),
    "n_estimators": ("forest", "random-trees"),
    "max_features": ("forest",),
    "oob_score": ("forest",),
}
"""The models that each parameter goes with."""
MOST_TREES = 10_000
MOST_NEW = 2**40
LARGEST_SEED = 2**32 - 1
Unless = TypeVar("Unless", int, None)

FEWEST_NEW = 20  # smallest number of new responses; fewer would reveal who answered between two runs


@dataclass(frozen=True)
class Settings:
    """Settings of the scheduled job.

    Attributes:
        champion: Path of the model file in use.
        model: Name of a learner of `miner.learners.kinds.Role.PLAIN`.
        mode: Mode, one of `miner.learners.mode_classifier.MODES`, or ``auto`` for a model without modes.
        n_estimators: Number of trees of a forest or of random trees, or None for the model's default.
        max_features: Number of tests that a forest tries at each node, in a form that `miner.forest.tried.tests_tried`
            takes.
        oob_score: Whether a forest's out-of-bag accuracy is registered.
        target: Name of the class question, or None for the survey's class question.
        hold_out: Share of the responses that is never used for training, above 0 and below 1.
        minimum_new: Smallest number of new responses that starts a training.
        level: Significance level of the tests, above 0 and below 1.
        seed: Seed of all random choices.
    """

    champion: Path
    model: str = "id3"
    mode: str = AUTO
    target: str | None = None
    hold_out: Fraction = Fraction(1, 4)
    minimum_new: int = 200
    level: float = 0.05
    seed: int = 1
    n_estimators: int | None = None
    max_features: int | float | str | None = None
    oob_score: bool = False

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the classifier's parameters that the settings determine."""
        asked = {name: getattr(self, name) for name, models in OF_MODELS.items() if self.model in models}
        return {name: value for name, value in asked.items() if value is not None}

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the settings as plain JSON values."""
        return asdict(self) | {"champion": str(self.champion), "hold_out": str(self.hold_out)}


def read_settings(path: Path) -> Settings:
    """Read a settings file.

    Raises:
        InputError: If the file cannot be read as text.
        QueryError: If the settings are not valid. The error message names the file, the place in the file, and the
            remedy.
    """
    text = text_of(path, "a TOML file")
    try:
        return _settings(Fields(tomllib.loads(text, parse_float=Decimal), "retrain"), path.absolute().parent)
    except tomllib.TOMLDecodeError as error:
        raise QueryError(str(path), f"the file is not valid TOML ({error})", "correct that line") from None
    except DeniableError as error:
        raise QueryError(f"{path}: {error.place}", error.problem, error.remedy) from None


def _settings(fields: Fields, folder: Path) -> Settings:
    settings = Settings(
        champion=folder / fields.take("champion", str),
        model=_one_of(fields, "model", names_of(Role.PLAIN), Settings.model),
        mode=_one_of(fields, "mode", MODES, Settings.mode),
        target=fields.take_optional("target", str),
        hold_out=_share(fields),
        minimum_new=_within(fields, "minimum_new", Settings.minimum_new, FEWEST_NEW, MOST_NEW),
        level=_level(fields),
        seed=_within(fields, "seed", Settings.seed, 0, LARGEST_SEED),
        n_estimators=_within(fields, "n_estimators", None, 1, MOST_TREES),
        max_features=_max_features(fields),
        oob_score=fields.take_optional("oob_score", bool) or False,
    )
    fields.finish()
    for name, models in OF_MODELS.items():
        if settings.model not in models and getattr(settings, name) != getattr(Settings, name):
            raise QueryError(fields.within(name), f"{settings.model} has no such setting", "leave the setting out")
    return settings


def _max_features(fields: Fields) -> int | float | str | None:
    given = fields.take_optional_any("max_features")
    asked = float(given) if isinstance(given, Decimal) else given
    tests_tried(asked, 1)
    return cast("int | float | str | None", asked)


def _one_of(fields: Fields, key: str, known: tuple[str, ...], unless_said: str) -> str:
    word = fields.take_optional(key, str)
    word = unless_said if word is None else word
    if word not in known:
        raise QueryError(fields.within(key), "the setting has no such value", f"use one of: {', '.join(known)}")
    return word


def _within(fields: Fields, key: str, unless_said: Unless, least: int, most: int) -> int | Unless:
    number = fields.take_optional(key, int)
    if number is None:
        return unless_said
    if not least <= number <= most:
        raise QueryError(
            fields.within(key), f"the number is not from {least} to {most}", "choose a number in this range"
        )
    return number


def _share(fields: Fields) -> Fraction:
    text, share = fields.take_optional("hold_out", str), Fraction(0)
    if text is None:
        return Settings.hold_out
    with suppress(SurveyError):
        share = read_fraction(text, fields.within("hold_out"))
    if not 0 < share < 1:
        raise QueryError(
            fields.within("hold_out"), "the value is not a share between 0 and 1", 'write text such as "1/4"'
        )
    return share


def _level(fields: Fields) -> float:
    level = fields.take_number("level")
    level = Settings.level if level is None else level
    if not 0 < level < 1:
        raise QueryError(fields.within("level"), "the level is not between 0 and 1", "write a level such as 0.05")
    return float(level)
