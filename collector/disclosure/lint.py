"""One remark on a design, and how its numbers are written."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from collector.disclosure.disclosure import SURELY, Rise

REFUSE, WARN, NOTE = "refuse", "warn", "note"
NEARLY_CERTAIN = Fraction(19, 20)
COMMON = Fraction(9, 10)  # what is this frequent is a safe guess without any response
LOWER = "lower the epsilon under [privacy]"


@dataclass(frozen=True)
class Lint:
    """One remark on a design.

    Attributes:
        severity: ``refuse`` (not to be published), ``warn`` (know this before you publish) or ``note``.
        place: The group or question it is about.
        problem: With numbers.
        remedy: What to do about it.
    """

    severity: str
    place: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.place}: {self.problem}; {self.remedy}"


def percent(rise: Rise) -> str:
    """``20.0% to 50.0%``; 100.0% only where it is certain."""
    before = "not known" if rise.before is None else f"{float(rise.before):.1%}"
    return f"{before} to {certainty(rise.after)}"


def rise_size(rise: Rise) -> Fraction:
    """The most that a chance may rise by."""
    return rise.after - (rise.before or 0)


def certainty(chance: Fraction) -> str:
    """A probability in percent; 100.0% only where it is 1."""
    text = f"{float(chance):.1%}"
    return "over 99.9%" if chance < SURELY and text == "100.0%" else text


def nearly_certain(rise: Rise) -> bool:
    """Whether a value becomes nearly certain that was no safe guess before."""
    return rise.after >= NEARLY_CERTAIN and (rise.before or 0) <= COMMON


def by_gravity(remarks: Sequence[Lint]) -> tuple[Lint, ...]:
    """The gravest first, else in their order."""
    return tuple(sorted(remarks, key=lambda lint: (REFUSE, WARN, NOTE).index(lint.severity)))
