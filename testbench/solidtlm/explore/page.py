# SPDX-License-Identifier: Apache-2.0
"""The page: one self-contained HTML file, in the style and with the parts of report.html."""
import json
from pathlib import Path

from . import answers, judge, metrics, units

_HERE = Path(__file__).resolve().parent
_REPORT = next(folder for each in _HERE.parents for folder in (each / "report", each / "show" / "report")  # installed, in the tree
               if folder.is_dir())
_SCRIPTS = [_REPORT / "js" / "text.js", _REPORT / "js" / "plot.js", _REPORT / "js" / "figures.js",
            *(_HERE / "js" / name for name in ("data.js", "plots.js", "page.js"))]


def data_of(search):
    """All data that the page shows."""
    study = search.study
    reference = answers.reference_of(search)
    on_front = {point.number for point in search.front}
    near = [point.number for point in answers.nearest(search)]
    volumes = answers.hypervolumes(search, reference)
    return {
        "title": study.title or study.path.stem, "question": study.question, "study": study.text,
        "file": study.path.name, "ended": search.ended, "program": search.checked.program.hash,
        "runs": len(search.keys), "started": search.started, "combinations": study.space.size(),
        "rungs": study.rungs, "seeds": study.seeds, "ci": study.ci, "proposer": study.proposer,
        "precondition": study.precondition,
        "workloads": [{"name": each.name, "weight": each.weight} for each in study.workloads],
        "objectives": [{"name": each.name, "text": each.text, "maximise": each.maximise,
                        "unit": metrics.unit_of(each.formula.text.strip()),
                        "reference": each.loss(loss)} for each, loss in zip(study.objectives, reference)],
        "constraints": [each.text for each in study.constraints],
        "keys": [{"name": key.name, "values": [_plain(value) for value in key.values], "ordered": key.ordered}
                 for key in study.space.keys],
        "points": [_point(search, point, point.number in on_front) for point in search.points],
        "nearest": near, "undecided": [point.number for point in answers.undecided(search)],
        "notJudged": answers.kNotJudgedOnce if answers.not_judged(search) else "",
        "history": [[runs, answers.significant_digits(volume)] for runs, volume in volumes],
        "importance": {name: {key: round(share, 4) for key, share in shares.items()}
                       for name, shares in answers.importance(search).items()},
        "interactions": {name: [[first, second, round(share, 4)] for first, second, share in found]
                         for name, found in answers.interactions(search).items()},
    }


def _plain(value):
    return ",".join(map(str, value)) if isinstance(value, list) else value


def _point(search, point, on_front):
    stages, shown, limits = answers.ledger_of(search, point) if point.finished else ({}, {}, [])
    values = search.intervals(point) if point.losses is not None else []
    rounded = answers.significant_digits
    return {
        "n": point.number, "batch": point.batch, "front": on_front, "verdict": point.verdict,
        "finished": point.finished, "reason": point.reason, "state": point.state.text if point.state else "",
        "requests": search.study.rungs[point.rung] if point.rung >= 0 else 0, "seeds": len(point.seeds),
        "tight": point.tight, "values": [rounded(value) for value, _ in values],
        "half": [rounded(half, 3) for _, half in values],
        "constraints": [{"verdict": each.verdict, "missed": rounded(each.excess, 3), "half": rounded(each.half, 3)}
                        for each in point.verdicts],
        "failure": list(point.failure) if point.failure else None,
        "settings": {name: _plain(value) for name, value in point.settings.items()},
        "stages": {name: rounded(time, 4) for name, time in stages.items()},
        "metrics": {name: rounded(value) for name, value in shown.items()},
        "limits": [[name, round(share, 3)] for name, share in limits],
        "commands": answers.commands_of(search, point), "drive": f"drives/{point.number:05}.toml",
    }


def render(search):
    def text(path):
        return path.read_text()

    document = json.dumps(data_of(search), allow_nan=False).replace("</", "<\\/")
    parts = {"title": _escaped(search.study.title or search.study.path.stem),
             "style": text(_REPORT / "page.css") + text(_HERE / "js" / "page.css"), "data": document,
             "library": text(_REPORT / "third_party" / "echarts" / "echarts.min.js"),
             "script": "\n".join(map(text, _SCRIPTS))}
    page = text(_HERE / "js" / "page.html")
    for name in ("title", "style", "library", "script", "data"):  # the data comes last because it may contain anything
        page = page.replace(f"@{name}@", parts[name], 1)
    return page


def _escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def print_answer(search):
    """Prints the front, or the nearest points, and what is not known."""
    if search.front:
        _print_front(search)
    else:
        _print_nearest(search)
    open_points = answers.by_objective(answers.undecided(search)) if search.front else []
    if open_points:
        print(f"  not known of {len(open_points)} that may lie on the front: "
              + ", ".join(f"point {point.number}" for point in open_points[:answers.kNearest])
              + ("" if len(open_points) <= answers.kNearest else ", ...") + f"; of the first: {open_points[0].reason}")
    if answers.not_judged(search):
        print(f"\n{answers.kNotJudgedOnce}")


def _print_front(search, most=20):
    """A table, sorted by the first objective."""
    study = search.study
    points = answers.by_objective(search.front)
    names = [key.name for key in study.space.keys]
    told = {objective.formula.text.strip() for objective in study.objectives} | {each.name for each in study.objectives}
    varied = [name for name in names if name not in told and name.rpartition(".")[2] not in told
              and len({str(point.settings.get(name)) for point in points}) > 1]
    same = {name: points[0].settings.get(name) for name in names if len(points) > 1
            and len({str(point.settings.get(name)) for point in points}) == 1}
    print(f"\nFront, {len(points)} points")
    table = [["point", *(each.name for each in study.objectives), *(name.rpartition(".")[2] for name in varied),
              "state", "limited by"]]
    for point in points[:most]:
        table.append([str(point.number), *_objectives(search, point),
                      *(str(point.settings.get(name, "-")) for name in varied), point.state.kind or judge.kNotJudged,
                      _limit(search, point)])
    _print_table(table)
    if len(points) > most:
        print(f"  ... {len(points) - most} more")
    for name, value in same.items():
        if value is not None:
            print(f"  {name} is {value} in all of them")


def _print_nearest(search):
    """The points that miss the constraints by least: what each misses, and where its time goes."""
    points = answers.nearest(search)
    print("\nFront: no point keeps all constraints" + ("; the nearest:" if points else ""))
    if not points:
        return
    study = search.study
    _print_table([["point", *(each.name for each in study.objectives), "verdict", "limited by"],
                  *([str(point.number), *_objectives(search, point), point.verdict, _limit(search, point)]
                    for point in points)])
    for point in points:
        for constraint, by, half in answers.misses(search, point):
            print(f"  point {point.number}: {constraint.text} {answers.miss_text(by, half)}")
        if point.reason:
            print(f"  point {point.number}: {point.reason}")


def _objectives(search, point):
    return [units.shown(value) + (f" +-{units.shown(half)}" if half and half > 1e-9 * abs(value) else "")
            for value, half in search.intervals(point)]


def _limit(search, point):
    limits = answers.ledger_of(search, point)[2]
    return f"{limits[0][0]} {100 * limits[0][1]:.0f} %" if limits else ""


def _print_table(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
