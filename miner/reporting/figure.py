"""Write an estimate in words, or draw it as a bar with a line over its interval (`drawing/bar.html`)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from collector.disclosure.false_responses import checked_false, rounded_up
from miner.figures.estimate import NOT_KNOWN, Estimate, ShareWithin

BAR = 100.0  # width of a bar, in units of its drawing
LOW = 0.15  # if all shares of a plot are below this share, the plot has a shorter axis
SHORT = (0.05, 0.1, 0.2, 0.3, 0.5)  # possible ends of shorter axes, as shares
UNKNOWN = "not known at this size"
NOT_YET = "not known yet: too few of those who are asked this have responded"


def figure(found: Estimate | None, digits: int = 3) -> str:
    """Return an estimate with its interval, in words.

    The text says if the estimate is impossible, such as a share below 0.
    """
    if found is None:
        return "too few responses to say"
    outside = f"; {found.warning}" if found.warning else ""
    if found.model_based:
        return f"not known: {NOT_KNOWN}"
    if has_no_denominator(found):
        return NOT_YET
    if found.interval is None:
        interval = f", no interval: {found.without_interval}"
    else:
        interval = f" ({found.interval[0]:z.{digits}f} to {found.interval[1]:z.{digits}f})"
    return f"{found.estimate:z.{digits}f}{interval}{outside}"


def has_no_denominator(found: Estimate) -> bool:
    """Return whether a share among those asked is unknown, because perhaps nobody was asked."""
    return isinstance(found, ShareWithin) and found.interval is None


def false_line(shares: Iterable[Estimate | None], responses: int) -> str:
    """Return a sentence on the largest effect of one false response in a hundred on any share, or an empty text.

    Args:
        shares: Shares of all respondents. The function `false_within` handles shares of those asked.
        responses: Number of responses.
    """
    known = [each for each in shares if each is not None and not each.model_based]
    everybody = [each for each in known if not isinstance(each, ShareWithin)]
    if not everybody:
        return ""
    begin = f"If {checked_false(None, responses)} of {responses} responses are false, they move a share"
    how = _moved(everybody, responses)
    if len(everybody) == len(known):
        return f"{begin} by {how}."
    return f"{begin} of all respondents by {how}. Next to shares among those asked stands how far these are moved."


def false_within(shares: Iterable[Estimate | None], responses: int) -> str:
    """Return words on the largest effect of one false response in a hundred on any of some shares, or an empty text."""
    known = [each for each in shares if each is not None and not has_no_denominator(each)]
    false = checked_false(None, responses)
    which = "1 false response moves" if false == 1 else f"{false} false responses move"
    return f"{which} them by {_moved(known, responses)}" if known else ""


def _moved(shares: Iterable[Estimate], responses: int) -> str:
    shifts = [each.shift(checked_false(None, responses)) for each in shares]
    most = max((each.largest for each in shifts if each is not None), default=0.0)
    return "any amount" if None in shifts else f"at most {rounded_up(100 * most, 1)} percentage points"


def is_known(found: Estimate | None) -> bool:
    """Return whether a share is certain enough to be stated, and not model-based."""
    return found is not None and not (found.model_based or found.says_nothing or has_no_denominator(found))


def measure(found: Estimate | None) -> str:
    """Return a measure of a model with its interval, in words.

    If the interval of a measure contains all numbers from 0 to 1, no number is written.
    """
    limits = None if found is None else found.interval
    may_be_any = limits is not None and limits[0] <= 0 and limits[1] >= 1
    return UNKNOWN if may_be_any or (found is not None and found.says_nothing) else figure(found)


def percent(found: Estimate | None) -> str:
    """Return a share with its interval in percent, for a plot. An asterisk marks a share outside 0 to 100 %."""
    return in_percent(found) if is_known(found) else UNKNOWN


def in_percent(found: Estimate | None) -> str:
    """Return a share with its interval in percent, however long the interval is.

    The text says if the share is impossible.
    """
    if found is None or found.model_based or has_no_denominator(found):
        return figure(found)
    mark = "*" if found.outside_unit_interval else ""
    if found.interval is None:
        return f"{_hundredths(found.estimate)} %{mark}, no interval"
    low, high = map(_hundredths, found.interval)
    return f"{_hundredths(found.estimate)} %{mark} ({low} to {high})"


def in_places(found: Estimate | None) -> str:
    """Return a mean place with its interval.

    An asterisk marks a mean place before the first place or after the last place.
    """
    if found is None:
        return figure(found)
    if found.interval is None or found.says_nothing:
        return UNKNOWN
    low, high = found.interval
    return f"{found.estimate:z.2f}{'*' if found.warning else ''} ({low:z.2f} to {high:z.2f})"


def _hundredths(share: float) -> str:
    return f"{100 * share:z.1f}".replace("-", "\N{MINUS SIGN}")


@dataclass(frozen=True)
class Scale:
    """Axis of a plot.

    Attributes:
        low: Value at the beginning of the axis.
        high: Value at the end of the axis.
        labels: Labels at the beginning, the middle and the end of the axis.
    """

    low: float
    high: float
    labels: tuple[str, str, str]


def share_scale(shares: Iterable[Estimate | None]) -> Scale:
    """Return the axis of some shares, from 0 to 100 %.

    If all intervals are low, the axis ends below 100 %.
    """
    known = [each for each in shares if each is not None and is_known(each) and each.interval is not None]
    high = 1.0
    if known and max(each.estimate for each in known) < LOW:
        most = max(each.interval[1] for each in known if each.interval is not None)
        high = next((end for end in SHORT if most <= end), 1.0)
    return Scale(0.0, high, ("0", f"{50 * high:g}", f"{100 * high:g} %"))


def place_scale(items: int) -> Scale:
    """Return the axis of mean places, from the first to the last."""
    return Scale(1.0, float(items), ("1", f"{(1 + items) / 2:g}", f"{items}"))


UNIT = Scale(0.0, 1.0, ("0", "50", "100 %"))


def bar(found: Estimate, scale: Scale = UNIT) -> dict[str, Any]:
    """Return the bar of an estimate with a line over its interval, both cut off at the ends of the scale."""
    ends, length = found.interval or (found.estimate, found.estimate), scale.high - scale.low
    parts = ((each - scale.low) / length for each in (ends[0], found.estimate, ends[1]))
    low, mean, high = (BAR * min(max(each, 0.0), 1.0) for each in parts)
    return {"low": round(low, 2), "mean": round(mean, 2), "high": round(high, 2)}
