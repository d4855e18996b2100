"""The result of a trace."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from ._launch import Launch
from ._program import run, run_json

#: The counts of a line, as the JSON of a trace has them.
COLUMNS = ("warp_instructions", "sectors", "conflicts", "divergent")
HEADINGS = ["line", *(key.replace("_", " ") for key in COLUMNS), ""]
#: Names of counters that do not follow from their paths in the JSON of a trace.
NAMES = {"branches.executed": "branches", "branches.divergent": "divergent_branches"}
#: Words in a condition's figure, and the column that has its share of each line.
SHARES = {"conflict|wavefront": 2, "sector|efficiency|byte|request": 1, "divergent": 3, "instruction|lane": 0}


@dataclass(frozen=True)
class Finding:
    """A mistake, or a remark in a trace's `notes`. `place` is its line, with the file's name in an included file."""

    kind: str
    line: int
    message: str
    place: str

    def __str__(self) -> str:
        return f"line {self.place}: {self.kind}: {self.message.strip()}"


@dataclass(frozen=True)
class Line:
    """A source line and its counts: warp instructions, sectors of global memory, bank conflicts, divergent branches."""

    line: int
    place: str
    text: str
    counts: tuple[int, int, int, int]


class Trace(Mapping[str, float]):
    """The counts of a launch, by attribute (`trace.load_sectors`) or by key (`trace["global.load.sectors"]`).

    Names are those of conditions, which `warpbook names` lists with what they count, and those in the JSON of
    `warpbook trace`; `list(trace)` has those that are counted, and others (`efficiency`, `registers`) are found when they
    are asked for. Besides: `findings` and `notes` with their lines, `lines` with
    their counts, `buffers` with the contents after the run, `messages` of the program, `complete` (whether the counts
    are of the whole grid), `source`, `film` and `json`.
    """

    def __init__(self, launch: Launch, found: dict[str, Any], messages: str, buffers: dict[str, Any]) -> None:
        self._launch, self._counts, self._texts = launch, counts(found), launch.source.splitlines()
        #: All that `warpbook trace --json` printed.
        self.json = found
        #: The program's warnings and notes about the launch, findings among them.
        self.messages = messages
        #: Contents of the arrays after the run, by the names of their parameters.
        self.buffers = buffers
        #: Whether the counts are of the whole grid.
        self.complete: bool = found["complete"]
        self.file, self.source = launch.file, launch.source
        self.findings, self.notes = map(self._remarks, (found["findings"], found["notes"]))
        self.lines = [self._line(of["line"], tuple(of[key] for key in COLUMNS)) for of in found["lines"]]

    def __getitem__(self, name: str) -> float:
        known = NAMES.get(name, name.replace(".", "_").removeprefix("global_"))
        found = self._counts[known] if known in self._counts else self._figure(name)
        if found is None:
            raise KeyError(f"a trace has no `{name}`; `list(trace)` has the names of its counts")
        return found

    def __getattr__(self, name: str) -> float:
        found = None if name.startswith("_") else self._counts[name] if name in self._counts else self._figure(name)
        if found is None:
            raise AttributeError(f"a trace has no `{name}`; `list(trace)` has the names of its counts")
        return found

    def _figure(self, name: str) -> float | None:
        """A figure of conditions that is no count, from a further run; None if there is none of this name."""
        if not re.fullmatch(r"[a-z][a-z_.]*", name):
            return None
        of = self._launch
        done = run(["assert", of.target, *of.options, "--json", "--", f"{name} >= 0"], of.folder.name)
        judged = json.loads(done.stdout)["conditions"][0] if done.returncode in (0, 1) and done.stdout.strip() else {"figures": []}
        return next((float(value) for figure, value in judged["figures"] if figure == name and value is not None), None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)

    def __str__(self) -> str:
        rows = [[line.place, *map("{:,}".format, line.counts), line.text.strip()] for line in self.lines]
        tables = map(aligned, [*self._tables(), [HEADINGS, *rows]])
        return "\n".join(filter(None, [self._title(), *tables, self.messages]))

    __repr__ = __str__

    @cached_property
    def film(self) -> str:
        """The first accesses of the first warp, at most 48, as an SVG that moves. The kernel is traced again for it."""
        file = Path(self._launch.folder.name, "film.svg")
        run_json(["trace", self._launch.target, *self._launch.options, f"--film={file}", "--json"], str(file.parent))
        return file.read_text("utf-8")

    def _repr_html_(self) -> str:
        """For a notebook: the picture that plays, the counts, and the source with each line's counts and remarks."""
        style = "text-align:right;padding:0 .6em;white-space:pre"
        most = [max((line.counts[i] for line in self.lines), default=0) or 1 for i in range(len(COLUMNS))]

        def row(cells: list[str]) -> str:
            return "<tr>" + "".join(f'<td style="{style}">{escape(cell)}</td>' for cell in cells) + "</tr>"

        def bar(count: int, top: int) -> str:
            shade = f"background:linear-gradient(to left,#8886 {100 * count // top}%,#0000 0)"
            return f'<td style="{style};{shade}">{count or ""}</td>'

        def remark(of: Finding) -> str:
            edge = f"text-align:left;border-left:4px solid {'#d33' if of in self.findings else '#888'}"
            return f'<tr><td colspan="{len(COLUMNS) + 2}" style="{edge}">{escape(str(of))}</td></tr>'

        body = ""
        for line in self._shown():
            bars = "".join(map(bar, line.counts, most))
            code = f'<td style="{style};text-align:left;font-family:monospace">{escape(line.text)}</td>'
            body += f'<tr><td style="{style};opacity:.6">{escape(line.place)}</td>{bars}{code}</tr>'
            body += "".join(remark(of) for of in [*self.findings, *self.notes] if of.line == line.line)
        tables = "".join(f"<table>{''.join(map(row, table))}</table>" for table in self._tables())
        film = f'<div style="max-width:760px">{self.film}</div>'
        return f"<p><b>{escape(self._title())}</b></p>{film}{tables}<table>{row(HEADINGS)}{body}</table>"

    def worst(self, figure: str) -> list[str]:
        """The three lines that contribute most to a figure of a condition: its findings, or the greatest counts."""
        found = [of for of in self.findings if figure in ("findings", of.kind, f"{of.kind}s")]
        if found:
            return [str(of) for of in found[:3]]
        share = next((column for words, column in SHARES.items() if re.search(words, figure)), None)
        if share is None:
            return []
        lines = sorted((line for line in self.lines if line.counts[share]), key=lambda line: -line.counts[share])
        # A line's sectors are those of its loads and its stores.
        unit = HEADINGS[share + 1] + (" of loads and stores" if COLUMNS[share] == "sectors" else "")
        return [f"line {of.place}: {of.counts[share]:,} {unit}: {of.text.strip()}" for of in lines[:3]]

    def _title(self) -> str:
        part = "" if self.complete else ", of a part of the grid"
        counted = [f"{n:,} {name}{'' if n == 1 else 's'}" for name, n in (("warp", self.warps), ("warp instruction", self.warp_instructions))]
        return f"{self.file}: {', '.join(counted)}{part}"

    def _tables(self) -> list[list[list[str]]]:
        """The tables of accesses to buffers and to shared memory, where there are any."""
        tables = []
        for space, units in (("global", ["sectors", "bytes"]), ("shared", ["wavefronts", "conflicts"])):
            units = ["requests", *units]
            kinds = {kind: self.json[space][kind] for kind in ("load", "store", "atomic")}
            rows = [[kind, *(f"{of[unit]:,}" for unit in units)] for kind, of in kinds.items() if of["requests"]]
            tables += [[[space, *units], *rows]] if rows else []
        return tables

    def _shown(self) -> list[Line]:
        """The lines to show: from the first that counts to the last, and those of included files that count."""
        counted = {line.line: line for line in self.lines}
        numbers = {*counted, *(of.line for of in [*self.findings, *self.notes])}
        own = [number for number in numbers if number <= len(self._texts)]
        numbers.update(range(min(own), max(own)) if own else ())
        return [counted.get(number) or self._line(number, (0, 0, 0, 0)) for number in sorted(numbers)]

    def _remarks(self, all: list[dict[str, Any]]) -> list[Finding]:
        return [Finding(of["kind"], of["line"], of["message"], self._place(of["line"])) for of in all]

    def _line(self, line: int, counted: tuple[int, ...]) -> Line:
        text = self._texts[line - 1] if 0 < line <= len(self._texts) else ""
        return Line(line, self._place(line), text, counted)  # type: ignore[arg-type]

    def _place(self, line: int) -> str:
        for part in self.json.get("parts", []):
            if part["first"] <= line < part["first"] + part["lines"]:
                return f"{part['file'].rsplit('/', 1)[-1]}:{line - part['first'] + 1}"
        return str(line)


