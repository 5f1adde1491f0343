# SPDX-License-Identifier: Apache-2.0
"""The search: batches of points that are measured rung by rung and reported in order.

Everything that it decides follows from the study file and from results; journal.py keeps the decisions and store.py the
results. So a search that is started again does what it did, without running anything, and goes on where it was.
"""
import math
import time
from dataclasses import dataclass, field

from . import front, intervals, metrics
from .checks import workload_arguments
from .folders import open_store
from .formula import FormulaError
from .job import kNoSuchDrive
from .journal import Journal
from .program import setting, toml_of
from .proposers import make_proposer
from .store import digest, file_digest


kRefusedInARun = 100


@dataclass(slots=True)
class Point:
    """A drive that is tried. It is small: results stay in the store."""
    number: int
    batch: int
    genes: dict
    settings: dict
    attributes: dict
    rung: int = -1          # last rung at which it was measured
    seeds: list = field(default_factory=list)
    samples: list = field(default_factory=list)  # objectives per seed, at that rung
    breaches: list = field(default_factory=list)  # per seed, how far the constraints are from holding
    keys: list = field(default_factory=list)      # keys of the records, at that rung
    batches: list = None    # throughput over a run, for its interval if there is one seed
    failure: tuple = None   # (kind, reason)
    losses: list = None
    violations: list = None
    tight: bool = True      # the intervals are as narrow as requested

    @property
    def feasible(self):
        return self.failure is None and self.violations is not None and not any(self.violations)


class NothingMore(Exception):
    """The search is read-only, and the next result is missing."""


