# SPDX-License-Identifier: Apache-2.0
"""Command line of the explorer; scripts/explore starts it."""
import argparse
import json
import math
import os
import signal
import sys

from .errors import kFailure, kUserError
from .explore import job, units
from .explore.checks import checked_study
from .explore.folders import kStore, out_folder
from .explore.mistakes import StudyError, did_you_mean
from .explore.progress import duration
from .explore.search import open_search
from .table import Table

kProgram, kFolder = "scripts/explore", "build/release/bin"
kSignalled = 128  # plus the number of the signal
kCommands = {
    "plan": "check the study and say what it takes; start nothing",
    "run": "search until the budget is used up; what has been computed is not computed again",
    "resume": "the same, for a search that was interrupted: says where it goes on",
    "status": "how far the search is; start nothing",
    "report": "write the page and the tables from what has been computed; start nothing",
    "show": "the command line and the configuration file of one point",
    "fit": "which parameters are consistent with what was measured (docs/fit.md)",
}


class Interrupted(KeyboardInterrupt):
    def __init__(self, number):
        super().__init__()
        self.code = kSignalled + number


class Arguments(argparse.ArgumentParser):
    def error(self, message):
        wrong = [word for word in sys.argv[1:2] if not word.startswith("-") and word not in kCommands]
        hint = did_you_mean(wrong[0], kCommands) if wrong else ""
        print(f"error: {message}{hint}; see {self.prog} --help", file=sys.stderr)
        sys.exit(kUserError)


def arguments_of(argv, prog=kProgram, folder=kFolder):
    parser = Arguments(prog=prog, description="Searches for the best drive (docs/explorer.md).")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, about in kCommands.items():
        command = commands.add_parser(name, help=about, description=about)
        command.add_argument("study", metavar="STUDY.toml")
        if name == "show":
            command.add_argument("point", type=int, metavar="POINT")
        command.add_argument("--store", default=kStore, metavar="DIR",
                             help="where results are kept [%(default)s]")
        command.add_argument("--bin", default=folder, metavar="DIR", help="executables [%(default)s]")
        command.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="overrides",
                             help="a value of the study, such as budget.runs=100; repeatable")
        if name in ("run", "resume", "report", "fit"):
            command.add_argument("--out", metavar="DIR",
                                 help=f"page and tables [out/{'fit' if name == 'fit' else 'explore'}/NAME of the file]")
        if name in ("run", "resume", "report"):
            command.add_argument("--json", action="store_true", help="print the answer as one JSON document, no text")
        if name == "fit":
            command.add_argument("--write", action="store_true",
                                 help="also write the best values into the files of the drive's folder")
        if name in ("run", "resume", "fit"):
            command.add_argument("--jobs", type=positive, default=os.cpu_count(), metavar="N",
                                 help="runs at a time, without --scheduler [%(default)s]")
            command.add_argument("--scheduler", metavar="ADDRESS",
                                 help="a Dask scheduler that runs already, such as tcp://host:8786")
    return parser.parse_args(argv)


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"found {text}; allowed: 1 or more")
    return value


# Commands.

def plan(arguments):
    checked = checked_study(arguments)
    study = checked.study
    print(f"{study.title or study.path.name}: no mistake found")
    size = study.space.size()
    print(f"  space      {len(study.space.keys)} keys, {size:,} combinations")
    each = len(study.workloads) * len(study.seeds)
    print(f"  a point    {len(study.workloads)} workload{'s' * (len(study.workloads) > 1)} x {len(study.seeds)} "
          f"seed{'s' * (len(study.seeds) > 1)} x {len(study.rungs)} rung{'s' * (len(study.rungs) > 1)} of "
          f"{', '.join(units.shown(rung) for rung in study.rungs)} requests")
    runs = min(study.runs or 10**18, math.ceil(size * each * sum(study.shares())))
    limits = [f"{units.shown(runs)} runs"] if runs < 10**18 else []
    limits += [f"{study.hours:g} hours"] if study.hours else []
    limits += [f"the front has not moved for {study.unmoved} runs"] if study.unmoved else []
    from .explore.forecast import load_lines
    for line in load_lines(checked):
        print(f"  load       {line}")
    print(f"  proposer   {study.proposer}, batches of {study.batch}, seed {study.seed}")
    print(f"  ends with  {', or '.join(limits)}")
    search, _ = open_search(arguments, checked)
    search.run()
    known = len([key for key in search.keys if key in search.store])
    if known:
        print(f"  known      {known} runs are in the store")
    from .explore.estimate import seconds_a_run
    seconds, source = seconds_a_run(checked, search)
    if runs < 10**18:
        cores = os.cpu_count()
        rest = max(0, runs - known)
        print(f"  takes      about {duration(rest * seconds / cores)} on {cores} cores "
              f"({seconds:.2g} s per run, {source})")
    return 0