def counts(found: Mapping[str, Any]) -> dict[str, float]:
    """The counts of a trace by their names in conditions, and the derived ones that are asked for most."""
    counted: dict[str, float] = {}

    def walk(path: str, value: Any) -> None:
        if isinstance(value, Mapping):
            for key, of in value.items():
                walk(f"{path}.{key}" if path else key, of)
        elif type(value) is int:
            counted[NAMES.get(path, path.replace(".", "_").removeprefix("global_"))] = value

    walk("", {key: of for key, of in found.items() if key not in ("predicted", "machine")})
    load = found["global"]["load"]
    counted["conflicts"] = sum(found["shared"][kind]["conflicts"] for kind in ("load", "store", "atomic"))
    counted["sectors_per_request"] = load["sectors"] / load["requests"] if load["requests"] else 0.0
    counted["races"] = sum(each["kind"] == "race" for each in found["findings"])
    return counted


def aligned(rows: list[list[str]]) -> str:
    """Columns of text: all are aligned right but the first, and one without a heading."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    left = [i == 0 or not heading for i, heading in enumerate(rows[0])]
    cells = [[c.ljust(w) if at else c.rjust(w) for c, w, at in zip(row, widths, left)] for row in rows]
    return "\n".join("  ".join(row).rstrip() for row in cells)
