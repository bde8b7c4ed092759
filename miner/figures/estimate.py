"""Hold an estimate with its standard error and interval: a share, an amount, a difference, a share within a subgroup.

Estimates and intervals are not clipped to their possible range. With fewer than `FEWEST` responses an estimate has
neither an interval nor a standard error, because both would be unreliable.
"""

from dataclasses import asdict, dataclass, field
from math import inf, isfinite, nan
from typing import Any, ClassVar, Self

from collector.disclosure.false_responses import Shift
from collector.errors import ModelError
from collector.survey.fields import Fields
from miner.figures.score import interval_name

FEWEST = 10  # smallest number of responses for an interval, as measured (`miner.figures.score`)
OUTSIDE = "outside {}, its possible range: too few responses for this much disguise"
FAR_OUTSIDE = (
    "outside {}, its possible range, by four standard errors or more, which is not chance: people may not have "
    "followed the design (miner anchors), the survey file may state another design or recoding than was used, or "
    "responses may be false"
)
FAR = 4.0  # standard errors beyond which an estimate is not outside its possible range by chance
SAYS_NOTHING = "{n} responses under so many coins leave every share possible; use a model that asks fewer questions"
NOT_KNOWN = (
    "hardly anybody was asked all that the model looks at; rehearse it with a pilot (miner plan --pilot), "
    "or ask everybody everything"
)
NEAR = "outside 0 to 1 by chance: the share is near {}, and an unbiased estimate may lie on either side of it"
LARGEST_ERROR = 1.0
"""Standard error of a share above which JSON has null: its interval is four times as wide as 0 to 1, or wider."""
UNVARIED = "every response counts the same"
ONE_CLUSTER = "its people are in too few clusters for a standard error"
CLOSE = 0.02  # distance from 0 or 1 beyond which an estimate outside shows that there are too few responses
BROOM = ("estimate", "std.error", "statistic", "p.value", "conf.low", "conf.high")
Range = tuple[float, float]
ROUNDING = 1e-12


