# SPDX-License-Identifier: Apache-2.0
"""Command line of the oracles: INTERFACE ACTION ... (docs/ahci-oracle.md, docs/nvme-oracle.md)."""
import argparse
import collections
import concurrent.futures
import dataclasses
import functools
import pathlib
import sys

from . import ahci, compare, controllers, decisions, language, nvme
from .interface import Interface
from .qtest import QtestError

INTERFACES = {one.name: one for one in (ahci.INTERFACE, nvme.INTERFACE)}
MOST_SHOWN = 20
SECTORS_WITHOUT_OURS = 131072
SKIPPED = 77


@dataclasses.dataclass(frozen=True)
class Setup:
    """The controllers to compare: this project's program, or None for QEMU against QEMU."""
    interface: Interface
    ours: str | None
    options: tuple
    sectors: int

    def controllers(self):
        theirs = functools.partial(self.interface.qemu, self.sectors)
        if self.ours is None:
            return theirs, theirs
        return theirs, functools.partial(self.interface.ours, self.sectors, self.ours, self.options)


def difference_list(setup, script):
    theirs, ours = (setup.interface.seen_by(make, script) for make in setup.controllers())
    if setup.ours is None:
        ours = [compare.as_demanded(seen) for seen in ours]
    return compare.differences(script, theirs, ours)


def setup_of(arguments):
    interface = arguments.interface
    if not controllers.qemu_is_there():
        print(f"skipped: {controllers.QEMU} is not installed (scripts/setup clients)")
        sys.exit(SKIPPED)
    options = tuple(arguments.option) or interface.options
    if arguments.against_itself:
        return Setup(interface, None, (), SECTORS_WITHOUT_OURS)
    if not pathlib.Path(arguments.ours).exists():
        print(f"skipped: no {arguments.ours} (scripts/run builds it)")
        sys.exit(SKIPPED)
    probe = interface.ours(0, arguments.ours, options)
    try:
        return Setup(interface, arguments.ours, options, interface.capacity(probe))
    finally:
        probe.close()


def scripts_of(arguments):
    interface = arguments.interface
    if arguments.scripts:
        return [interface.language.load(path) for path in arguments.scripts]
    return interface.scripts() + interface.drawer.scripts(arguments.seed, arguments.drawn)


def report(script, decided, arguments, used):
    """Prints undecided differences, with --all every difference; returns the number of undecided ones."""
    open_ones = [difference for difference, decision in decided if decision is None]
    for _, decision in decided:
        used[decision] += decision is not None
    shown = decided if arguments.all else [(difference, None) for difference in open_ones]
    if shown:
        print(f"{script.name}: {script.title}")
    for difference, decision in shown[:None if arguments.all else MOST_SHOWN]:
        print(f"  {decision.verdict if decision else 'UNDECIDED'} {difference.text()}")
    return len(open_ones)


def run(arguments):
    setup = setup_of(arguments)
    chosen = scripts_of(arguments)
    known = arguments.interface.decisions()
    used = collections.Counter()
    undecided, different, equal = 0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for script, found in zip(chosen, pool.map(functools.partial(difference_list, setup), chosen)):
            decided = decisions.decide(found, known)
            undecided += report(script, decided, arguments, used)
            different += len(decided)
            equal += not decided
    print(f"{len(chosen)} scripts, {equal} without any difference; {different} differences, "
          f"{undecided} of them undecided")
    if arguments.all or not arguments.scripts:
        for decision in known:
            print(f"  {used[decision]:6} {decision.verdict:6} {decision.clause}: {', '.join(decision.label)}")
    return 1 if undecided else 0


def draw_scripts(arguments):
    folder = pathlib.Path(arguments.into)
    folder.mkdir(parents=True, exist_ok=True)
    for script in arguments.interface.drawer.scripts(arguments.seed, arguments.drawn):
        (folder / f"{script.name}.txt").write_text(script.text, encoding="utf-8")
    return 0


def check(arguments):
    count = sum(len(arguments.interface.language.load(path).statements) for path in arguments.scripts)
    print(f"{len(arguments.scripts)} scripts, {count} statements")
    return 0


def table(arguments):
    print(decisions.table(arguments.interface.decisions()))
    return 0


def parser(interface):
    top = argparse.ArgumentParser(prog=f"scripts/{interface.name}-oracle", description=f"The same register scripts on "
                                  f"{interface.what}; differences are listed (docs/{interface.name}-oracle.md).")
    top.set_defaults(interface=interface)
    actions = top.add_subparsers(required=True, metavar="ACTION")

    drawing = argparse.ArgumentParser(add_help=False)
    drawing.add_argument("--seed", type=int, default=1, help="of the drawn scripts")
    drawing.add_argument("--drawn", type=int, default=interface.drawn, help=f"how many are drawn ({interface.drawn})")

    running = actions.add_parser("run", parents=[drawing], help="run scripts, and decide the differences")
    running.add_argument("scripts", nargs="*", help="script files; all and the drawn ones, if none is named")
    running.add_argument("--ours", default=f"build/release/bin/{interface.program}", help="program of our controller")
    running.add_argument("--option", action="append", default=[], help="handed on to it, such as --option=--preset "
                         f"--option=enterprise; {' '.join(interface.options)} if there is none")
    running.add_argument("--against-itself", action="store_true", help="QEMU against QEMU, and against what the "
                         "scripts demand")
    running.add_argument("--all", action="store_true", help="list the decided differences too")
    running.add_argument("--jobs", type=int, default=1, help="scripts at a time")
    running.set_defaults(action=run)

    saving = actions.add_parser("draw", parents=[drawing], help="write the drawn scripts to files")
    saving.add_argument("into", help="a folder")
    saving.set_defaults(action=draw_scripts)

    checking = actions.add_parser("check", help="read scripts, run nothing")
    checking.add_argument("scripts", nargs="+")
    checking.set_defaults(action=check)

    actions.add_parser("table", help="print the decisions as a table").set_defaults(action=table)
    return top


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in INTERFACES:
        print(f"error: found no interface; allowed: {', '.join(INTERFACES)}", file=sys.stderr)
        return 2
    arguments = parser(INTERFACES[sys.argv[1]]).parse_args(sys.argv[2:])
    try:
        return arguments.action(arguments)
    except (language.ScriptError, decisions.DecisionError, QtestError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
