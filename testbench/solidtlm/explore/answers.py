# SPDX-License-Identifier: Apache-2.0
"""The results of a search: points as a table, the front, its hypervolume over time, and the keys that matter."""
import json
import math

from . import front, interactions as pairs, judge, metrics
from .program import toml_of
from .proposer import directions, distributions, quiet_optuna, trial_of
from .store import write_whole

kShownMetrics = ("throughput", "iops", "mean", "p99", "p999", "wa")
kLeastForImportance = 12  # number of points
kNearest = 3  # points, where none keeps all constraints
kNotJudgedOnce = ("The executable does not tell whether a drive was in a steady state: no number here is judged, and no "
                  "constraint over one is known to hold.")


def reference_of(search):
    """The reference point of the hypervolume, as losses, and its origin: the study, or a tenth of the range
    beyond the worst feasible point."""
    study = search.study
    points = [point for point in search.points if point.feasible]
    reference = []
    for i, objective in enumerate(study.objectives):
        if objective.name in study.reference:
            reference.append(objective.loss(study.reference[objective.name]))
            continue
        losses = [point.losses[i] for point in points] or [0.0]
        reference.append(max(losses) + 0.1 * ((max(losses) - min(losses)) or abs(max(losses)) or 1.0))
    return reference


def finished(search):
    """The points that were measured at the last rung: only they are compared."""
    return [point for point in search.points if point.finished]


def nearest(search):
    """Where no point keeps all constraints: those that miss them by least."""
    if search.front:
        return []
    points = finished(search) or [point for point in search.points if point.losses is not None]
    return sorted(points, key=lambda point: (math.fsum(max(0.0, each.excess) for each in point.verdicts), point.losses,
                                             point.number))[:kNearest]


def misses(search, point):
    """[(constraint, by what share of its limit, half of the interval or None)], of those that do not hold. At most 0
    where only the state or the interval is not good enough."""
    return [(constraint, each.excess, each.half) for constraint, each in zip(search.study.constraints, point.verdicts)
            if each.verdict != judge.kHolds]


def miss_text(by, half):
    """How far a constraint is from holding, in words."""
    text = f"missed by {100 * by:.3g} %" if by > 0 else f"kept by {100 * -by:.3g} %"
    return text + (f" +-{100 * half:.2g} %" if half else "") + " of its limit"


def undecided(search):
    """Points that are not known to keep the constraints, and would lie on the front if they do."""
    return [point for point in finished(search) if point.verdict == judge.kNotKnown
            and all(each.excess <= 0 or each.straddles for each in point.verdicts)
            and not any(front.dominates(other.losses, point.losses) for other in search.front)]


def not_judged(search):
    """Whether a result does not tell the state of its drive."""
    return any(point.state and not point.state.kind for point in search.points)


def hypervolumes(search, reference):
    """[(runs, hypervolume)] after each batch."""
    return [(runs, front.hypervolume([search.points[number].losses for number in numbers], reference))
            for runs, numbers in search.history]


def importance(search):
    """{objective: {key: share}} by PED-ANOVA; under "front", how much a key decides whether a point is near the
    front."""
    study = search.study
    points = finished(search)
    known = distributions(study.space)
    if len(points) < kLeastForImportance or not known:
        return {}
    optuna = quiet_optuna()
    memory = optuna.create_study(directions=directions(study))
    for point in points:
        # Only keys that matter for the point; the others carry no information.
        active = {name: each for name, each in known.items() if name in point.settings}
        memory.add_trial(trial_of(optuna, study, point, active, point.losses))
    evaluator = optuna.importance.PedAnovaImportanceEvaluator(target_quantile=0.2)
    result = {}
    targets = {each.name: (lambda trial, i=i, each=each: each.loss(trial.values[i]))
               for i, each in enumerate(study.objectives)}
    if len(study.objectives) > 1:
        targets["front"] = None
    import warnings
    for name, target in targets.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                result[name] = optuna.importance.get_param_importances(memory, evaluator=evaluator, target=target)
            except (ValueError, RuntimeError):
                continue  # no differences to explain
    return result


def interactions(search):
    """{objective: [(key, key that it interacts with, share of the variance)]}."""
    return pairs.interactions(search, finished(search))


def ledger_of(search, point):
    """Mean stages in us, metrics and the limit of the point, over its seeds and workloads. Read from the store."""
    weights = [each.weight for each in search.study.workloads]
    stages, shown, total = {}, {}, 0.0
    for number, key in enumerate(point.keys):
        record = search.store.read(key)
        if record is None or "failure" in record:
            continue
        weight = weights[number % len(weights)]
        total += weight
        for stage, time in record["result"].get("ledger", {}).get("stages_us", {}).items():
            stages[stage] = stages.get(stage, 0.0) + weight * time
        found = metrics.of_result(record["result"])
        for name in kShownMetrics:
            if isinstance(found.get(name), (int, float)):
                shown[name] = shown.get(name, 0.0) + weight * found[name]
    if total == 0:
        return {}, {}, []
    stages = {stage: time / total for stage, time in stages.items() if time > 0}
    shown = {name: value / total for name, value in shown.items()}
    return stages, shown, metrics.limits_of({"ledger": {"stages_us": stages}})