@dataclass(frozen=True)
class Estimate:
    """Estimate of a mean or share, with its standard error and interval.

    Attributes:
        estimate: Unbiased estimate, which may be below 0 or above 1.
        standard_error: Sample standard deviation / sqrt(n), or None with fewer than `FEWEST` responses.
        interval: Interval of the set level (`miner.figures.score.level`), 95 % unless set, or None with fewer than
            `FEWEST` responses or with a denominator that does not differ significantly from 0.
        n: Number of responses.
        model_based: Whether the figure could only be computed from a fitted model of the answers. If an estimate comes
            from a fitted model, it is not shown, because its interval would not include the bias of the model.
        extremes: Smallest and largest weight that a response can have, or None if the estimate is not the share of a
            condition.
        note: Why there is no standard error despite enough responses, or a warning about few clusters; or an empty
            text.
    """

    estimate: float
    standard_error: float | None
    interval: Range | None
    n: int
    model_based: bool = False
    extremes: Range | None = field(default=None, repr=False, compare=False)
    note: str = field(default="", repr=False, compare=False)

    def shift(self, false: int) -> Shift | None:
        """Return how far the share among true responses may differ from the estimate if some responses are false.

        If no code stands for several values, the distances are exact, whatever codes the false responses contain.

        Returns:
            Largest distances above and below the estimate, or None if the estimate is not the share of a condition or
            all responses are false.
        """
        if self.extremes is None or false >= self.n:
            return None
        (low, high), times = self.extremes, false / (self.n - false)
        return Shift(times * (high - self.estimate), times * (self.estimate - low))

    @property
    def outside_unit_interval(self) -> bool:
        """Whether the estimate is below 0 or above 1."""
        return not (self.model_based or self.is_lost or 0 <= self.estimate <= 1)

    @property
    def as_json(self) -> dict[str, Any]:
        """The figures of the estimate as plain JSON values, with `outside_unit_interval`."""
        return {**self.figures, "outside_unit_interval": self.outside_unit_interval}

    @property
    def figures(self) -> dict[str, Any]:
        """The attributes as plain JSON values.

        If the standard error or the interval is not known, it is null, and `why` gives the reason.
        """
        attributes = asdict(self)
        del attributes["extremes"], attributes["note"]
        if self.is_lost:
            unknown = dict.fromkeys(("estimate", "standard_error", "interval"))
            return unknown | {"n": self.n, "why": SAYS_NOTHING.format(n=self.n)}
        if self.model_based:
            return attributes | {"estimate": None, "standard_error": None, "why": NOT_KNOWN}
        found = {key: attributes[key] for key in attributes if key != "model_based"}
        if self.note:
            return found | {"why" if self.standard_error is None else "note": self.note}
        return found if self.varied else found | {"standard_error": None, "why": UNVARIED}

    @property
    def line(self) -> str:
        """Line of text with the estimate, its standard error and its interval."""
        outside = f"; {self.warning}" if self.warning else ""
        if self.model_based:
            return f"not known: {NOT_KNOWN}"
        if self.says_nothing:
            low, high = self.interval or (0.0, 1.0)
            ends = "is wider than 0 to 1" if self.is_lost else f"{low:z.2f} to {high:z.2f}"
            return f"not known: {SAYS_NOTHING.format(n=self.n)} ({interval_name()} {ends})"
        if self.interval is None:
            return f"{self.estimate:z.4f} (no interval: {self.without_interval}{outside})"
        error = f"standard error {self.standard_error:z.4f}" if self.varied else UNVARIED
        outside += f"; {self.note}" if self.note else ""
        low, high = self.interval
        return f"{self.estimate:z.4f} ({error}, {interval_name()} {low:z.4f} to {high:z.4f}{outside})"

    @property
    def says_nothing(self) -> bool:
        """Whether the interval of a share is wider than 1 or contains all numbers from 0 to 1."""
        if self.model_based or self.interval is None:
            return False
        low, high = self.interval
        return (low <= 0 and high >= 1) or high - low > 1

    @property
    def is_lost(self) -> bool:
        """Whether the standard error of a share is above `LARGEST_ERROR`, so that the estimate is not shown."""
        return self.says_nothing and self.standard_error is not None and self.standard_error > LARGEST_ERROR

    @property
    def warning(self) -> str:
        """Warning if the estimate is outside [0, 1]; otherwise an empty text."""
        if not self.outside_unit_interval:
            return ""
        end = 0 if self.estimate < 0 else 1
        near = self.interval is not None and self.interval[0] <= end <= self.interval[1]
        if near and abs(self.estimate - end) <= CLOSE:
            return NEAR.format(end)
        return self.impossible((0.0, 1.0), "0 to 1")

    def impossible(self, possible: Range, words: str) -> str:
        """Return the likely reason why the estimate is outside its possible range.

        Args:
            possible: Possible range of the estimated quantity.
            words: Possible range in words.
        """
        away = max(possible[0] - self.estimate, self.estimate - possible[1])
        far = self.standard_error is not None and self.varied and away >= FAR * self.standard_error
        return (FAR_OUTSIDE if far else OUTSIDE).format(words)

    @property
    def without_interval(self) -> str:
        """Reason why the estimate has no interval, if `interval` is None."""
        known = self.standard_error is not None
        if self.note and not known:
            return self.note
        return "its denominator is not significantly different from 0" if known else f"fewer than {FEWEST} responses"

    @property
    def varied(self) -> bool:
        """Whether the standard error is known to be above 0, or the interval has no width."""
        low, high = self.interval or (0.0, 0.0)
        return (self.standard_error or 0.0) > ROUNDING or high - low <= ROUNDING

    def broom(self, p_value: float | None = None) -> dict[str, float]:
        """Return the numbers of the estimate, or NaN if unknown, by the column names of R's package broom.

        Args:
            p_value: P value of the test that the estimated quantity is 0, or None without a test.
        """
        low, high = self.interval or (nan, nan)
        error = nan if self.standard_error is None else self.standard_error
        tested = p_value is not None and error > 0
        statistic = self.estimate / error if tested else nan
        return dict(
            zip(BROOM, (self.estimate, error, statistic, nan if p_value is None else p_value, low, high), strict=True)
        )

    def short(self, digits: int = 3) -> str:
        """Return the estimate with its standard error in brackets, as text.

        An impossible estimate is marked by ``*``.
        """
        if self.model_based or self.says_nothing:
            return "-"
        error = f" ({self.standard_error:.{digits}f})" if self.standard_error is not None and self.varied else ""
        return f"{self.estimate:z.{digits}f}{'*' if self.warning else ''}{error}"

    def _repr_html_(self) -> str:
        error = f"{self.standard_error:.4f}" if self.standard_error is not None and self.varied else "none"
        mean = "not known" if self.model_based else f"{self.estimate:z.4f}"
        ends = "none" if self.interval is None else f"{self.interval[0]:z.4f} to {self.interval[1]:z.4f}"
        names = f"<tr><th>estimate</th><th>standard error</th><th>{interval_name()}</th><th>responses</th></tr>"
        return f"<table>{names}<tr><td>{mean}</td><td>{error}</td><td>{ends}</td><td>{self.n}</td></tr></table>"

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read an estimate from the JSON values that `as_json` returns.

        Raises:
            DeniableError: If the JSON values are not those of an estimate.
        """
        mean, error = fields.take_number("estimate"), fields.take_number("standard_error")
        limits = fields.all_of("interval", fields.take_optional("interval", list) or [], float)
        model_based, why = fields.take_optional("model_based", bool) or False, fields.take_optional("why", str)
        n, outside = fields.take("n", int), fields.take("outside_unit_interval", bool)
        fields.finish()
        if not limits and mean is None and error is None and not outside and (model_based or why is not None):
            return cls(nan, None, None, n, model_based=True) if model_based else cls(nan, inf, (-inf, inf), n)
        if error is not None or why == UNVARIED:
            error = float(error or 0)  # a whole number of JSON is read as one
        found = cls(float(mean or 0), error, (limits[0], limits[-1]) if limits else None, n)
        whole = mean is not None and (error is not None or n < FEWEST) and len(limits) in {0, 2}
        whole = whole and all(map(isfinite, limits)) and (error is not None or not limits) and not model_based
        if not whole or outside != found.outside_unit_interval:
            raise ModelError(
                fields.place, "the figures of the estimate contradict each other", "compute the estimate again"
            )
        return found


@dataclass(frozen=True)
class Amount(Estimate):
    """Estimate of a quantity that may be above 1 but not below 0, such as a loss or a lift."""

    possible: ClassVar[Range] = (0.0, inf)

    @property
    def outside_unit_interval(self) -> bool:
        """Return False, because the quantity is not a share, so that it may be above 1."""
        return False

    @property
    def says_nothing(self) -> bool:
        """Return False, because the quantity is shown however wide its interval is."""
        return False

    @property
    def outside_possible_range(self) -> bool:
        """Whether the estimate is outside the possible range of the quantity."""
        return not self.model_based and not self.possible[0] <= self.estimate <= self.possible[1]

    @property
    def warning(self) -> str:
        """Explanation if the estimate is impossible; otherwise an empty text."""
        low, high = self.possible
        ends = f"{low:g} to {high:g}" if isfinite(high) else f"{low:g} and above"
        return self.impossible(self.possible, ends) if self.outside_possible_range else ""

    @property
    def as_json(self) -> dict[str, Any]:
        """The figures of the estimate as plain JSON values, with `outside_possible_range`."""
        return {**self.figures, "outside_possible_range": self.outside_possible_range}


@dataclass(frozen=True)
class Difference(Amount):
    """Estimated difference of two shares or of two accuracies."""

    possible: ClassVar[Range] = (-1.0, 1.0)


@dataclass(frozen=True)
class ShareWithin(Estimate):
    """Estimated share within a subgroup, which is a ratio of two estimates.

    Attributes:
        size: Estimated share of the subgroup among all respondents.
        ends: Pairs (numerator, denominator) whose convex hull contains all pairs of weights that a response can have.
    """

    size: float = field(default=1.0, repr=False, compare=False)
    ends: tuple[Range, ...] = field(default=(), repr=False, compare=False)

    def shift(self, false: int) -> Shift | None:
        """Return how far the share among true responses may differ from the estimate if some responses are false.

        Returns:
            Largest distances above and below the estimate, or None if the subgroup may be empty.
        """
        if false >= self.n:
            return None
        whole, part = self.n * self.size, self.n * self.size * self.estimate
        others = [(part - false * numerator, whole - false * denominator) for numerator, denominator in self.ends]
        if not others or min(denominator for _, denominator in others) <= 0:
            return None
        shares = [numerator / denominator for numerator, denominator in others]
        return Shift(max(0.0, self.estimate - min(shares)), max(0.0, max(shares) - self.estimate))

    @property
    def figures(self) -> dict[str, Any]:
        """The figures of the estimate as plain JSON values."""
        found = super().figures
        return {key: value for key, value in found.items() if key not in {"size", "ends"}}
