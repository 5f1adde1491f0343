# SPDX-License-Identifier: Apache-2.0
"""The search: batches of points that are measured rung by rung and reported in order.

Everything that it decides follows from the study file and from results; journal.py keeps the decisions and store.py the
results. So a search that is started again does what it did, without running anything, and goes on where it was.
"""
import math
import time
from dataclasses import dataclass, field

from . import front, intervals, judge, metrics
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
    runs: list = field(default_factory=list)      # judge.Run per seed and workload, at that rung
    keys: list = field(default_factory=list)      # keys of the records, at that rung
    failure: tuple = None   # (kind, reason)
    losses: list = None
    verdicts: list = field(default_factory=list)  # judge.Verdict per constraint, if there are losses
    excess: list = None     # per constraint, how far it is from holding; at the last rung with its whole interval
    verdict: str = judge.kNotKnown  # on all constraints together
    reason: str = ""        # why it is not known
    finished: bool = False  # measured at the last rung: only such points are compared
    tight: bool = True      # the intervals are as narrow as requested

    @property
    def violations(self):
        return None if self.excess is None else [max(0.0, each) for each in self.excess]

    @property
    def feasible(self):
        return self.finished and self.verdict == judge.kHolds

    @property
    def state(self):
        """The run whose state is told: the first that is not settled, or the first. None if nothing was measured."""
        runs = [run for of_seed in self.runs for run in of_seed]
        return next((run for run in runs if not run.settled), runs[0] if runs else None)


class NothingMore(Exception):
    """The search is read-only, and the next result is missing."""


class Search:
    """One study on one store. With `engine` None nothing is run, and the search ends where the results end."""

    def __init__(self, checked, store, journal, engine=None, watch=None):
        self.checked, self.study, self.store = checked, checked.study, store
        self._journal, self._engine, self._watch = journal, engine, watch
        self._proposer = make_proposer(self.study, checked.base, checked.drives)
        self._traces = {str(path): file_digest(path) for each in self.study.workloads for path in each.traces}
        self._judge = judge.Judge(self.study, set(metrics.of_configuration(checked.base)))
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
        return self._least() * sum(self.study.shares())

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
                if self._undecided(point) and not self._beaten(point)])
            again = [point for point in points if point.number in set(wide)]
            if not again:
                break
            self._measure(again, len(study.rungs) - 1, [seed])
        for point in points:
            point.tight = point.failure is not None or self._is_tight(point)

    def _undecided(self, point):
        """Whether more seeds may narrow its intervals, or decide about a constraint."""
        if point.failure or any(each.verdict != judge.kHolds and not each.straddles for each in point.verdicts):
            return False
        return not (point.feasible and self._is_tight(point))

    def _is_tight(self, point):
        return all(half is not None and half <= self.study.ci * max(abs(mean), 1e-12)
                   for mean, half in self.intervals(point))

    def intervals(self, point):
        """[(mean, half of the 95 % interval or None)] of the objectives."""
        weights = [each.weight for each in self.study.workloads]
        result = []
        for i in range(len(self.study.objectives)):
            samples = [values[i] for values in point.samples]
            half = (intervals.half_width(samples) if len(samples) > 1 else
                    judge.combined_half([run.halves[i] for run in point.runs[0]], weights))
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
        candidates = self.front + [point for point in points if point.feasible]
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
            self._conclude(point)

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
        options = workload_arguments(workload, requests, study.known if rung + 1 == len(study.rungs) else None)
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
            point.rung, point.seeds, point.samples, point.runs, point.keys = rung, [], [], [], []
        point.keys += keys
        if point.failure:
            return
        known = metrics.of_configuration(configuration)
        weights, values, runs = [], [], []
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
                values.append(self._judge.objectives(found))
                runs.append(self._judge.run(found, record["result"].get("state")))
            except FormulaError as error:
                point.failure = ("no value", str(error))
                return
            weights.append(workload.weight)
        total = math.fsum(weights)
        point.seeds.append(seed)
        point.samples.append([math.fsum(w * v for w, v in zip(weights, column)) / total for column in zip(*values)])
        point.runs.append(runs)

    def _conclude(self, point):
        """Losses of the means over seeds; a constraint must hold for every workload."""
        requests, last = self.study.rungs[point.rung], point.rung + 1 == len(self.study.rungs)
        point.finished = last and not point.failure
        if point.failure:
            point.losses, point.excess, point.verdicts = None, None, []
            point.verdict, point.reason = judge.kNotKnown, point.failure[1]
            return
        means = [intervals.mean_of(column) for column in zip(*point.samples)]
        point.losses = [each.loss(mean) for each, mean in zip(self.study.objectives, means)]
        point.verdicts = self._judge.verdicts(point.runs, last)
        point.excess = [each.of_search if last else each.excess for each in point.verdicts]
        point.verdict, point.reason = judge.of_point(point.verdicts)
        if not last and point.verdict != judge.kBreaks:
            point.verdict, point.reason = judge.kNotKnown, f"stopped after {requests:,} requests"


def identity(checked):
    """The part of the study that decisions belong to: everything except what only judges results (objectives,
    constraints, budget). So other constraints can judge the same runs."""
    study = checked.study
    return digest({
        "program": checked.program.hash, "base": checked.base, "precondition": study.precondition,
        "keep_aged": study.keep_aged, **({"known": study.known} if study.known else {}),
        "space": [[key.name, key.values, key.when, key.unless] for key in study.space.keys],
        "workloads": [[each.spec, list(map(file_digest, each.traces)), each.warm_up, each.options]
                      for each in study.workloads],
        "search": [study.proposer, study.seed, study.batch, study.population, study.rungs, study.seeds, study.keep]})


def open_search(arguments, checked, engine=None, watch=None, write=False):
    """(search, folder of what it decided), in the store that --store names."""
    store = open_store(arguments)
    folder = store.folder / "studies" / f"{checked.study.path.stem}-{identity(checked)[:12]}"
    return Search(checked, store, Journal(folder, write), engine, watch), folder
