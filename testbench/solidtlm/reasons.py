# SPDX-License-Identifier: Apache-2.0
"""Why two runs differ: the difference of their latencies, by stage of the ledger."""
import collections
import html
import json
import math
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .errors import UserError, public
from .explore import units
from .explore.intervals import half_width, half_width_of_difference, mean_of
from .explore.mistakes import did_you_mean
from .explore.program import flat
from .results import Result, kOperations, load
from .table import Table

Runs = Result | str | Path | Sequence[Result | str | Path]

kSchema = "solidtlm.result/1"
_STATE = ("precondition", "warm_up", "load_state", "boot")  # parameters that decide the state of the drive
_KNOWN_STATES = {"steady", "unwritten"}
_LEAST = 0.001  # of the latency: stages that differ less are summed, as by tb_replay --compare
_SHOWN = 20  # keys
_REST = "all other stages"
_TOTAL = "latency"
_HEADING = ("stage", "A", "B", "difference", "+-", "share of it")


class Why(Table):
    """Rows for the `mean` latency, the `p99` and the mean of the `slowest` commands: first the whole latency, then its
    stages by size of their difference, with half of its 95 % interval (None: no interval) and its `share` of the whole
    difference (None: that may be 0).

    `notes`: lines on the states of the drives, their configurations, the loads, and the intervals.
    """

    def __init__(self, rows: list[dict[str, Any]], notes: list[str], titles: dict[str, str]):
        super().__init__(rows)
        self.notes, self._titles = notes, titles

    def __repr__(self) -> str:
        lines = list(self.notes)
        for part, title in self._titles.items():
            whole, *stages = (row for row in self if row["part"] == part)
            a, b, change, width, _ = _cells(whole)
            lines += ["", f"{title}: {change}{width and f' +- {width}'} us (A {a}, B {b})"]
            lines += [_stages(stages)] if stages else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    width, share = row["half_width_us"], row["share"]
    return (f"{row['a_us']:,.2f}", f"{row['b_us']:,.2f}", f"{row['difference_us']:+,.2f}",
            "" if width is None else f"{width:,.2f}", "-" if share is None else f"{share:.1%}".replace("%", " %"))


def _stages(rows: list[dict[str, Any]]) -> str:
    """A table without columns that are empty."""
    lines = [_HEADING, *((row["stage"], *_cells(row)) for row in rows)]
    return units.table(list(zip(*(column for column in zip(*lines) if any(column[1:])))))


@public
def why(a: Runs, b: Runs, *, kind: str | None = None) -> Why:
    """Why the latency of B differs from that of A: by stage of the ledger, the largest difference first.

    `a`, `b`: a result, its file or folder; or several that differ in the seed alone, as a list or as a folder with a
    folder for each. Several on both sides give intervals. `kind`: read, write, trim or flush alone.

    Raises UserError.

    >>> import solidtlm as st
    >>> slow, fast = (st.run(preset="tiny", workload="random,count=500", set={"sata.generation": each}, queue_depth=1)
    ...               for each in ("gen1", "gen3"))
    >>> found = why(slow, fast)
    >>> found[0]["stage"], found[1]["stage"], found[1]["difference_us"] < 0
    ('latency', 'link_transfer', True)
    >>> found.notes[0]
    'state while measured: too short to judge on both sides; the difference may be one of states, not of drives'
    """
    if kind is not None and kind not in kOperations:
        raise UserError(f"found the kind {kind}{did_you_mean(kind, kOperations)}; allowed: {', '.join(kOperations)}")
    mistakes: list[str] = []
    sides = [_side(name, given, kind, mistakes) for name, given in (("A", a), ("B", b))]
    if mistakes:
        raise UserError(mistakes)
    seeds = [[run["seed"] for run in side] for side in sides]
    paired = seeds[0] == seeds[1]  # the same requests if all else is equal
    alike = [name for name, side in zip("AB", sides)
             if len(side) > 1 and len({_latency(run, kind)["mean"] for run in side}) == 1]
    samples, titles = _parts(sides, kind)
    rows = [row for part, (before, after) in samples.items() for row in _rows(part, before, after, paired, bool(alike))]
    notes = [*_state(sides), *_drives(sides), *_load(sides, seeds, paired), _intervals(sides, paired, alike)]
    return Why(rows, notes, titles)


def _side(name: str, given: Runs, kind: str | None, mistakes: list[str]) -> list[dict[str, Any]]:
    """The runs of a side by seed. What is wrong with them is added to `mistakes`."""
    found: list[tuple[str, dict[str, Any]]] = []
    for each in [given] if isinstance(given, (Result, str, Path)) else given:
        try:
            found += ([(str(each.folder or name), each.to_dict())] if isinstance(each, Result) else
                      [(str(file), load(file).to_dict()) for file in _files(Path(each))])
        except UserError as error:
            mistakes += error.messages
    if not found and not mistakes:
        mistakes.append(f"found no results for {name}; allowed: one or more")
    wrong = [f"{text}: {why_not}" for text, run in found if (why_not := _objection(run, kind))]
    mistakes += wrong or _strangers(found)
    return sorted((run for _, run in found), key=lambda run: run.get("seed", 0))


