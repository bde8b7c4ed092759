"""An estimate in words, and as a bar with a line over its interval (`drawing/bar.html`)."""

from typing import Any

from miner.estimates.estimate import NOT_KNOWN, Estimate

BAR = 100.0  # its width


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


def bar(found: Estimate) -> dict[str, Any]:
    """A bar from 0 with a line over the interval, cut off at the ends of the scale; the words beside it are not."""
    ends = found.interval or (found.estimate, found.estimate)
    low, mean, high = (BAR * min(max(each, 0.0), 1.0) for each in (ends[0], found.estimate, ends[1]))
    return {"low": round(low, 2), "mean": round(mean, 2), "high": round(high, 2)}
