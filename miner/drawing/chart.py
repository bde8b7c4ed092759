"""Draw line charts as SVG or PNG with matplotlib.

Each chart has a text alternative, and loads no other files.

The lines of a chart differ in colour, dash and marker, so that readers can distinguish them in a grey print.
Colour-blind people can distinguish the colours (Okabe and Ito 2008).
"""

import re
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from io import BytesIO, StringIO
from math import isfinite
from typing import Any

from collector.errors import QueryError

SIZE = (7.2, 4.6)  # width and height of a chart in inches
DOTS = 150  # resolution of a PNG picture in dots per inch
KEY_COLUMNS = 3
FAINT = 0.6  # opacity of the bars of intervals
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES = ("-", "--", ":", "-.")
MARKERS = ("o", "s", "^", "D")
STYLE: dict[Any, Any] = {"font.size": 10, "svg.fonttype": "none", "font.family": "sans-serif", "axes.spines.top": False}
PART_IDS = re.compile(r' id="[\w.]*_\d+"')  # matplotlib's ids, which every chart has and nothing refers to
Limits = tuple[float, float]


@dataclass(frozen=True)
class Point:
    """Point of a line in a chart.

    Attributes:
        x: Horizontal coordinate, a finite number.
        y: Vertical coordinate, a finite number, above 0 on a logarithmic axis.
        interval: Interval that is drawn as a bar through the point, or None for a point without a bar.
    """

    x: float
    y: float
    interval: Limits | None = None


@dataclass(frozen=True)
class Line:
    """Line of a chart, through points in a given order.

    Attributes:
        name: Name of the line in the legend.
        points: Points of the line, at least one.
        marked: Indices of the points that get a marker, or None for all points.
        path: Coordinates of the drawn line, or None for a line through the points. If the path is empty, only the
            points of the line are drawn.
    """

    name: str
    points: tuple[Point, ...]
    marked: frozenset[int] | None = None
    path: tuple[Point, ...] | None = None


@dataclass(frozen=True)
class Axis:
    """Axis of a chart, with its label and its range.

    Attributes:
        label: Label of the axis, with the unit.
        limits: Smallest and largest number on the axis, or None for the range of the data.
        logarithmic: Whether the scale of the axis is logarithmic.
        whole: Whether the axis shows only whole numbers.
    """

    label: str
    limits: Limits | None = None
    logarithmic: bool = False
    whole: bool = field(default=False, repr=False)


@dataclass(frozen=True)
class Chart:
    """Line chart with a frame.

    Attributes:
        title: Title, which is printed above the chart and read out first.
        description: Text alternative, which describes the chart in a sentence or two.
        x: Horizontal axis.
        y: Vertical axis.
        lines: Lines of the chart, at least one.
        size: Width and height in inches.

    Raises:
        QueryError: If the chart has no points, or a point is outside the range of an axis.
    """

    title: str
    description: str
    x: Axis
    y: Axis
    lines: tuple[Line, ...]
    size: tuple[float, float] = SIZE

    def __post_init__(self) -> None:
        points = [point for line in self.lines for point in line.points]
        if not points:
            raise QueryError("chart", "there is nothing to draw", "give the chart at least one point")
        ends = [end for point in points for end in (point.y, *(point.interval or ()))]
        for axis, numbers in ((self.x, [point.x for point in points]), (self.y, ends)):
            if not all(isfinite(each) and (each > 0 or not axis.logarithmic) for each in numbers):
                raise QueryError(
                    "chart", f'"{axis.label}" has a number that its axis cannot show', "leave that number out"
                )

    @property
    def svg(self) -> str:
        """Return the chart as an SVG document, which may be part of an HTML page with other charts."""
        drawn = StringIO()
        self._save(drawn, "svg", metadata={"Date": None, "Creator": None})
        document = drawn.getvalue()
        whole = PART_IDS.sub("", document[document.index("<svg") :])
        named = f'<svg role="img" aria-labelledby="{self._id}-title {self._id}-text" '
        return whole.replace("<svg ", named, 1).replace(">", f">{self._words}", 1)

    @property
    def png(self) -> bytes:
        """Return the chart as a PNG picture, with its description in the file's metadata."""
        drawn = BytesIO()
        self._save(drawn, "png", dpi=DOTS, metadata={"Software": None, "Description": self.description})
        return drawn.getvalue()

    @property
    def _id(self) -> str:
        """Return an identifier that distinguishes this chart from other charts on an HTML page."""
        return f"chart-{sha256(repr(self).encode()).hexdigest()[:8]}"

    @property
    def _words(self) -> str:
        title = f'<title id="{self._id}-title">{escape(self.title)}</title>'
        return f'\n{title}\n<desc id="{self._id}-text">{escape(self.description)}</desc>'

    def _save(self, target: Any, form: str, **options: Any) -> None:  # noqa: ANN401 - matplotlib's own
        from matplotlib import rc_context  # noqa: PLC0415 - slow to import, and most commands draw nothing
        from matplotlib.figure import Figure  # noqa: PLC0415

        with rc_context(STYLE | {"svg.hashsalt": self._id}):
            figure = Figure(figsize=self.size, layout="constrained")
            axes = figure.add_subplot()
            axes.set_title(self.title, loc="left", fontweight="bold")
            axes.grid(color="#dddddd")
            axes.spines["right"].set_visible(False)
            for number, line in enumerate(self.lines):
                _draw(axes, number, line)
            _measure(axes.xaxis, axes.set_xlim, self.x)
            _measure(axes.yaxis, axes.set_ylim, self.y)
            figure.legend(loc="outside lower center", ncols=min(KEY_COLUMNS, len(self.lines)), frameon=False)
            figure.savefig(target, format=form, **options)


def _draw(axes: Any, number: int, line: Line) -> None:  # noqa: ANN401 - matplotlib's own
    colour = COLOURS[number % len(COLOURS)]
    dash, marker = DASHES[number % len(DASHES)], MARKERS[number % len(MARKERS)]
    if line.path:
        axes.plot(*_places(line.path), color=colour, linestyle=dash)
    axes.plot(
        *_places(line.points),
        label=line.name,
        color=colour,
        linestyle=dash if line.path is None else "",
        marker=None if line.marked == frozenset() else marker,
        markevery=sorted(line.marked) if line.marked else None,
    )
    barred = [(point.x, *point.interval) for point in line.points if point.interval is not None]
    for x, low, high in barred:
        axes.plot([x, x], [low, high], color=colour, marker="_", linewidth=1, alpha=FAINT)


def _places(points: tuple[Point, ...]) -> tuple[list[float], list[float]]:
    return [point.x for point in points], [point.y for point in points]


def _measure(ticks: Any, limit: Any, axis: Axis) -> None:  # noqa: ANN401 - matplotlib's own
    ticks.set_label_text(axis.label)
    if axis.logarithmic:
        ticks.axes.set(**{f"{ticks.axis_name}scale": "log"})
    if axis.whole:
        ticks.get_major_locator().set_params(integer=True)
    if axis.limits is not None:
        limit(*axis.limits)
