# SPDX-License-Identifier: Apache-2.0
"""The page: one self-contained HTML file, in the style and with the parts of report.html."""
import json
from pathlib import Path

from . import answers, metrics, units

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
        "history": [[runs, answers.significant_digits(volume)] for runs, volume in volumes],
        "importance": {name: {key: round(share, 4) for key, share in shares.items()}
                       for name, shares in answers.importance(search).items()},
        "interactions": {name: [[first, second, round(share, 4)] for first, second, share in found]
                         for name, found in answers.interactions(search).items()},
    }


def _plain(value):
    return ",".join(map(str, value)) if isinstance(value, list) else value


def _point(search, point, on_front):
    finished = answers.finished(search, point)
    stages, shown, limits = answers.ledger_of(search, point) if finished else ({}, {}, [])
    values = search.intervals(point) if point.losses is not None else []
    rounded = answers.significant_digits
    return {
        "n": point.number, "batch": point.batch, "front": on_front, "feasible": point.feasible, "finished": finished,
        "requests": search.study.rungs[point.rung] if point.rung >= 0 else 0, "seeds": len(point.seeds),
        "tight": point.tight, "values": [rounded(value) for value, _ in values],
        "half": [rounded(half, 3) for _, half in values],
        "missed": [rounded(each, 3) for each in point.violations or []],
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


def print_front(search, most=20):
    """Prints the front as a table, sorted by the first objective."""
    study = search.study
    points = sorted(search.front, key=lambda point: point.losses)
    names = [key.name for key in study.space.keys]
    told = {objective.formula.text.strip() for objective in study.objectives} | {each.name for each in study.objectives}
    varied = [name for name in names if name not in told and name.rpartition(".")[2] not in told
              and len({str(point.settings.get(name)) for point in points}) > 1]
    same = {name: points[0].settings.get(name) for name in names if len(points) > 1
            and len({str(point.settings.get(name)) for point in points}) == 1}
    print("\nFront" + (f", {len(points)} points" if points else ": no point keeps all constraints"))
    heads = ["point", *(each.name for each in study.objectives), *(name.rpartition(".")[2] for name in varied),
             "limited by"]
    table = [heads]
    for point in points[:most]:
        _, _, limits = answers.ledger_of(search, point)
        shown = [units.shown(value) + (f" +-{units.shown(half)}" if half and half > 1e-9 * abs(value) else "")
                 for value, half in search.intervals(point)]
        table.append([str(point.number), *shown, *(str(point.settings.get(name, "-")) for name in varied),
                      f"{limits[0][0]} {100 * limits[0][1]:.0f} %" if limits else ""])
    if points:
        widths = [max(len(row[i]) for row in table) for i in range(len(heads))]
        for row in table:
            print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    if len(points) > most:
        print(f"  ... {len(points) - most} more")
    for name, value in same.items():
        if value is not None:
            print(f"  {name} is {value} in all of them")
