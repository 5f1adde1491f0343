#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How near to the best known front each proposer comes with the study's budget, from several seeds.

    PYTHONPATH=testbench .venv/bin/python -m explore.bench_proposers STUDY.toml --bin build/release/bin --store DIR
        [--seeds 10] [--proposers nsga2,random] [--set KEY=VALUE] [--best FRONT.json] [--random 5000]

The best known front is that of everything tried here, of FRONT.json, and of so many random points once
(--random); it is written to FRONT.json again. The reference point is the study's.
"""
import argparse
import json
from pathlib import Path

from explore import __main__ as explorer, answers, front
from explore.engine import Engine


def search_of(options, engine, proposer, seed, runs=None):
    arguments = explorer.arguments_of([
        "run", options.study, "--bin", options.bin, "--store", options.store,
        *(part for each in options.overrides for part in ("--set", each)),
        "--set", f"search.proposer={proposer}", "--set", f"search.seed={seed}",
        *(["--set", f"budget.runs={runs}"] if runs else [])])
    search, _ = explorer.open_search(arguments, explorer.checked_study(arguments), engine, write=True)
    search.run()
    search.close()
    return search


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study")
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--store", default="out/explore/store")
    parser.add_argument("--proposers", default="nsga2,random")
    parser.add_argument("--set", action="append", default=[], dest="overrides", metavar="KEY=VALUE")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--best", type=Path)
    options = parser.parse_args()
    known = json.loads(options.best.read_text())["losses"] if options.best and options.best.exists() else []
    results = {}
    with Engine(options.jobs) as engine:
        if options.random:
            search = search_of(options, engine, "random", 1000, options.random)
            known += [point.losses for point in search.front]
        for proposer in options.proposers.split(","):
            for seed in range(1, options.seeds + 1):
                search = search_of(options, engine, proposer, seed)
                results[proposer, seed] = [point.losses for point in search.front]
    reference = answers.reference_of(search)
    everything = known + [losses for each in results.values() for losses in each]
    best = [everything[i] for i in front.front(everything)]
    volume = front.hypervolume(best, reference)
    print(f"best known front: {len(best)} points, hypervolume {volume:.6g} up to {reference}")
    for (proposer, seed), losses in results.items():
        print(f"{proposer:8} seed {seed:3}: {100 * front.hypervolume(losses, reference) / volume:5.1f} %")
    if options.best:
        options.best.write_text(json.dumps({"study": Path(options.study).name, "reference": reference, "losses": best},
                                           indent=1) + "\n")


if __name__ == "__main__":
    main()