def _files(path: Path) -> list[Path]:
    """The result in a folder, or those in its folders."""
    inside = sorted(path.glob("*/result.json")) if path.is_dir() and not (path / "result.json").exists() else []
    return inside or [path]


def _objection(run: dict[str, Any], kind: str | None) -> str:
    if run.get("schema") != kSchema:
        return f"found a result of {run.get('schema', 'no schema')}; allowed: a result.json, {kSchema}"
    if "points" in run:
        return "found the result of several runs; allowed: of one"
    if not all(isinstance(run.get(part), dict) and run[part] for part in ("config", "host", "ledger")):
        return "found a result without a ledger; allowed: of a run of a drive"
    if run["host"]["completed"] == 0:
        return "found no completed command; allowed: one or more"
    if kind and run["host"][kind]["count"] == 0:
        there = [each for each in kOperations if run["host"][each]["count"]]
        return f"found no completed {kind}; completed: {', '.join(there)}"
    return ""


def _strangers(found: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """Runs of a side that differ in more than the seed, or not even in that."""
    wrong = []
    for at, (text, run) in enumerate(found):
        first, other = found[0]
        for key, theirs, ours in [*_differing(_keys(other), _keys(run)), *_differing(*_parameters(other, run))][:1]:
            wrong.append(f"{text}: {key}: found {_shown(ours)}, {first} has {_shown(theirs)}; allowed on one side: "
                         "runs that differ in the seed alone")
        for same, _ in [each for each in found[:at] if each[1]["seed"] == run["seed"]][:1]:
            wrong.append(f"{text}: found the seed {run['seed']}, as in {same}; allowed on one side: each seed once")
    return wrong


def _keys(run: dict[str, Any]) -> dict[str, Any]:
    """The configuration without what follows from it, and without the seed."""
    return flat({name: value for name, value in run["config"].items() if name not in ("derived", "seed")})


def _parameters(*runs: dict[str, Any]) -> list[dict[str, Any]]:
    return [run.get("parameters", {}) for run in runs]


def _differing(a: dict[str, Any], b: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    return [(name, a.get(name), b.get(name)) for name in {**a, **b} if a.get(name) != b.get(name)]


def _shown(value: Any) -> str:
    return "none" if value is None else json.dumps(value, ensure_ascii=False)


def _listed(differences: list[tuple[str, Any, Any]]) -> list[str]:
    more = [f"  and {len(differences) - _SHOWN} more"] if len(differences) > _SHOWN else []
    return [f"  {name}: A {_shown(a)}, B {_shown(b)}" for name, a, b in differences[:_SHOWN]] + more


def _latency(run: dict[str, Any], kind: str | None) -> dict[str, Any]:
    host = run["host"]
    return (host[kind] if kind else host)["latency_us"]


def _parts(sides: list[list[dict]], kind: str | None) -> tuple[dict[str, list[list[dict[str, float]]]], dict[str, str]]:
    """Of the mean, the p99 and the slowest commands, for each side and run the stages; and titles."""
    def slowest(run: dict[str, Any]) -> dict[str, Any]:
        ledger = run["ledger"]
        return (ledger.get("slowest_by_operation", {}).get(kind) if kind else ledger.get("slowest")) or {}

    def share(runs: list[dict[str, Any]]) -> str:
        completed = sum(run["host"][kind]["count"] if kind else run["host"]["completed"] for run in runs)
        return f"{sum(slowest(run)['count'] for run in runs) / completed:.1%}".replace("%", " %")

    what = kind or "command"
    samples = {"mean": [[run["ledger"]["by_operation"][kind] if kind else run["ledger"]["stages_us"] for run in side]
                        for side in sides],
               "p99": [[{_TOTAL: _latency(run, kind)["p99"]} for run in side] for side in sides]}
    titles = {"mean": f"latency of the mean {what}", "p99": f"p99 of a {what}"}
    if all(slowest(run) for side in sides for run in side):  # early results have none
        samples["slowest"] = [[slowest(run)["stages_us"] for run in side] for side in sides]
        titles["slowest"] = f"mean of the slowest {what}s, {share(sides[0])} of A and {share(sides[1])} of B"
    return samples, titles


def _rows(part: str, before: list[dict], after: list[dict], paired: bool, alike: bool) -> list[dict[str, Any]]:
    """The whole latency, and the stages by the size of their difference."""
    def row(stage: str, names: list[str]) -> dict[str, Any]:
        a, b = ([math.fsum(run.get(name, 0.0) for name in names) for run in side] for side in (before, after))
        width = half_width([y - x for x, y in zip(a, b)]) if paired else half_width_of_difference(a, b)
        return {"part": part, "stage": stage, "a_us": mean_of(a), "b_us": mean_of(b),
                "difference_us": mean_of(b) - mean_of(a), "half_width_us": None if alike else width, "share": None}

    names = list({name: None for run in before + after for name in run})
    whole = row(_TOTAL, names)
    if names == [_TOTAL]:
        return [whole]
    least = _LEAST * max(whole["a_us"], whole["b_us"])
    stages = [row(name, [name]) for name in names]
    small = [each["stage"] for each in stages if abs(each["difference_us"]) < least]
    rows = sorted((each for each in stages if each["stage"] not in small), key=lambda each: -abs(each["difference_us"]))
    rows += [rest] if (rest := row(_REST, small))["a_us"] or rest["b_us"] else []
    if abs(whole["difference_us"]) >= max(least, whole["half_width_us"] or 0.0):
        for each in rows:
            each["share"] = each["difference_us"] / whole["difference_us"]
    return [whole, *rows]


def _state(sides: list[list[dict[str, Any]]]) -> list[str]:
    """How steady the drives were, and what the results warn of."""
    def counted(texts: list[str], runs: int) -> list[str]:
        """Texts that differ only in numbers are shown once."""
        numberless = [re.sub(r"-?\d[\d.]*", "", text) for text in texts]
        return [texts[numberless.index(each)] + (f" ({count} of {runs} runs)" if runs > 1 else "")
                for each, count in collections.Counter(numberless).items()]

    def verdict(run: dict[str, Any]) -> str:
        found = run.get("state", {}).get("kind", "not known")
        return "too short to judge" if found == "too short" else found

    verdicts = [[verdict(run) for run in side] for side in sides]
    a, b = (each[0] if len(set(each)) == 1 else ", ".join(counted(each, len(each))) for each in verdicts)
    sure = set(verdicts[0] + verdicts[1]) <= _KNOWN_STATES
    lines = [f"state while measured: {f'{a} on both sides' if a == b else f'A {a}; B {b}'}"
             + ("" if sure else "; the difference may be one of states, not of drives"),
             *_listed([each for each in _differing(*_parameters(sides[0][0], sides[1][0])) if each[0] in _STATE])]
    for name, side in zip("AB", sides):
        said = [text for run in side for text in [
            *(f"fault: {each}" for each in run.get("faults", [])), *run.get("warnings", []),
            *([f"stopped after {run['interrupted_at_s']:g} s"] if "interrupted_at_s" in run else [])]]
        for text in counted(said, len(side)):
            lines += textwrap.wrap(f"{name}: {text}", 100, initial_indent="  ", subsequent_indent="     ")
    return lines


def _drives(sides: list[list[dict[str, Any]]]) -> list[str]:
    a, b = sides[0][0], sides[1][0]
    keys = _differing(_keys(a), _keys(b))
    programs = [(name, a.get(name), b.get(name)) for name in ("scenario", "version") if a.get(name) != b.get(name)]
    differ = "key differs" if len(keys) < 2 else "keys differ"
    return [f"drives: {len(keys) or 'no'} {differ}", *_listed(keys + programs)]


def _load(sides: list[list[dict[str, Any]]], seeds: list[list[int]], paired: bool) -> list[str]:
    """Whether both sides had the same requests."""
    a, b = sides[0][0], sides[1][0]
    lines = _listed([each for each in _differing(*_parameters(a, b)) if each[0] not in _STATE])
    if a.get("traces") != b.get("traces"):
        lines.append("  traces: the files differ")
    counts = [{f"host.{kind}.count": sum(run["host"][kind]["count"] for run in side) for kind in kOperations}
              for side in sides]
    measured = _listed([each for each in _differing(*counts) if paired or 0 in each[1:]])
    sizes = [run["config"].get("derived", {}).get("exported_bytes", 0) for run in (a, b)]
    if sizes[0] != sizes[1]:
        measured.append(f"  bytes of the drive: A {sizes[0]:,}, B {sizes[1]:,}; a load on all of them differs, too")
    options = "differs" if lines else "the same options" if measured else "the same"
    others = "" if paired else f", with other seeds: A {_shown(seeds[0])}, B {_shown(seeds[1])}"
    return [f"load: {options}{others}", *lines, *measured]


def _intervals(sides: list[list[dict[str, Any]]], paired: bool, alike: list[str]) -> str:
    a, b = map(len, sides)
    if a == b == 1:
        return "intervals: one run each: no interval"
    if min(a, b) == 1:
        return f"intervals: one run of {'A' if a == 1 else 'B'}: no interval"
    if alike:
        return f"intervals: no seed changes the runs of {' and '.join(alike)}: no interval"
    how = f"{a} runs each, in pairs with the same seed" if paired else f"{a} and {b} runs with other seeds"
    return f"intervals: {how}; +- is half of a 95 % interval (Student's t), of each line alone"
