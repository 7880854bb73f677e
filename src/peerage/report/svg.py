"""Drawing: an SVG element with a plot area, axes, and labels that do not cover one another."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

from markupsafe import Markup

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 420.0, 54.0, 10.0, 12.0, 46.0
"""A chart's width and margins. It is scaled to its place on the page, and still readable on a phone."""

_CHARACTER, _LINE = 6.8, 14.0
"""About how wide and how high text is."""

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Axis:
    """A direction of a plot: which values it shows, where, and how they are marked."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    logarithmic: bool = False
    show: Callable[[float], str] = "{:g}".format

    def __call__(self, value: float) -> float:
        """The place of a value; values beyond the ends are drawn at the ends."""
        value = min(max(value, self.low), self.high)
        low, high = self.low, self.high
        if self.logarithmic:
            value, low, high = math.log(value), math.log(low), math.log(high)
        return self.start + (value - low) / (high - low) * (self.end - self.start)


def nice_step(length: float, parts: int) -> float:
    """The smallest of 1, 2 and 5 times a power of ten of which at most so many parts make up a length."""
    rough = length / parts
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= rough * (1 - 1e-9))


def ticks(low: float, high: float, parts: int = 6) -> tuple[float, ...]:
    """Round numbers from low to high."""
    step = nice_step(high - low, parts)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(index * step for index in range(first, last + 1))


@dataclass
class Chart:
    """An SVG element in the making; ``description`` is what a screen reader says of it."""

    height: float
    description: str
    width: float = WIDTH
    root: ET.Element = field(init=False)
    _taken: list[Box] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.root = ET.Element(
            "svg", {"class": "chart", "viewBox": f"0 0 {self.width:g} {self.height:g}", "role": "img"}
        )
        self.root.set("aria-label", self.description)

    def across(self, low: float, high: float, marks: Iterable[float], logarithmic: bool = False) -> Axis:
        """An axis from the left to the right of the plot."""
        return Axis(low, high, LEFT, WIDTH - RIGHT, tuple(marks), logarithmic)

    def up(self, low: float, high: float, marks: Iterable[float], show: Callable[[float], str] = "{:g}".format) -> Axis:
        """An axis from the bottom to the top of the plot."""
        return Axis(low, high, self.height - BOTTOM, TOP, tuple(marks), show=show)

    def add(self, tag: str, kind: str, title: str = "", **attributes: float | str) -> ET.Element:
        """Add an element of a CSS class, with a title that shows when it is pointed at."""
        texts = {name.replace("_", "-"): _number(value) for name, value in attributes.items()}
        element = ET.SubElement(self.root, tag, {"class": kind} | texts)
        if title:
            ET.SubElement(element, "title").text = title
        return element

    def text(self, x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> None:
        """Write some words."""
        self.add("text", kind, x=x, y=y, text_anchor=anchor).text = words

    def frame(self, x: Axis, y: Axis, x_words: str, y_words: str) -> None:
        """Draw both axes, the lines at the ticks of the upright one, and what the axes mean."""
        for value in y.ticks:
            self.add("line", "grid", x1=x.start, x2=x.end, y1=y(value), y2=y(value))
            self.text(x.start - 6, y(value) + 4, y.show(value), "tick", "end")
        self.add("line", "axis", x1=x.start, x2=x.end, y1=y.start, y2=y.start)
        for value in x.ticks:
            self.add("line", "axis", x1=x(value), x2=x(value), y1=y.start, y2=y.start + 4)
            self.text(x(value), y.start + 17, x.show(value), "tick", "middle")
        self.text((x.start + x.end) / 2, y.start + 36, x_words, "label", "middle")
        middle = (y.start + y.end) / 2
        upright = self.add("text", "label", text_anchor="middle", transform=f"translate(12 {middle:.1f}) rotate(-90)")
        upright.text = y_words

    def point(self, kind: str, title: str, x: float, y: float, radius: float) -> None:
        """Draw a point, which names are not to cover."""
        self.add("circle", f"point {kind}", title, cx=x, cy=y, r=radius)
        self._taken.append((x - radius, y - radius, x + radius, y + radius))

    def intervals(self, ends: Iterable[tuple[float, float, float, float]]) -> None:
        """Draw lines, each from one place to another, as one element."""
        self.add("path", "interval", d="".join(f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" for x1, y1, x2, y2 in ends))

    def name(self, x: float, y: float, words: str) -> None:
        """Write a name beside a point, where it covers no other; if there is no such place, leave it out."""
        words = words if len(words) <= 18 else words[:17] + "…"
        width = _CHARACTER * len(words)
        for left, anchor in ((x + 6, "start"), (x - 6 - width, "end")):
            box = (left, y - _LINE / 2, left + width, y + _LINE / 2)
            inside = box[0] >= LEFT and box[2] <= WIDTH and box[1] >= 0
            if inside and not any(_overlap(box, other) for other in self._taken):
                self._taken.append(box)
                self.text(x + 6 if anchor == "start" else x - 6, y + 4, words, "name", anchor)
                return

    def markup(self) -> Markup:
        """The element as it goes into a page."""
        return Markup(ET.tostring(self.root, encoding="unicode"))


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _number(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")
