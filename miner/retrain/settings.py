"""Settings of the scheduled job: a small TOML file. `examples/retrain.toml` explains every key."""

import tomllib
from contextlib import suppress
from dataclasses import asdict, dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from collector.errors import DeniableError, QueryError, SurveyError
from collector.survey.fields import Fields, read_fraction
from collector.survey_file.text_file import text_of
from miner.learners.modes import AUTO, MODES

MODELS = ("id3", "forest", "random-trees", "logit", "additive", "boosted")
WITH_MODES = ("id3", "forest")
MOST_NEW = 2**40
LARGEST_SEED = 2**32 - 1
FEWEST_NEW = 20  # fewer would tell who answered between two runs


@dataclass(frozen=True)
class Settings:
    """What the job does.

    Attributes:
        champion: The model file in use.
        model: One of `MODELS`.
        mode: One of `miner.learners.modes.MODES`; ``auto`` for a model without modes.
        target: Name of the class question; None for the survey's own.
        hold_out: Share of the responses that is never trained on, above 0 and below 1.
        minimum_new: Fewer responses than this since the last training: nothing is done.
        level: Of the tests, above 0 and below 1.
        seed: Decides what chance decides.
    """

    champion: Path
    model: str = "id3"
    mode: str = AUTO
    target: str | None = None
    hold_out: Fraction = Fraction(1, 4)
    minimum_new: int = 200
    level: float = 0.05
    seed: int = 1

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self) | {"champion": str(self.champion), "hold_out": str(self.hold_out)}


def read_settings(path: Path) -> Settings:
    """Read a settings file.

    Raises:
        InputError: If the file cannot be read as text.
        QueryError: Naming the file, the place in it and the remedy.
    """
    text = text_of(path, "a TOML file")
    try:
        return _settings(Fields(tomllib.loads(text, parse_float=Decimal), "retrain"), path.absolute().parent)
    except tomllib.TOMLDecodeError as error:
        raise QueryError(str(path), f"it is not TOML ({error})", "correct that line") from None
    except DeniableError as error:
        raise QueryError(f"{path}: {error.place}", error.problem, error.remedy) from None


def _settings(fields: Fields, folder: Path) -> Settings:
    settings = Settings(
        champion=folder / fields.take("champion", str),
        model=_one_of(fields, "model", MODELS, Settings.model),
        mode=_one_of(fields, "mode", MODES, Settings.mode),
        target=fields.take_optional("target", str),
        hold_out=_share(fields),
        minimum_new=_within(fields, "minimum_new", Settings.minimum_new, FEWEST_NEW, MOST_NEW),
        level=_level(fields),
        seed=_within(fields, "seed", Settings.seed, 0, LARGEST_SEED),
    )
    fields.finish()
    if settings.model not in WITH_MODES and settings.mode != AUTO:
        raise QueryError("retrain, mode", f"{settings.model} has no modes", "leave it out")
    return settings


def _one_of(fields: Fields, key: str, known: tuple[str, ...], unless_said: str) -> str:
    word = fields.take_optional(key, str)
    word = unless_said if word is None else word
    if word not in known:
        raise QueryError(fields.within(key), "there is no such thing", f"use one of: {', '.join(known)}")
    return word


def _within(fields: Fields, key: str, unless_said: int, least: int, most: int) -> int:
    number = fields.take_optional(key, int)
    number = unless_said if number is None else number
    if not least <= number <= most:
        raise QueryError(fields.within(key), f"it is not from {least} to {most}", "choose another number")
    return number


def _share(fields: Fields) -> Fraction:
    text, share = fields.take_optional("hold_out", str), Fraction(0)
    if text is None:
        return Settings.hold_out
    with suppress(SurveyError):
        share = read_fraction(text, fields.within("hold_out"))
    if not 0 < share < 1:
        raise QueryError(fields.within("hold_out"), "it is no share between 0 and 1", 'write text such as "1/4"')
    return share


def _level(fields: Fields) -> float:
    level = fields.take_number("level")
    level = Settings.level if level is None else level
    if not 0 < level < 1:
        raise QueryError(fields.within("level"), "it is not between 0 and 1", "write a level such as 0.05")
    return float(level)
