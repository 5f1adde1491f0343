# SPDX-License-Identifier: Apache-2.0
"""Choose the drives to try next: a grid and random choice, which need no library, and Optuna's TPE and NSGA-II.

A batch is a function of the study's seed, the number of the batch and the points told so far, for any number of
workers: the sampler is seeded again for each batch, and points are told in their order.
"""
import random

from .store import digest

kTries = 200  # attempts to find something new near a known point


def seed_of(study_seed, batch):
    return int(digest([study_seed, batch])[:8], 16)


class Proposer:
    """Grid and random choice, and functions that all proposers share: no drive is proposed twice."""

    def __init__(self, study, base):
        self._study, self._space, self._base = study, study.space, base
        self._seen = set()
        self._next = 0  # next point of the grid

    def propose(self, batch, count):
        """[(genes, attributes)], fewer than `count` if everything has been proposed."""
        chance = random.Random(seed_of(self._study.seed, batch))
        if self._study.proposer == "grid":
            return [(genes, {}) for genes in self._grid(count)]
        return self._new([(self._random(chance), {}) for _ in range(count)], chance)

    def tell(self, points):
        """Receives the results of a batch's points."""
        for point in points:
            self._seen.add(self._mark(point.genes))

    def _mark(self, genes, settings=None):
        """Equal for equal drives: keys that do not matter are left out."""
        active = self._space.settings(genes, self._base) if settings is None else settings
        return tuple(genes[key.name] if key.name in active else None for key in self._space.keys)

    def _random(self, chance):
        return {key.name: chance.randrange(len(key.values)) for key in self._space.keys}

    def _grid(self, count):
        """The next new points of the grid: changing only keys that do not matter does not make a point new."""
        found, marks = [], set()
        while len(found) < count and self._next < self._space.size():
            genes = self._space.at(self._next)
            self._next += 1
            mark = self._mark(genes)
            if mark not in self._seen and mark not in marks:
                marks.add(mark)
                found.append(genes)
        return found

    def _new(self, proposals, chance):
        """Replaces a known point by a new one near it."""
        taken, result = set(self._seen), []
        for genes, attributes in proposals:
            found = self._near(genes, taken, chance)
            if found is not None:
                taken.add(self._mark(found))
                result.append((found, attributes))
        return result

    def _near(self, genes, taken, chance):
        for attempt in range(2 * kTries):
            if self._mark(genes) not in taken:
                return genes
            genes = self._changed(genes, chance) if attempt < kTries else self._random(chance)
        if self._space.size() <= 10_000:  # nearly all points are known
            return next((each for each in map(self._space.at, range(self._space.size()))
                         if self._mark(each) not in taken), None)
        return None

    def _changed(self, genes, chance):
        """Changes the value of one key that matters; if values are ordered, half of the time to an adjacent
        value."""
        active = set(self._space.settings(genes, self._base))
        keys = [key for key in self._space.keys if key.name in active and len(key.values) > 1]
        if not keys:
            return genes
        key = chance.choice(keys)
        place, last = genes[key.name], len(key.values) - 1
        if key.ordered and chance.random() < 0.5:
            place = max(0, min(last, place + chance.choice((-1, 1))))
        else:
            place = chance.randrange(last + 1)
        return {**genes, key.name: place}


class OptunaProposer(Proposer):
    """NSGA-II and TPE through ask and tell, on a study in memory."""

    def __init__(self, study, base):
        super().__init__(study, base)
        self._optuna = quiet_optuna()
        self._memory = self._optuna.create_study(directions=directions(study))
        self._distributions = distributions(study.space)
        self._worst = [0.0] * len(study.objectives)

    def _sampler(self, seed):
        samplers = self._optuna.samplers
        if self._study.proposer == "nsga2":
            return samplers.NSGAIISampler(population_size=self._study.population or max(2, self._study.batch),
                                          seed=seed)
        return samplers.TPESampler(seed=seed, multivariate=True, constant_liar=True,
                                   n_startup_trials=max(10, self._study.batch))

    def propose(self, batch, count):
        seed = seed_of(self._study.seed, batch)
        self._memory.sampler = self._sampler(seed)
        asked = [self._memory.ask(self._distributions) for _ in range(count)]
        # The proposed point is not the one that was asked: a known point is replaced by a new one. The asked
        # trial ends as failed, which samplers ignore, and the new one takes over its attributes (its
        # generation).
        ended = [self._memory.tell(trial, state=self._optuna.trial.TrialState.FAIL) for trial in asked]
        single = {key.name: 0 for key in self._space.keys if len(key.values) == 1}
        proposals = [({**single, **trial.params}, dict(trial.system_attrs)) for trial in ended]
        return self._new(proposals, random.Random(seed))

    def tell(self, points):
        super().tell(points)
        for point in points:
            if point.losses is not None:
                self._worst = [max(worst, loss) for worst, loss in zip(self._worst, point.losses)]
        for point in points:
            self._memory.add_trial(trial_of(self._optuna, self._study, point, self._distributions, self._worst))


def quiet_optuna():
    import warnings
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
    return optuna


def directions(study):
    return ["maximize" if each.maximise else "minimize" for each in study.objectives]


def distributions(space):
    """Indices of values: ordered if the values are quantities. A key with a single value is left out."""
    import optuna
    made = {}
    for key in space.keys:
        if len(key.values) > 1:
            last = len(key.values) - 1
            made[key.name] = (optuna.distributions.IntDistribution(0, last) if key.ordered
                              else optuna.distributions.CategoricalDistribution(tuple(range(last + 1))))
    return made


def trial_of(optuna, study, point, known, worst):
    """A point in Optuna's form. A failed point has the worst values and a violated constraint. A point that was
    stopped at an early rung also has a violated constraint, but a smaller one, because its values are from a
    shorter run."""
    losses = worst if point.losses is None else point.losses
    values = [each.loss(loss) for each, loss in zip(study.objectives, losses)]
    constraints = {each.text: violation for each, violation in zip(study.constraints, point.violations or [])}
    constraints["finished"] = 1000.0 if point.failure else float(len(study.rungs) - 1 - point.rung)
    return optuna.trial.create_trial(
        state=optuna.trial.TrialState.COMPLETE, values=values, constraints=constraints,
        params={name: point.genes[name] for name in known}, distributions=known, system_attrs=dict(point.attributes))
