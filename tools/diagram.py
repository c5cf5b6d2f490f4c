"""A small vocabulary of boxes and arrows, written as SVG.

A figure is data: boxes at fixed places, arrows between their sides, labels beside the arrows. The
picture has an opaque light background, so it reads the same on a white and on a dark page.
`offences()` finds text that does not fit its box, that other text covers, or that a line crosses.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from xml.sax.saxutils import escape

INK, FAINT, PAPER, EDGE = "#24292f", "#57606a", "#ffffff", "#d0d7de"

# The kinds of boxes: fill, edge, and word in the legend.
KINDS = {
    "thread": ("#e3edfb", "#4a78b5", "thread"),
    "queue": ("#fdf0d5", "#b98a2e", "queue or buffer"),
    "parameters": ("#e2f3e3", "#4c9a57", "parameters"),
    "environment": ("#efe9f7", "#7d64a8", "environments"),
    "step": ("#f6f8fa", "#8c959f", "computation"),
}

TITLE, TEXT, CODE = 13.0, 11.5, 10.5  # sizes of type
FONTS = "Helvetica, Arial, 'DejaVu Sans', sans-serif"
MONOSPACE = "Menlo, Consolas, 'DejaVu Sans Mono', monospace"
LEADING = 1.35  # from line to line, in sizes of type

# Widths of letters in ems, at least those of the widest font above.
WIDTHS = {0.36: "ijlI.,:;'|!()[] ", 0.45: "ftr/-", 0.88: "mwMW@%+<>=→", 0.75: "ABCDGHKNOQRUVXY"}


def letter_width(letter: str) -> float:
    return next((width for width, letters in WIDTHS.items() if letter in letters), 0.65)


@dataclass(frozen=True)
class Area:
    """A rectangle."""

    x: float
    y: float
    w: float
    h: float

    def meets(self, other: "Area") -> bool:
        apart_x = self.x + self.w <= other.x or other.x + other.w <= self.x
        return not (apart_x or self.y + self.h <= other.y or other.y + other.h <= self.y)

    def holds(self, other: "Area") -> bool:
        right, bottom = other.x + other.w, other.y + other.h
        return (
            self.x <= other.x
            and self.y <= other.y
            and right <= self.x + self.w
            and bottom <= self.y + self.h
        )


@dataclass(frozen=True)
class Line:
    """A line of text; x is its start, middle or end, y the foot of its letters."""

    x: float
    y: float
    text: str
    size: float = TEXT
    anchor: str = "middle"
    bold: bool = False
    code: bool = False
    colour: str = INK

    def area(self) -> Area:
        per_letter = 0.61 if self.code else 1.1 if self.bold else 1.0
        letters = len(self.text) if self.code else sum(map(letter_width, self.text))
        width = letters * per_letter * self.size
        left = {"start": 0.0, "middle": width / 2, "end": width}[self.anchor]
        return Area(self.x - left, self.y - 0.8 * self.size, width, self.size)

    def svg(self) -> str:
        weight = ' font-weight="bold"' if self.bold else ""
        family = f' font-family="{MONOSPACE}"' if self.code else ""
        return (
            f'<text x="{self.x:g}" y="{self.y:g}" font-size="{self.size:g}" fill="{self.colour}"'
            f' text-anchor="{self.anchor}"{weight}{family}>{escape(self.text)}</text>'
        )


def lines_around(x: float, y: float, lines: list[Line]) -> list[Line]:
    """The lines one below another, their middle at (x, y)."""
    height = sum(LEADING * line.size for line in lines)
    top, placed = y - height / 2, []
    for line in lines:
        top += LEADING * line.size
        placed.append(replace(line, x=x, y=round(top - 0.4 * line.size, 1)))
    return placed


@dataclass(frozen=True)
class Box:
    """A part of a system. `many`: there are several of it."""

    name: str
    kind: str
    x: float
    y: float
    w: float
    h: float
    title: str
    text: tuple[str, ...] = ()
    file: str = ""
    many: bool = False

    def area(self) -> Area:
        return Area(self.x, self.y, self.w, self.h)

    def lines(self) -> list[Line]:
        lines = [Line(0, 0, self.title, TITLE, bold=True)]
        lines += [Line(0, 0, text) for text in self.text]
        if self.file:
            lines.append(Line(0, 0, self.file, CODE, code=True, colour=FAINT))
        return lines_around(self.x + self.w / 2, self.y + self.h / 2, lines)

    def svg(self) -> Iterator[str]:
        fill, edge, _ = KINDS[self.kind]
        for off in (8, 4, 0) if self.many else (0,):
            yield (
                f'<rect x="{self.x + off:g}" y="{self.y - off:g}" width="{self.w:g}"'
                f' height="{self.h:g}" rx="6" fill="{fill}" stroke="{edge}" stroke-width="1.3"/>'
            )
        yield from (line.svg() for line in self.lines())


@dataclass(frozen=True)
class Frame:
    """A dashed frame around what one thread does, with a title in its lower left corner."""

    x: float
    y: float
    w: float
    h: float
    title: str

    def lines(self) -> list[Line]:
        foot = self.y + self.h - 12
        return [Line(self.x + 14, foot, self.title, TITLE, "start", bold=True)]

    def svg(self) -> Iterator[str]:
        fill, edge, _ = KINDS["thread"]
        yield (
            f'<rect x="{self.x:g}" y="{self.y:g}" width="{self.w:g}" height="{self.h:g}" rx="8"'
            f' fill="{fill}" stroke="{edge}" stroke-dasharray="6 4"/>'
        )
        yield from (line.svg() for line in self.lines())


Point = tuple[float | None, float | None]


@dataclass(frozen=True)
class Arrow:
    """An arrow through places. A place is a point, in which None is the coordinate of the place
    before, or a side of a box: "queue.left" is its middle, "queue.left@20" is 20 below its top, and
    "queue.left@=" is as high as the place before. The label's middle is at `at`; "\\n" breaks it.
    """

    places: tuple[str | Point, ...]
    label: str = ""
    at: tuple[float, float] = (0, 0)
    anchor: str = "middle"
    both: bool = False

    def lines(self) -> list[Line]:
        if not self.label:
            return []
        lines = [Line(0, 0, text, anchor=self.anchor) for text in self.label.split("\n")]
        return lines_around(*self.at, lines)


@dataclass(frozen=True)
class Figure:
    """A picture of boxes, frames and arrows. `notes` stand below, above the legend."""

    title: str
    width: float
    height: float
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    frames: tuple[Frame, ...] = ()
    notes: tuple[str, ...] = ()

    def point(self, place: str | Point, before: tuple[float, float]) -> tuple[float, float]:
        if not isinstance(place, str):
            x, y = place
            return (before[0] if x is None else x, before[1] if y is None else y)
        name, _, side = place.partition(".")
        side, _, along = side.partition("@")
        box = next(box for box in self.boxes if box.name == name)
        off = 8 if box.many else 0
        if side in ("left", "right"):
            x = box.x if side == "left" else box.x + box.w + off
            return x, before[1] if along == "=" else box.y + float(along or box.h / 2)
        y = box.y - off if side == "top" else box.y + box.h
        return before[0] if along == "=" else box.x + float(along or box.w / 2), y

    def points(self, arrow: Arrow) -> list[tuple[float, float]]:
        points: list[tuple[float, float]] = []
        for place in arrow.places:
            x, y = self.point(place, points[-1] if points else (0, 0))
            points.append((round(x, 1), round(y, 1)))
        return points

    def below(self) -> list[Line]:
        """The notes and the legend's words."""
        foot = self.height - 16
        first = foot - 22 - 17 * (len(self.notes) - 1)
        lines = [
            Line(24, first + 17 * i, note, anchor="start", colour=FAINT)
            for i, note in enumerate(self.notes)
        ]
        x = 24.0
        for kind in self.kinds():
            lines.append(Line(x + 20, foot, KINDS[kind][2], anchor="start", colour=FAINT))
            x = lines[-1].area().x + lines[-1].area().w + 26
        return lines

    def kinds(self) -> list[str]:
        used = {box.kind for box in self.boxes} | ({"thread"} if self.frames else set())
        return [kind for kind in KINDS if kind in used]

    def texts(self) -> list[Line]:
        head = Line(24, 30, self.title, 15, "start", bold=True)
        parts: list[Box | Frame | Arrow] = [*self.boxes, *self.frames, *self.arrows]
        return [head, *(line for part in parts for line in part.lines()), *self.below()]

    def svg(self) -> str:
        w, h = f"{self.width:g}", f"{self.height:g}"
        out = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}"'
            f' viewBox="0 0 {w} {h}" role="img" font-family="{FONTS}">',
            f"<title>{escape(self.title)}</title>",
            '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7"'
            ' markerHeight="7" orient="auto-start-reverse">'
            f'<path d="M0 0.5 10 5 0 9.5z" fill="{INK}"/></marker></defs>',
            f'<rect x="0.5" y="0.5" width="{self.width - 1:g}" height="{self.height - 1:g}" rx="8"'
            f' fill="{PAPER}" stroke="{EDGE}"/>',
            self.texts()[0].svg(),
        ]
        for frame in self.frames:
            out += frame.svg()
        for box in self.boxes:
            out += box.svg()
        for arrow in self.arrows:
            path = " ".join(f"{x:g} {y:g}" for x, y in self.points(arrow))
            start = ' marker-start="url(#tip)"' if arrow.both else ""
            out.append(
                f'<path d="M{path}" fill="none" stroke="{INK}" stroke-width="1.2"{start}'
                ' marker-end="url(#tip)"/>'
            )
            out += [line.svg() for line in arrow.lines()]
        below = self.below()
        for kind, word in zip(self.kinds(), below[len(self.notes) :], strict=True):
            fill, edge, _ = KINDS[kind]
            out.append(
                f'<rect x="{word.x - 20:g}" y="{word.y - 10:g}" width="14" height="12" rx="2"'
                f' fill="{fill}" stroke="{edge}"/>'
            )
        out += [line.svg() for line in below]
        return "\n".join([*out, "</svg>", ""])

    def offences(self) -> Iterator[str]:
        """Yields a description of each part that would be hard to read."""
        page = Area(0, 0, self.width, self.height)
        for box in self.boxes:
            for line in box.lines():
                if not box.area().holds(line.area()):
                    yield f"'{line.text}' does not fit the box {box.name}"
        for line in self.texts():
            if not page.holds(line.area()):
                yield f"'{line.text}' is not on the page"
        for one, other in combinations(self.texts(), 2):
            if one.area().meets(other.area()):
                yield f"'{one.text}' and '{other.text}' cover each other"
        for box, second in combinations(self.boxes, 2):
            if box.area().meets(second.area()):
                yield f"the boxes {box.name} and {second.name} cover each other"
        for arrow in self.arrows:
            for (x, y), (to_x, to_y) in pairwise(self.points(arrow)):
                if x != to_x and y != to_y:
                    yield f"the arrow {arrow.places} is oblique"
                stroke = Area(min(x, to_x), min(y, to_y), abs(x - to_x) + 1, abs(y - to_y) + 1)
                for line in self.texts():
                    if stroke.meets(line.area()):
                        yield f"the arrow {arrow.places} crosses '{line.text}'"
                for box in self.boxes:
                    if stroke.meets(Area(box.x + 2, box.y + 2, box.w - 4, box.h - 4)):
                        yield f"the arrow {arrow.places} runs through the box {box.name}"
        for box in self.boxes:
            own = box.lines()
            for line in self.texts():
                if line not in own and box.area().meets(line.area()):
                    yield f"'{line.text}' lies on the box {box.name}"
