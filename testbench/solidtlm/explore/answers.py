# SPDX-License-Identifier: Apache-2.0
"""The results of a search: points as a table, the front, its hypervolume over time, and the keys that matter."""
import json
import math

from . import front, interactions as pairs, metrics
from .program import toml_of
from .proposer import directions, distributions, quiet_optuna, trial_of
from .store import write_whole

kShownMetrics = ("throughput", "iops", "mean", "p99", "p999", "wa")
kLeastForImportance = 12  # number of points


def reference_of(search):
    """The reference point of the hypervolume, as losses, and its origin: the study, or a tenth of the range
    beyond the worst feasible point."""
    study = search.study
    points = [point for point in search.points if finished(search, point) and point.feasible]
    reference = []
    for i, objective in enumerate(study.objectives):
        if objective.name in study.reference:
            reference.append(objective.loss(study.reference[objective.name]))
            continue
        losses = [point.losses[i] for point in points] or [0.0]
        reference.append(max(losses) + 0.1 * ((max(losses) - min(losses)) or abs(max(losses)) or 1.0))
    return reference


def finished(search, point):
    """Whether a point was measured at the last rung: only such points are compared."""
    return point.failure is None and point.rung + 1 == len(search.study.rungs) and point.losses is not None


def hypervolumes(search, reference):
    """[(runs, hypervolume)] after each batch."""
    return [(runs, front.hypervolume([search.points[number].losses for number in numbers], reference))
            for runs, numbers in search.history]


def importance(search):
    """{objective: {key: share}} by PED-ANOVA; under "front", how much a key decides whether a point is near the
    front."""
    study = search.study
    points = [point for point in search.points if finished(search, point)]
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
    return pairs.interactions(search, [point for point in search.points if finished(search, point)])


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
               "feasible": point.feasible, "finished": finished(search, point),
               "requests": search.study.rungs[point.rung] if point.rung >= 0 else 0, "seeds": len(point.seeds)}
        halves = search.intervals(point) if point.losses is not None else []
        for i, objective in enumerate(search.study.objectives):
            row[objective.name] = halves[i][0] if halves else None
            row[f"{objective.name} +-"] = halves[i][1] if halves else None
        for i, constraint in enumerate(search.study.constraints):
            row[f"missed: {constraint.text}"] = point.violations[i] if point.violations else None
        row["failure"] = point.failure[0] if point.failure else ""
        row["reason"] = point.failure[1] if point.failure else ""
        for key in search.study.space.keys:
            value = point.settings.get(key.name)
            row[key.name] = ",".join(map(str, value)) if isinstance(value, list) else value
        result.append(row)
    return result


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
