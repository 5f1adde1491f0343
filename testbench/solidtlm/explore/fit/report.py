# SPDX-License-Identifier: Apache-2.0
"""The report of a fit: the verdict, the sets, and what to measure next."""
import csv
import io
import itertools
import json
import math
import re
import statistics

from .. import units
from ..program import flat, toml_of
from .parameters import arguments_of, combinations

kNear = 1.5       # times the smallest worst deviation: sets within this are compared if none is consistent
kWidest = 60      # columns for the values of a list; fit.json has all values
kMostToTell = 40  # most sets among which the two that differ most are searched


def verdict(search):
    tried = search.outcomes
    consistent = [each for each in tried if each.consistent]
    failed = sum(each.offs is None for each in tried)
    sets = f"{len(tried):,} set{'s' * (len(tried) != 1)} tried{f', {failed:,} of them without a result' if failed else ''}"
    if consistent:
        return f"consistent with {len(consistent):,} of {sets}"
    return f"not consistent with anything tried ({sets})"


def parameters_table(search):
    """For each parameter: its value in the best set, the smallest and largest consistent values, and the
    searched values."""
    consistent = [each for each in search.outcomes if each.consistent]
    best = search.best()
    rows = [["parameter", "best", *(["consistent"] if consistent else []), "searched"]]
    for at, each in enumerate(search.parameters):
        row = [each.name, units.shown(each.value(best[0].coordinates[at])) if best else "-"]
        if consistent:
            places = sorted({outcome.coordinates[at] for outcome in consistent})
            if each.continuous:
                row.append(f"{each.value(places[0])} to {each.value(places[-1])}" if len(places) > 1
                           else each.value(places[0]))
            else:
                row.append(", ".join(str(each.value(place)) for place in places))
        searched = each.searched()
        rows.append([*row, searched if len(searched) <= kWidest else f"{len(each.values)} values"])
    return units.table(rows)


def without_effect(search):
    """Parameters that changed no measurement in any two sets that differ only in them."""
    found = []
    for at, each in enumerate(search.parameters):
        alike = {}
        for outcome in search.outcomes:
            if outcome.values is not None:
                others = (*outcome.coordinates[:at], *outcome.coordinates[at + 1:])
                alike.setdefault(others, []).append(outcome)
        groups = [group for group in alike.values() if len({outcome.coordinates[at] for outcome in group}) > 1]
        if groups and all(outcome.values == group[0].values for group in groups for outcome in group):
            found.append(each.name)
    return found


def outsiders(search, measurer):
    """{name: what decides it} of measurements that host or link decide at the best set."""
    best = search.best()[0]
    found = {each.name: measurer.outside(best, each) for each in measurer.measured}
    return {name: limit for name, limit in found.items() if limit}


def measurements_table(search, measurer, shown):
    """Of these measurements, by name."""
    best = search.best()[0]
    rows = [["measurement", "found", "tolerance", "best set", "off", "of the tolerance"]]
    for each, value, off in zip(measurer.measured, best.values, best.offs):
        if each.name in shown:
            change = f"{value / each.found - 1:+.1%}" if each.found else f"{value - each.found:+.4g}"
            rows.append([each.name, each.written(), units.shown(each.tolerance), units.shown(value), change,
                         f"{off:+.2f}"])
    return units.table(rows)


def _kept_out(search, measurer, outside):
    """What the others predict of each measurement, and how far off that is. What host or link decide says nothing of
    the drive."""
    found = sum(each.sign == 0 for each in measurer.measured)
    if found <= len(search.parameters):
        return ["", f"found values: {found}, unknown values: {len(search.parameters)}; none is left that the others could "
                    "predict, so nothing tests this fit. Measure one more"]
    rows = [["kept out in turn", "found", "predicted", "error", "others allow"]]
    errors = []
    for each in search.kept_out:
        if each.measurement.name in outside:
            continue
        if each.determined:
            errors.append(each.error)
        rows.append([each.measurement.name, each.measurement.written(),
                     units.shown(each.predicted) if each.determined else "not determined",
                     f"{each.error:+.1%}" if each.determined else "-",
                     f"{units.shown(each.low)} to {units.shown(each.high)}"])
    if len(rows) == 1:
        return []
    lines = ["", units.table(rows)]
    if errors:
        off = sorted(map(abs, errors))
        lines.append(f"  error of predictions: median {statistics.median(off):.1%}, at most {off[-1]:.1%}, bias "
                     f"{statistics.fmean(errors):+.1%}, of {len(errors)} of {len(rows) - 1}")
    return lines


def nearest_each(search, measurer):
    """For each measurement, how near any set comes, regardless of the other measurements: shows which
    measurements cannot be met together, and which cannot be met at all."""
    good = [each for each in search.outcomes if each.offs is not None]
    rows = [["measurement", "nearest of all sets", "of the tolerance"]]
    for at, each in enumerate(measurer.measured):
        nearest = min(good, key=lambda outcome: abs(outcome.offs[at]))
        rows.append([each.name, units.shown(nearest.values[at]), f"{nearest.offs[at]:+.2f}"])
    return units.table(rows)


