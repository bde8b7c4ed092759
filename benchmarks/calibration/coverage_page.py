"""The page docs/results/coverage_grid.md, made of what `benchmarks.calibration.coverage_grid` measured."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

NOMINAL = 0.95
TOLERANCE = 0.02
DOUBTFUL, AGAIN = 0.015, 3000  # seen so far off, measured again so often
SUMMARY = (
    *("figure", "recommended", "surveys", "least", "mean", "most", "off"),
    *("when met: least", "most", "least often there is one"),
)


def page(results: list[dict[str, Any]]) -> str:
    """The results for people to read: each figure where it is recommended and where not, then every survey."""
    again = sum(len(each.get("first", {})) for each in results)
    shares = ", ".join(f"{share:g}" for share in sorted({each["prevalence"] for each in results}))
    made = (
        f"Made by `python -m benchmarks.calibration.coverage_grid`: {len(results)} surveys of two questions, answered "
        f"{results[0]['repetitions']:,} times each by 300 or 3,000 respondents; complement channel at truth "
        f"9/10, 3/4 and 3/5, uniform at 1/2; frequency of yes {shares}; both questions in one group or each in "
        "its own. An interval counts as recommended in a survey if the responses to it meet what "
        "[estimating](../estimating.md) asks for at least half of the time; *when met* is the coverage of those that "
        f"meet it alone. {again} recommended figures were seen more than {DOUBTFUL:.1%} from 95 %, and were measured "
        f"again, {AGAIN:,} times with fresh seeds, by a rule made before: what is reported of them is the second "
        "figure. *Off* counts surveys more than 2 points from 95 %."
    )
    lines = ["# Coverage of 95 % intervals, over a grid", "", made, "", _heads(SUMMARY), "|---" * len(SUMMARY) + "|"]
    for name, advised in product(results[0]["figures"], (True, False)):
        figures = [each["figures"][name] for each in results if name in each["figures"]]
        lines += _row(name, [each for each in figures if each["recommended"] is advised], advised=advised)
    return "\n".join([*lines, "", *_details(results)]) + "\n"


def _heads(columns: Collection[str]) -> str:
    return f"| {' | '.join(columns)} |"


def _row(name: str, figures: list[dict[str, Any]], *, advised: bool) -> Iterator[str]:
    covered: NDArray[np.float64] = np.array([each["covered"] for each in figures if each["covered"] is not None])
    if not len(covered):
        return
    met = [each["covered_when_met"] for each in figures if advised and each["covered_when_met"] is not None]
    cells = [name, "yes" if advised else "no", str(len(covered))]
    cells += [f"{each:.3f}" for each in (covered.min(), covered.mean(), covered.max())]
    cells.append(str(int((np.abs(covered - NOMINAL) > TOLERANCE).sum())))
    cells += [f"{min(met):.3f}", f"{max(met):.3f}"] if met else ["", ""]
    yield _heads([*cells, f"{min(each['with_interval'] for each in figures):.2f}"])


def _details(results: list[dict[str, Any]]) -> Iterator[str]:
    names = list(dict.fromkeys(name for each in results for name in each["figures"]))
    yield "Every survey; in brackets where it is not recommended, * where measured again, - without an interval:"
    yield ""
    yield _heads(["n", "channel", "truth", "prevalence", "groups", *names])
    yield "|" + "---|" * (5 + len(names))
    for each in results:
        first = each.get("first", {})
        cells = [_detail(each["figures"].get(name)) + "*" * (name in first) for name in names]
        where = [str(each[name]) for name in ("n", "channel", "truth", "prevalence", "groups")]
        yield _heads([*where, *cells])


def _detail(figure: dict[str, Any] | None) -> str:
    if figure is None or figure["covered"] is None:
        return "-"
    text = f"{figure['covered']:.3f}"
    return text if figure["recommended"] else f"({text})"
