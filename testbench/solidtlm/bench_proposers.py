#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How near to the best known front each proposer comes with the study's budget, from several seeds.

    PYTHONPATH=testbench .venv/bin/python -m solidtlm.bench_proposers STUDY.toml --bin build/release/bin --store DIR
        [--proposers model,nsga2,random] [--seeds 10] [--first-seed 1] [--set KEY=VALUE] [--random 5000] [--data DIR]

The best known front is that of everything tried here and of what lies in --data. Three files are read there, and
written: STUDY.random.csv.gz, what so many random runs gave (--random); STUDY.front.json, the best known front;
STUDY.searches.csv, hypervolumes of searches. The reference point is the study's.
"""
import argparse
import csv
import gzip
import io
import json
from pathlib import Path

from solidtlm import explorer
from solidtlm.explore import answers, front
from solidtlm.explore.checks import checked_study
from solidtlm.explore.search import open_search
from solidtlm.explore.study import kProposers
from solidtlm.explore.thread_engine import Threads

kRandomSeed = 1000
kShares = (1 / 3, 2 / 3, 1)  # shares of the budget at which the hypervolume is recorded


def search_of(options, engine, proposer, seed, runs=None):
    arguments = explorer.arguments_of([
        "run", options.study, "--bin", options.bin, "--store", options.store,
        *(part for each in options.overrides for part in ("--set", each)),
        "--set", f"search.proposer={proposer}", "--set", f"search.seed={seed}",
        *(["--set", f"budget.runs={runs}"] if runs else [])])
    search, _ = open_search(arguments, checked_study(arguments), engine, write=True)
    search.run()
    search.close()
    return search


def tried(search):
    """A table of tried points: settings, values of objectives, whether the constraints hold, and the reason of a
    failure."""
    names = [key.name for key in search.study.space.keys]
    objectives = search.study.objectives
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*names, *(each.name for each in objectives), "feasible", "failure"])
    for point in search.points:
        losses = point.losses or [None] * len(objectives)
        writer.writerow([*(point.settings.get(name) for name in names),
                         *("" if loss is None else f"{each.loss(loss):.6g}" for each, loss in zip(objectives, losses)),
                         int(point.feasible), point.failure[0] if point.failure else ""])
    return gzip.compress(text.getvalue().encode(), mtime=0)


def losses_in(path, objectives):
    """Losses of the feasible points in a table that tried() has made."""
    rows = csv.DictReader(io.StringIO(gzip.decompress(path.read_bytes()).decode()))
    return [[each.loss(float(row[each.name])) for each in objectives] for row in rows if row["feasible"] == "1"]


def course(search, reference):
    """The hypervolume after each share of the budget."""
    volumes = answers.hypervolumes(search, reference)
    return [max([volume for runs, volume in volumes if runs <= share * search.runs], default=0.0) for share in kShares]


def arguments_of(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study")
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--store", default="out/explore/store")
    parser.add_argument("--proposers", default="model,nsga2,random", help=f"of {', '.join(kProposers)} [%(default)s]")
    parser.add_argument("--set", action="append", default=[], dest="overrides", metavar="KEY=VALUE")
    parser.add_argument("--seeds", type=int, default=10, help="of each proposer [%(default)s]")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--random", type=int, default=0, metavar="RUNS", help="that chance is given, once")
    parser.add_argument("--data", type=Path, metavar="DIR", help="what is known; written again")
    parser.add_argument("--reach", type=float, default=95.0, metavar="PERCENT", help="counts seeds [%(default)s]")
    return parser.parse_args(argv)


def main(argv=None):
    options = arguments_of(argv)
    name = Path(options.study).stem
    files = {each: options.data / f"{name}.{each}" for each in ("random.csv.gz", "front.json", "searches.csv")
             } if options.data else {}
    known, results = [], {}
    with Threads(options.jobs) as engine:
        if options.random:
            search = search_of(options, engine, "random", kRandomSeed, options.random)
            known += [point.losses for point in search.front]
            if files:
                options.data.mkdir(parents=True, exist_ok=True)
                files["random.csv.gz"].write_bytes(tried(search))
        for proposer in options.proposers.split(","):
            for seed in range(options.first_seed, options.first_seed + options.seeds):
                results[proposer, seed] = search = search_of(options, engine, proposer, seed)
                known += [point.losses for point in search.front]
    objectives = search.study.objectives
    by_chance = []
    if files and files["random.csv.gz"].exists():
        by_chance = losses_in(files["random.csv.gz"], objectives)
    if files and files["front.json"].exists():
        known += json.loads(files["front.json"].read_text())["losses"]
    reference = answers.reference_of(search)
    known += by_chance
    best = [known[i] for i in front.front(known)]
    volume = front.hypervolume(best, reference)
    print(f"best known front: {len(best)} points, hypervolume {volume:.6g} up to {reference}")
    if by_chance:
        print(f"random runs of --data: {100 * front.hypervolume(by_chance, reference) / volume:.1f} %")
    table = [[proposer, seed, search.runs, *(100 * each / volume for each in course(search, reference))]
             for (proposer, seed), search in results.items()]
    print("proposer  seed  " + "  ".join(f"{share:4.0%} of the runs" for share in kShares))
    for proposer, seed, _, *shares in table:
        print(f"{proposer:8}  {seed:4}  " + "  ".join(f"{share:14.1f} %" for share in shares))
    for proposer in options.proposers.split(","):
        ends = [row[-1] for row in table if row[0] == proposer]
        print(f"{proposer}: {sum(each >= options.reach for each in ends)} of {len(ends)} seeds reach "
              f"{options.reach:g} %; {min(ends):.1f} to {max(ends):.1f}, on average {sum(ends) / len(ends):.1f} %")
    if files:
        files["front.json"].write_text(json.dumps({"study": Path(options.study).name, "reference": reference,
                                                   "losses": best}, indent=1) + "\n")
        write_searches(files["searches.csv"], table, [course(search, reference) for search in results.values()])


def write_searches(path, table, volumes):
    """Writes hypervolumes, not percentages, which change with the best known front. Rows of other proposers and
    seeds stay."""
    head = ["proposer", "seed", "runs", *(f"hypervolume at {share:.0%}" for share in kShares)]
    rows = {}
    if path.exists():
        with open(path, newline="", encoding="ascii") as file:
            rows = {(row[0], int(row[1])): row for row in list(csv.reader(file))[1:]}
    for (proposer, seed, runs, *_), each in zip(table, volumes):
        rows[proposer, seed] = [proposer, seed, runs, *(f"{volume:.6g}" for volume in each)]
    with open(path, "w", newline="", encoding="ascii") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *(rows[key] for key in sorted(rows))])


if __name__ == "__main__":
    main()