class Search:
    """One study on one store. With `engine` None nothing is run, and the search ends where the results end."""

    def __init__(self, checked, store, journal, engine=None, watch=None):
        self.checked, self.study, self.store = checked, checked.study, store
        self._journal, self._engine, self._watch = journal, engine, watch
        self._proposer = make_proposer(self.study, checked.base, checked.drives)
        self._traces = {str(path): file_digest(path) for each in self.study.workloads for path in each.traces}
        self._needed = _names_needed(self.study)
        self.points = []
        self.keys = set()    # of all records that the study needs so far
        self.refused = set()  # part of `keys`: impossible drives
        self.started = 0     # number of runs that were not in the store
        self.seconds = 0.0   # total time of these runs
        self.front = []      # points
        self.history = []    # (runs, numbers of the front's points) after each batch
        self._moved_at = 0
        self.ended = ""      # reason
        self.begin = time.monotonic()

    @property
    def runs(self):
        """Runs that count for the budget. The refusal of an impossible drive costs a hundredth of a run and does
        not count."""
        refused = len(self.refused)
        return len(self.keys) - refused + refused // kRefusedInARun

    # The course of the search.

    def run(self):
        """Runs until the budget is used up, or everything has been tried."""
        batch = 0
        try:
            while not self._spent(batch):
                points = self._propose(batch)
                if not points:
                    self.ended = "every combination has been tried"
                    break
                self._measure_batch(batch, points)
                self._proposer.tell(points)
                self._note(points)
                batch += 1
        except NothingMore:
            self.ended = self.ended or "not finished: `run` goes on here"

    def close(self):
        """Allows another coordinator to work on the study."""
        self._journal.close()

    def _spent(self, batch):
        study, runs = self.study, self.runs
        hours = (time.monotonic() - self.begin) / 3600
        if study.runs is not None and runs + self._least() > study.runs:
            self.ended = f"{runs} of {study.runs} runs are done"
        elif study.unmoved is not None and runs - self._moved_at >= study.unmoved:
            self.ended = f"the front has not moved for {runs - self._moved_at} runs"
        elif study.hours is not None and self._journal.known("hours", study.hours) == batch:
            self.ended = f"{study.hours:g} hours had passed"
        elif study.hours is not None and self._journal.known("points", batch) is None and hours >= study.hours:
            self.ended = f"{study.hours:g} hours have passed"
            self._journal.decide(("hours", study.hours), lambda: batch)
        return bool(self.ended)

    def _least(self):
        """Least number of runs for one more point."""
        return len(self.study.workloads) * len(self.study.seeds)

    def _usual(self):
        """Mean number of runs per point, including points that go on to longer runs."""
        return self._least() * sum(self.study.keep**rung for rung in range(len(self.study.rungs)))

    def _propose(self, batch):
        count = self.study.batch
        if self.study.runs is not None:
            count = max(1, min(count, int((self.study.runs - self.runs) / self._usual())))

        def ask():
            if self._engine is None:
                raise NothingMore
            return [[[genes[key.name] for key in self.study.space.keys], attributes]
                    for genes, attributes in self._proposer.propose(batch, count)]

        known = self._journal.decide(("points", batch), ask)
        points = []
        for values, attributes in known[:count]:
            genes = dict(zip((key.name for key in self.study.space.keys), values))
            points.append(Point(len(self.points) + len(points), batch, genes,
                                self.study.space.settings(genes, self.checked.base), attributes))
        self.points += points
        return points

    def _measure_batch(self, batch, points):
        study, alive = self.study, points
        for rung in range(len(study.rungs)):
            self._measure(alive, rung, study.seeds)
            if rung + 1 == len(study.rungs):
                break
            keep = self._journal.decide(("rung", batch, rung), lambda: self._promising(alive))
            alive = [point for point in alive if point.number in set(keep)]
        if study.ci is not None:
            self._tighten(batch, alive)

    def _promising(self, points):
        """Indices of the points that go on: the best share, feasible ones first."""
        able = [point for point in points if point.failure is None and point.losses is not None]
        order = front.ranked([point.losses for point in able], [math.fsum(point.violations) for point in able])
        count = math.ceil(self.study.keep * len(points))
        return sorted(able[i].number for i in order[:count])

    def _tighten(self, batch, points):
        """Runs more seeds for points whose intervals are too wide, unless they are clearly beaten."""
        study = self.study
        for seed in range(max(study.seeds) + 1, max(study.seeds) + 1 + study.max_seeds - len(study.seeds)):
            wide = self._journal.decide(("seed", batch, seed), lambda: [
                point.number for point in points
                if point.feasible and not self._is_tight(point) and not self._beaten(point)])
            again = [point for point in points if point.number in set(wide)]
            if not again:
                break
            self._measure(again, len(study.rungs) - 1, [seed])
        for point in points:
            point.tight = point.failure is not None or self._is_tight(point)

    def _is_tight(self, point):
        return all(half is not None and half <= self.study.ci * max(abs(mean), 1e-12)
                   for mean, half in self.intervals(point))

    def intervals(self, point):
        """[(mean, half of the 95 % interval or None)] of the objectives."""
        result = []
        for i, objective in enumerate(self.study.objectives):
            samples = [values[i] for values in point.samples]
            half = intervals.half_width(samples)
            if half is None and point.batches and objective.formula.text.strip() == "throughput":
                half = intervals.half_width(point.batches)
            result.append((intervals.mean_of(samples), half))
        return result

    def _beaten(self, point):
        """Whether a point of the front beats it, with intervals that do not touch."""
        return any(self.beats(other, point) for other in self.front)

    def beats(self, a, b):
        """Whether a dominates b beyond the intervals of both."""
        better = False
        for objective, (x, dx), (y, dy) in zip(self.study.objectives, self.intervals(a), self.intervals(b)):
            gap = objective.loss(y) - objective.loss(x)
            if gap < 0:
                return False
            better = better or gap > (dx or 0.0) + (dy or 0.0)
        return better

    def _note(self, points):
        """Records the front after this batch."""
        candidates = self.front + [point for point in points if point.feasible
                                   and point.rung + 1 == len(self.study.rungs)]
        kept = [candidates[i] for i in front.front([point.losses for point in candidates])]
        numbers = [point.number for point in kept]
        if numbers != [point.number for point in self.front]:
            self._moved_at = self.runs
        self.front = kept
        self.history.append((self.runs, numbers))
        if self._watch:
            self._watch(self)

    # Measuring.

    def _measure(self, points, rung, seeds):
        """Makes sure that all results exist, then reads them in the order of the points."""
        plan, wanted = [], {}
        for point in points:
            configuration, why_not = self.checked.drives.effective(point.settings)
            if configuration is None:
                point.failure, point.rung = (kNoSuchDrive, why_not), rung
                continue
            for seed in seeds:
                made = [self.job(point.settings, configuration, workload, rung, seed)
                        for workload in self.study.workloads]
                plan.append((point, seed, configuration, [each["key"] for each in made]))
                for each in made:
                    wanted.setdefault(each["key"], each)
        self.keys.update(wanted)
        self._run([each for key, each in wanted.items() if key not in self.store])
        for point, seed, configuration, keys in plan:
            self._take(point, rung, seed, configuration, keys)
        for point in points:
            _average(self.study, point)

    def _run(self, missing):
        if not missing:
            return
        if self._engine is None:
            raise NothingMore
        begun = self.started

        def done(key, data, seconds):
            if data is not None:
                self.store.write(key, data)
            self.started += 1
            self.seconds += seconds
            if self._watch:
                self._watch(self, under_way=len(missing) - (self.started - begun))

        self._engine.run(missing, done)

    def job(self, settings, configuration, workload, rung, seed):
        """A run: everything that a worker needs, and the key of everything that its result depends on."""
        study, program = self.study, self.checked.program
        requests = study.rungs[rung]
        configuration = {**configuration, "seed": seed}
        configuration.pop("preset", None)
        options = workload_arguments(workload, requests)
        ageing = ["--precondition", study.precondition] if study.precondition else []
        kept = bool(ageing) and study.keep_aged
        inputs = {"configuration": configuration, "precondition": study.precondition, "kept": kept,
                  "workload": [self._traces.get(each, each) for each in options], "seed": seed, "requests": requests}
        shown = [*study.base_arguments(), *(part for pair in settings.items() for part in ("--set", setting(*pair))),
                 "--seed", str(seed), *options, *ageing, *(["--age-cache", "aged"] if kept else [])]
        made = program.job(self.store, ["--config", "drive.toml", *options, *ageing], inputs, shown, study.timeout,
                           {"drive.toml": toml_of(configuration)}, kept)
        made["inputs"]["configuration"] = digest(configuration)
        return made

    def _take(self, point, rung, seed, configuration, keys):
        """Reads the results of one seed. If one of them failed, the point has failed."""
        if point.rung != rung:
            point.rung, point.seeds, point.samples, point.breaches, point.keys = rung, [], [], [], []
            point.batches = None
        point.keys += keys
        if point.failure:
            return
        known = metrics.of_configuration(configuration)
        weights, values, breaches = [], [], []
        for workload, key in zip(self.study.workloads, keys):
            record = self.store.read(key)
            if record is None:
                raise NothingMore  # damaged, and removed: the next run makes it again
            if "failure" in record:
                point.failure = (record["failure"]["kind"], record["failure"]["reason"])
                if point.failure[0] == kNoSuchDrive:
                    self.refused.update(keys)
                return
            found = metrics.of_result(record["result"])
            found.update(known)
            try:
                self._add_formulas(found)
                values.append([each.formula.value(found) for each in self.study.objectives])
                breaches.append([each.excess(found) for each in self.study.constraints])
            except FormulaError as error:
                point.failure = ("no value", str(error))
                return
            weights.append(workload.weight)
            point.batches = record["result"].get("batches", {}).get("mb_per_s") if len(keys) == 1 else None
        total = math.fsum(weights)
        point.seeds.append(seed)
        point.samples.append([math.fsum(w * v for w, v in zip(weights, column)) / total for column in zip(*values)])
        point.breaches.append([max(column) for column in zip(*breaches)])

    def _add_formulas(self, values):
        rest = {name: each for name, each in self.study.formulas.items() if name in self._needed}
        while rest:
            for name in [name for name, each in rest.items() if not each.names & set(rest)]:
                values[name] = rest.pop(name).value(values)


