# SPDX-License-Identifier: Apache-2.0
"""`scripts/explore fit`."""
from .. import engine as engines
from ..folders import open_store, out_folder
from ..progress import Line
from ..store import write_whole
from . import folder, report
from .check import check_arguments, check_values, programs_of
from .measure import Measurer
from .search import FitSearch
from .study import read_fit


def searched(study, mistakes, programs, store, engine, watch=lambda search: None):
    """(search, measurer) of a fit without mistakes, after the search has ended. Raises StudyError."""
    measurer = Measurer(study, programs, store, engine)
    check_arguments(study, mistakes, measurer, programs)
    check_values(study, mistakes, measurer)
    search = FitSearch(study, measurer, watch)
    search.run()
    return search, measurer


def fit(arguments):
    study, mistakes = read_fit(arguments.study, arguments.overrides)
    if arguments.write and not study.curves:
        mistakes.add((), "--write: found no [[curve]], which a drive's folder gives; allowed: with one")
    programs = programs_of(study, mistakes, arguments.bin)
    store = open_store(arguments)
    arguments.out = arguments.out or f"out/fit/{study.name}"
    out = out_folder(arguments, study, "fit")
    with engines.open_engine(arguments.jobs, arguments.scheduler) as engine:
        line = Line()

        def watch(search):
            if line.live or line.due():
                best = search.best()
                line.show(f"{len(search.outcomes)} sets | "
                          f"{f'best: {best[0].worst:.2f} tolerances off' if best else 'none has a result'}")

        search, measurer = searched(study, mistakes, programs, store, engine, watch)
        line.end()
        text = report.text_of(search, measurer)
    write_whole(out / "sets.csv", report.csv_of(search, measurer).encode())
    write_whole(out / "fit.json", report.json_of(search, measurer).encode())
    print(f"{text}\n\nsets:   {out / 'sets.csv'}\nresult: {out / 'fit.json'}")
    for name, drive in report.drives_of(search, measurer).items():
        write_whole(out / f"{name}.toml", drive.encode())
        print(f"drive:  {out / name}.toml")
    if arguments.write:
        _write_back(study, search)
    return 0


def _write_back(study, search):
    """The best set into the files of the drive's folder, if it is consistent."""
    best = search.best()
    if not best or not best[0].consistent:
        print("written back: nothing, for no set is consistent")
        return
    written = folder.write_back(study.path.parent, best[0].settings, study.figures())
    for name in best[0].settings:
        print(f"written back: {name} into {written[name]}" if name in written else
              f"written back: {name} not, for no file of the folder has it")
