"""Draw docs/architecture.svg: which rooms import which, from the imports in the code.

.venv/bin/python docs/package_graph.py
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path

import grimp

PICTURE = Path(__file__).with_name("architecture.svg")
CONTRACTS = Path(__file__).parents[1] / "pyproject.toml"

WIDTH, HEIGHT = 118, 36
ACROSS, DOWN = 48, 40
"""Between rooms of a row, and between rows."""

_HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" \
role="img" aria-label="Which rooms of the package import which">
<style>
text {{ font: 600 13px ui-monospace, monospace; fill: #222; text-anchor: middle; }}
rect {{ fill: #eef6f6; stroke: #2a7f7f; }}
path {{ fill: none; stroke: #777; stroke-width: 1.2; marker-end: url(#tip); }}
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" orient="auto">\
<path d="M0 0 L8 4 L0 8 z" style="fill: #777; stroke: none"/></marker></defs>
<rect width="{width}" height="{height}" style="fill: #fff; stroke: none"/>"""

Graph = Mapping[str, frozenset[str]]


def main() -> None:
    """Write the picture."""
    PICTURE.write_text(drawn(), encoding="utf-8")


def drawn() -> str:
    """The picture of the present code: the last room, which may import all others, as a bar above them."""
    last, *order = rooms()
    graph = needed(imports(order))
    rows = in_rows(graph)
    width = max(map(len, rows)) * (WIDTH + ACROSS) + ACROSS
    height = (len(rows) + 1) * (HEIGHT + DOWN)
    place = {
        room: (width * (column + 1) / (len(row) + 1), DOWN // 2 + (line + 1) * (HEIGHT + DOWN))
        for line, row in enumerate(rows)
        for column, room in enumerate(row)
    }
    lines = [_HEAD.format(width=width, height=height)]
    for importer, imported in [(room, other) for room in sorted(graph) for other in sorted(graph[room])]:
        (x, y), (to_x, to_y) = place[importer], place[imported]
        bend = f"C{x:.0f} {y + HEIGHT + DOWN:.0f} {to_x:.0f} {to_y - DOWN:.0f}"
        lines.append(f'<path d="M{x:.0f} {y + HEIGHT:.0f} {bend} {to_x:.0f} {to_y:.0f}"/>')
    lines.append(_box(f"{last} calls the rooms below", width / 2, DOWN // 2, width - 2 * ACROSS))
    lines += [_box(room, x, y, WIDTH) for room, (x, y) in place.items()]
    return "\n".join([*lines, "</svg>", ""])


def _box(words: str, x: float, y: float, width: float) -> str:
    box = f'<rect x="{x - width / 2:.0f}" y="{y:.0f}" width="{width:.0f}" height="{HEIGHT}" rx="6"/>'
    return f'{box}<text x="{x:.0f}" y="{y + HEIGHT / 2 + 4:.0f}">{words}</text>'


def rooms() -> list[str]:
    """The rooms by name, from the last to the first, as the contract of imports lists them."""
    settings = tomllib.loads(CONTRACTS.read_text(encoding="utf-8"))["tool"]["importlinter"]
    (layers,) = (contract["layers"] for contract in settings["contracts"] if contract["id"] == "rooms")
    return [name.strip(" ()") for layer in layers for name in layer.split("|")]


def imports(order: list[str]) -> Graph:
    """For each room, those before it that any of its modules imports."""
    code = grimp.build_graph("peerage", cache_dir=None)
    rank = {room: place for place, room in enumerate(order)}
    found: dict[str, set[str]] = {}
    for module in code.modules:
        room = _room(module)
        if room in rank:
            imported = map(_room, code.find_modules_directly_imported_by(module))
            found.setdefault(room, set()).update(other for other in imported if rank.get(other, -1) > rank[room])
    return {room: frozenset(found[room]) for room in order if room in found}


def _room(module: str) -> str:
    """The room of a module; none for the package itself, which only hands out names."""
    return module.partition(".")[2].partition(".")[0]


def needed(graph: Graph) -> Graph:
    """Without those imports that a longer way between the same rooms implies."""
    return {
        room: imported - frozenset().union(*(_reached(graph, graph[other]) for other in imported))
        for room, imported in graph.items()
    }


def _reached(graph: Graph, start: Iterable[str]) -> frozenset[str]:
    reached: set[str] = set()
    todo = list(start)
    while todo:
        room = todo.pop()
        if room not in reached:
            reached.add(room)
            todo += graph[room]
    return frozenset(reached)


def in_rows(graph: Graph) -> list[list[str]]:
    """Rooms in rows, each right above the rooms that it imports, and near those that import it."""
    rows: list[list[str]] = []
    left = dict(graph)
    while left:
        rows.insert(0, [room for room, imported in left.items() if not imported & left.keys()])
        left = {room: imported for room, imported in left.items() if room not in rows[0]}
    for above, row in pairwise(rows):
        row.sort(key=partial(_mean_place, above, graph))
    return rows


def _mean_place(above: list[str], graph: Graph, room: str) -> float:
    places = [place / len(above) for place, other in enumerate(above) if room in graph[other]]
    return sum(places) / len(places) if places else 0.5


if __name__ == "__main__":
    main()