def commands_of(search, point):
    """The command lines of the point's longest runs with the first seed, one per workload."""
    configuration, _ = search.checked.drives.effective(point.settings)
    if configuration is None:
        configuration = search.checked.base
    rung = max(0, point.rung)
    seed = search.study.seeds[0]
    return [search.job(point.settings, configuration, each, rung, seed)["command"]
            for each in search.study.workloads]


def drive_file(search, point):
    """The complete configuration of a point as TOML; None if the drive is impossible."""
    configuration, _ = search.checked.drives.effective(point.settings)
    if configuration is None:
        return None
    plain = {name: value for name, value in configuration.items() if name != "preset"}
    return (f"# Point {point.number} of {search.study.title or search.study.path.name}; the same as\n"
            + "".join(f"# {each}\n" for each in commands_of(search, point))
            + toml_of({**plain, "seed": search.study.seeds[0]}))


def rows(search):
    """A row per point, with only numbers and texts."""
    on_front = {point.number for point in search.front}
    result = []
    for point in search.points:
        row = {"point": point.number, "batch": point.batch, "on_front": point.number in on_front,
               "verdict": point.verdict, "finished": point.finished,
               "requests": search.study.rungs[point.rung] if point.rung >= 0 else 0, "seeds": len(point.seeds)}
        halves = search.intervals(point) if point.losses is not None else []
        for i, objective in enumerate(search.study.objectives):
            row[objective.name] = halves[i][0] if halves else None
            row[f"{objective.name} +-"] = halves[i][1] if halves else None
        for i, constraint in enumerate(search.study.constraints):
            row[f"missed: {constraint.text}"] = max(0.0, point.verdicts[i].excess) if point.verdicts else None
        row["state"] = point.state.text if point.state else ""
        row["failure"] = point.failure[0] if point.failure else ""
        row["reason"] = point.reason
        for key in search.study.space.keys:
            value = point.settings.get(key.name)
            row[key.name] = ",".join(map(str, value)) if isinstance(value, list) else value
        result.append(row)
    return result


def document(search):
    """What a search has found, for programs."""
    study = search.study
    names = [each.name for each in study.objectives]

    def described(point):
        values = dict(zip(names, ({"value": value, "half_width": half} for value, half in search.intervals(point))))
        return {"point": point.number, "verdict": point.verdict, "reason": point.reason,
                "state": point.state.text if point.state else "", "objectives": values,
                "missed": [{"constraint": constraint.text, "by": by, "half_width": half}
                           for constraint, by, half in misses(search, point)],
                "limited_by": [{"stage": stage, "share": share} for stage, share in ledger_of(search, point)[2]],
                "settings": point.settings, "commands": commands_of(search, point)}

    return {"title": study.title or study.path.stem, "question": study.question, "ended": search.ended,
            "runs": len(search.keys), "points": len(search.points), "constraints": [each.text for each in study.constraints],
            "judged": not not_judged(search), "front": [described(each) for each in by_objective(search.front)],
            "nearest": [described(each) for each in nearest(search)],
            "undecided": [described(each) for each in by_objective(undecided(search))]}


def by_objective(points):
    return sorted(points, key=lambda point: point.losses)


def export_optuna(search, path):
    """Writes the study in a form that Optuna's own tools can open: a journal of its JournalStorage, written as a
    whole."""
    optuna = quiet_optuna()
    from optuna.storages import JournalStorage
    from optuna.storages.journal import BaseJournalBackend

    class Kept(BaseJournalBackend):
        """Kept in memory, because JournalFileBackend would wait for the disk after each trial."""

        def __init__(self):
            self.logs = []

        def read_logs(self, log_number_from):
            return iter(self.logs[log_number_from:])

        def append_logs(self, logs):
            self.logs += json.loads(json.dumps(logs))

    kept = Kept()
    study = search.study
    memory = optuna.create_study(study_name=study.title or study.path.stem, directions=directions(study),
                                 storage=JournalStorage(kept))
    memory.set_metric_names([each.name for each in study.objectives])
    known = distributions(study.space)
    worst = [max((point.losses[i] for point in search.points if point.losses is not None), default=0.0)
             for i in range(len(study.objectives))]
    shown = {key.name: optuna.distributions.CategoricalDistribution(tuple(map(str, key.values)))
             for key in study.space.keys if key.name in known}
    trials = []
    for point in search.points:
        if point.rung < 0:
            continue
        trial = trial_of(optuna, study, point, known, worst)
        active = [name for name in shown if name in point.settings]
        trials.append(optuna.trial.create_trial(
            state=trial.state, values=trial.values, constraints=trial.constraints,
            params={name: str(point.settings[name]) for name in active},
            distributions={name: shown[name] for name in active},
            user_attrs={"point": point.number, "failure": point.failure[1] if point.failure else ""}))
    memory.add_trials(trials)
    write_whole(path, "".join(json.dumps(log, separators=(",", ":")) + "\n" for log in kept.logs).encode())


def significant_digits(value, digits=6):
    """Rounds numbers for the page."""
    if isinstance(value, float) and math.isfinite(value) and value != 0:
        return float(f"{value:.{digits}g}")
    return value