def to_tell_apart(search, measurer):
    """Among the consistent sets, or those nearly as good as the best, the two that differ most, and measurements
    that distinguish them: [(measurement, value, value, difference in tolerances)]; None if there are no two
    sets."""
    candidates = [each for each in search.outcomes if each.consistent]
    if len(candidates) < 2:
        best = search.best()
        candidates = [each for each in search.outcomes if best and each.worst <= kNear * best[0].worst]
    if len(candidates) < 2:
        return None
    candidates = sorted(candidates, key=lambda each: each.squares)[:kMostToTell] + [
        each for each in search.extremes if each.consistent]

    def distance(pair):
        return math.fsum(_apart(parameter, a, b)
                         for parameter, a, b in zip(search.parameters, pair[0].coordinates, pair[1].coordinates))

    one, other = max(itertools.combinations(candidates, 2), key=distance)
    rows = []
    measurements = search.study.measurements
    for each, a, b in zip(measurements, measurer.values_of(one, measurements), measurer.values_of(other, measurements)):
        if a is not None and b is not None:
            rows.append((each, a, b, abs(a - b) / each.tolerance))
    return one, other, sorted(rows, key=lambda row: -row[3])


def _apart(parameter, a, b):
    if parameter.continuous:
        return abs(a - b)
    return abs(a - b) / max(1, len(parameter.values) - 1) if parameter.ordered else float(a != b)


def text_of(search, measurer):
    study = search.study
    lines = [study.title or study.path.name, f"  {verdict(search)}"]
    total = combinations(search.parameters)
    lines.append(f"  {f'{total:,} combinations' if total else 'ranges'}; "
                 f"{'all of them' if search.whole else f'a design of {search.designed}, the rest in search of better'}"
                 f"; {len(measurer.runs):,} runs, {measurer.started:,} of them started now")
    if not search.best():
        example = search.outcomes[0].failure if search.outcomes else ""
        return "\n".join([*lines, f"  no set has a result; the first one: {example}"])
    lines += ["", parameters_table(search)]
    idle = without_effect(search)
    if idle:
        lines.append(f"  without effect on any measurement: {', '.join(idle)}")
    outside = outsiders(search, measurer)
    inside = [each.name for each in measurer.measured if each.name not in outside]
    if inside:
        lines += ["", measurements_table(search, measurer, inside)]
    if outside:
        lines += ["", "host or link decide these, so they say nothing of the drive and are in no error of predictions "
                      f"({', '.join(sorted(set(outside.values())))}):", measurements_table(search, measurer, outside)]
        best = search.best()[0]
        if not best.consistent and all(abs(off) <= 1 for each, off in zip(measurer.measured, best.offs)
                                       if each.name not in outside):
            lines.append("  the rest is met: what is off are values of host or link")
    lines += _kept_out(search, measurer, outside)
    consistent = any(each.consistent for each in search.outcomes)
    if not consistent and len(measurer.measured) > 1:
        lines += ["", "each measurement alone:", nearest_each(search, measurer)]
    lines += _telling(search, measurer, consistent)
    words = [f"{{{each.name}}}" for each in search.parameters if each.word]
    best = arguments_of(search.parameters, search.best()[0].coordinates, [f"{word[1:-1]}={word}" for word in words])
    lines += ["", f"the best set: {' '.join(best)}"]
    return "\n".join(lines)


def _telling(search, measurer, consistent):
    found = to_tell_apart(search, measurer)
    if found is None:
        return []
    one, other, rows = found
    lines = ["", f"two {'consistent' if consistent else 'nearly equally good'} sets that are far apart, and what "
                 "distinguishes them:"]
    lines.append(units.table([["parameter", "one", "other"]] + [
        [name, units.shown(a), units.shown(other.settings[name])] for name, a in one.settings.items()]))
    lines.append("")
    lines.append(units.table([["measurement", "one", "other", "tolerances apart"]] + [
        [each.name + (" (not measured yet)" if each.found is None else ""), units.shown(a), units.shown(b),
         f"{apart:.2f}"] for each, a, b, apart in rows[:5]]))
    return lines


def csv_of(search, measurer):
    """Every set: parameters, values, the worst deviation."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [each.name for each in search.parameters]
    writer.writerow([*names, *(each.name for each in measurer.measured), "worst", "failure"])
    for each in search.outcomes:
        values = each.values or [""] * len(measurer.measured)
        writer.writerow([*each.settings.values(), *values, f"{each.worst:.4g}", each.failure])
    return out.getvalue()


def json_of(search, measurer):
    best = search.best()
    return json.dumps({
        "title": search.study.title, "verdict": verdict(search),
        "consistent": sum(each.consistent for each in search.outcomes), "sets": len(search.outcomes),
        "searched": {each.name: each.searched() for each in search.parameters},
        "best": {"parameters": best[0].settings,
                 "commands": {run: measurer.command(best[0], run) for run in best[0].keys},
                 "measurements": {each.name: {"found": each.found, "here": value, "tolerances_off": off}
                                  for each, value, off in zip(measurer.measured, best[0].values, best[0].offs)},
                 "outside": outsiders(search, measurer)}
        if best else None,
        "kept_out": {each.measurement.name: {"found": each.measurement.found, "predicted": each.predicted, "low": each.low,
                                             "high": each.high, "determined": each.determined}
                     for each in search.kept_out}}, indent=1) + "\n"


def drives_of(search, measurer):
    """{name: configuration file} of the best set: one for each of its runs, or a single one if they are the same
    drive."""
    best = search.best()
    found = {}
    for run in {each.run.name: each.run for each in measurer.measured}.values() if best else ():
        result = measurer.result(best[0], run)
        for one in [point.get("result", {}) for point in result.get("points", [])] or [result]:
            if "config" in one:
                keys = {name: value for name, value in one["config"].items() if name != "derived"}
                found.setdefault(toml_of(flat(keys)), run.name)
                break
    named = {re.sub(r"[^\w.-]+", "-", name): text for text, name in found.items()}
    return {"best": next(iter(named.values()))} if len(named) == 1 else {f"best-{name}": text for name, text in named.items()}
