"""An estimate in words, and as a bar with a line over its interval (`drawing/bar.html`)."""

from collections.abc import Iterable
from typing import Any

from collector.disclosure.false_responses import checked_false
from miner.estimates.estimate import NOT_KNOWN, Estimate

BAR = 100.0  # its width
UNKNOWN = "not known at this size"


def figure(found: Estimate | None, digits: int = 3) -> str:
    """An estimate with its interval, in words; what cannot be is said to be so."""
    if found is None:
        return "too few responses to say"
    outside = f"; {found.warning}" if found.warning else ""
    if found.model_based:
        return f"not known: {NOT_KNOWN}"
    if found.interval is None:
        told = f", no interval: {found.without_interval}"
    else:
        told = f" ({found.interval[0]:.{digits}f} to {found.interval[1]:.{digits}f})"
    return f"{found.estimate:.{digits}f}{told}{outside}"


def false_line(shares: Iterable[Estimate | None], responses: int) -> str:
    """A sentence on how far one false response in a hundred can have moved any of these shares; empty without any."""
    known = [each for each in shares if each is not None and not each.model_based]
    false = checked_false(None, responses)
    if not known:
        return ""
    shifts = [each.shift(false) for each in known]
    most = max((each.largest for each in shifts if each is not None), default=0.0)
    how = "any amount" if None in shifts else f"at most {most:.3f}"
    return f"If {false} of {responses} responses are false, they move a share by {how}."


def is_known(found: Estimate | None) -> bool:
    """Whether a share can be stated: estimated without a model, from enough responses to narrow it down."""
    return found is not None and not found.model_based and not found.says_nothing


def measure(found: Estimate | None) -> str:
    """A measure of a model with its interval, in words; no figure where the interval has all numbers from 0 to 1."""
    return UNKNOWN if found is not None and found.says_nothing else figure(found)


def percent(found: Estimate | None) -> str:
    """A share with its interval in percent, for a plot; * marks one that is outside 0 to 100 %."""
    if found is None or not is_known(found):
        return UNKNOWN
    mark = "*" if found.outside_unit_interval else ""
    if found.interval is None:
        return f"{_hundredths(found.estimate)} %{mark}, no interval"
    low, high = map(_hundredths, found.interval)
    return f"{_hundredths(found.estimate)} %{mark} ({low} to {high})"


def _hundredths(share: float) -> str:
    return f"{100 * share:.1f}".replace("-0.0", "0.0").replace("-", "\N{MINUS SIGN}")


def bar(found: Estimate) -> dict[str, Any]:
    """A bar from 0 with a line over the interval, cut off at the ends of the scale; its words are not."""
    ends = found.interval or (found.estimate, found.estimate)
    low, mean, high = (BAR * min(max(each, 0.0), 1.0) for each in (ends[0], found.estimate, ends[1]))
    return {"low": round(low, 2), "mean": round(mean, 2), "high": round(high, 2)}
