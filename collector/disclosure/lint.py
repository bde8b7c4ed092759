"""A remark on a design, and the format of the numbers in remarks."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from collector.disclosure.disclosure import SURELY, Rise

REFUSE, WARN, NOTE = "refuse", "warn", "note"
NEARLY_CERTAIN = Fraction(19, 20)
COMMON = Fraction(9, 10)  # frequency from which a value is a safe guess without any response
LOWER = "lower the epsilon under [privacy]"


@dataclass(frozen=True)
class Lint:
    """A remark on a design.

    Attributes:
        severity: ``refuse`` (do not publish), ``warn`` (know this before you publish) or ``note``.
        place: Group or question that the remark is about.
        problem: Problem in words, with numbers.
        remedy: What to do about it.
    """

    severity: str
    place: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.place}: {self.problem}; {self.remedy}"


def percent(rise: Rise) -> str:
    """Return the rise of a probability as text, such as ``20.0% to 50.0%``."""
    before = "not known" if rise.before is None else f"{float(rise.before):.1%}"
    return f"{before} to {certainty(rise.after)}"


def rise_size(rise: Rise) -> Fraction:
    """Return the difference between the largest posterior probability and the prior probability."""
    return rise.after - (rise.before or 0)


def certainty(chance: Fraction) -> str:
    """Return a probability in percent as text, which is never 100.0% for a probability below 1.

    The percentage of a probability below 1 is never shown as 100.0%.
    """
    text = f"{float(chance):.1%}"
    return "over 99.9%" if chance < SURELY and text == "100.0%" else text


def nearly_certain(rise: Rise) -> bool:
    """Return whether a response makes a value nearly certain, although the value is not common under the prior."""
    return rise.after >= NEARLY_CERTAIN and (rise.before or 0) <= COMMON


def by_gravity(remarks: Sequence[Lint]) -> tuple[Lint, ...]:
    """Return remarks sorted by severity, the most severe first."""
    return tuple(sorted(remarks, key=lambda lint: (REFUSE, WARN, NOTE).index(lint.severity)))