def _average(study, point):
    """Losses of the means over seeds; a constraint must hold on average, and for every workload."""
    if point.failure or not point.samples:
        point.losses = point.violations = None
        return
    means = [intervals.mean_of(column) for column in zip(*point.samples)]
    point.losses = [each.loss(mean) for each, mean in zip(study.objectives, means)]
    point.violations = [max(0.0, intervals.mean_of(column)) for column in zip(*point.breaches)]


def _names_needed(study):
    """The formulas that an objective or a constraint uses, directly or through others."""
    needed = set().union(*(each.formula.names for each in study.objectives),
                         *(each.names for each in study.constraints))
    while True:
        more = set().union(*(study.formulas[name].names for name in needed & set(study.formulas)), needed)
        if more == needed:
            return needed
        needed = more


def identity(checked):
    """The part of the study that decisions belong to: everything except what only judges results (objectives,
    constraints, budget). So other constraints can judge the same runs."""
    study = checked.study
    return digest({
        "program": checked.program.hash, "base": checked.base, "precondition": study.precondition,
        "keep_aged": study.keep_aged,
        "space": [[key.name, key.values, key.when, key.unless] for key in study.space.keys],
        "workloads": [[each.spec, list(map(file_digest, each.traces)), each.warm_up, each.options]
                      for each in study.workloads],
        "search": [study.proposer, study.seed, study.batch, study.population, study.rungs, study.seeds, study.keep]})


def open_search(arguments, checked, engine=None, watch=None, write=False):
    """(search, folder of what it decided), in the store that --store names."""
    store = open_store(arguments)
    folder = store.folder / "studies" / f"{checked.study.path.stem}-{identity(checked)[:12]}"
    return Search(checked, store, Journal(folder, write), engine, watch), folder