def run(arguments):
    from .explore.engine import open_engine
    from .explore.progress import Progress
    checked = checked_study(arguments)
    out = out_folder(arguments, checked.study, "explore")
    with open_engine(arguments.jobs, arguments.scheduler) as engine:
        search, folder = open_search(arguments, checked, engine, write=True)
        search.store.remove_leftovers()
        place = f"{engine.workers} workers" + (f" at {engine.dashboard}" if engine.dashboard else "")
        if arguments.command == "resume":
            before, _ = open_search(arguments, checked)
            before.run()
            begin = f"goes on after {len(before.keys & present(before))} runs; {place}"
        else:
            begin = f"{checked.study.title or checked.study.path.name}: {place}"
        tell(arguments, begin)
        watch = Progress(engine.dashboard)
        search._watch = watch
        code = 0
        try:
            search.run()
        except Interrupted as end:
            job.end_runs()  # runs that began meanwhile
            code = end.code
            search.ended = "interrupted; `resume` goes on here"
        watch.end()
    tell(arguments, f"{search.ended}; {search.started} runs were started")
    search.close()
    if search.points:
        write_answers(search, out, folder)
    if search.points or arguments.json:
        tell_answer(arguments, search, out)
    return code


def tell(arguments, text):
    if not arguments.json:
        print(text)


def tell_answer(arguments, search, out):
    from .explore import answers, page
    if arguments.json:
        print(json.dumps(answers.document(search), indent=1, allow_nan=False))
        return
    page.print_answer(search)
    print(f"\npage:   {out / 'explore.html'}\ntable:  {out / 'points.csv'}\ndrives: {out / 'drives'}/")


def present(search):
    return {key for key in search.keys if key in search.store}


def status(arguments):
    checked = checked_study(arguments)
    search, _ = open_search(arguments, checked)
    search.run()
    print_status(search)
    return 0


def print_status(search):
    from .explore import judge
    from .explore.progress import best_of
    failed = [point for point in search.points if point.failure]
    print(f"{search.study.title or search.study.path.name}: {search.ended}")
    print(f"  runs       {len(present(search))}")
    told = [point.verdict for point in search.points if not point.failure]
    print(f"  points     {len(search.points)}; " + ", ".join(f"{told.count(each)} {each}" for each in judge.kAll)
          + f"; on the front {len(search.front)}, failed {len(failed)}")
    for kind in sorted({point.failure[0] for point in failed}):
        some = [point for point in failed if point.failure[0] == kind]
        print(f"    {kind}: {len(some)}, such as: {some[0].failure[1]}")
    print(f"  best       {best_of(search)}")


def report(arguments):
    checked = checked_study(arguments)
    search, folder = open_search(arguments, checked)
    search.run()
    if not search.history:
        print("error: nothing has been computed yet; `run` does it", file=sys.stderr)
        return kFailure
    out = out_folder(arguments, checked.study, "explore")
    write_answers(search, out, folder)
    tell_answer(arguments, search, out)
    return 0


def write_answers(search, out, folder):
    from .explore import answers, page
    from .explore.store import write_whole
    table = Table(answers.rows(search))
    write_whole(out / "points.csv", table.to_csv().encode())
    write_parquet(table, out / "points.parquet")
    for point in search.points:
        text = answers.drive_file(search, point)
        if text:
            write_whole(out / "drives" / f"{point.number:05}.toml", text.encode())
    folder.mkdir(parents=True, exist_ok=True)
    answers.export_optuna(search, folder / "optuna.journal")
    write_whole(out / "explore.html", page.render(search).encode())


def write_parquet(table, path):
    """Writes columns of numbers, truth values or texts, if there is the package for it."""
    try:
        from arro3.io import write_parquet as write
    except ImportError:
        return
    if table.rows:
        write(table.to_arrow(), str(path))


def show(arguments):
    from .explore import answers
    checked = checked_study(arguments)
    search, _ = open_search(arguments, checked)
    search.run()
    if not 0 <= arguments.point < len(search.points):
        print(f"error: no point {arguments.point}; there are {len(search.points)}", file=sys.stderr)
        return kUserError
    point = search.points[arguments.point]
    text = answers.drive_file(search, point)
    print(text if text else f"# {answers.commands_of(search, point)[0]}\n# {point.failure[0]}: {point.failure[1]}")
    return 0


def fit(arguments):
    from .explore.fit.command import fit as fit_file
    return fit_file(arguments)


def interrupt(number, _frame):
    """On SIGINT and SIGTERM, no further run starts, and those under way are ended; a second signal ends
    everything at once."""
    signal.signal(number, signal.SIG_DFL)
    job.end_runs()
    raise Interrupted(number)


def end_in_order():
    """From now on, SIGINT and SIGTERM end the runs and raise Interrupted."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)


def main(argv=None, prog=kProgram, folder=kFolder):
    """`folder`: the folder with the executables, unless --bin says otherwise."""
    arguments = arguments_of(argv, prog, folder)
    end_in_order()
    from .explore.journal import StudyBusy
    from .explore.store import reason_of
    from .explore.thread_engine import EngineError
    commands = {"plan": plan, "run": run, "resume": run, "status": status, "report": report, "show": show,
                "fit": fit}
    try:
        return commands[arguments.command](arguments)
    except StudyError as error:
        for each in error.mistakes:
            print(f"error: {each}", file=sys.stderr)
        return kUserError
    except (EngineError, StudyBusy, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return kFailure
    except OSError as error:
        print(f"error: {reason_of(error)}", file=sys.stderr)
        return kFailure
    except Interrupted as end:
        print("error: interrupted; what has been computed is kept", file=sys.stderr)
        return end.code


if __name__ == "__main__":
    sys.exit(main())
