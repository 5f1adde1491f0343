# SPDX-License-Identifier: Apache-2.0
"""The command `solidtlm`: one word for every executable, and for the explorer."""
import os
import re
import sys

from . import places, runs, searches
from .errors import SolidtlmError, UserError
from .explore import commands as explorer
from .explore.mistakes import did_you_mean
from .sweeps import sweep

kFailure, kUserError = 1, 2
_OF_THIS = ("formats", "keys", "presets", "sweep", "version")  # which have no help of their own
_PROGRAMS = {"run": ["tb_replay"], "disk": ["tb_disk"], "torture": ["tb_torture"], "describe": ["describe_load"],
             "presets": ["tb_replay", "--list-presets"], "version": ["tb_replay", "--version"],
             "--version": ["tb_replay", "--version"]}
_HELP = """\
SolidTLM: a simulated SATA SSD that shows where the time of every command went.
Usage: solidtlm COMMAND [ARGUMENTS]; solidtlm COMMAND --help says more

    run         replay a trace, or a generated workload (tb_replay)
    disk        the drive as a block device for other programs (tb_disk)
    sweep       every combination of values: KEY=V,V... [KEY=V,V...] [options of run]
                [--csv] [--jobs N] [--store DIR] [--scheduler ADDRESS]
    search      search for the best drive: STUDY.toml, or plan|resume|status|report|show STUDY.toml
    fit         which parameters are consistent with measurements: FIT.toml
    study       a study of the project: NAME [options]; without NAME which there are
    compare     the same requests on several drives: DRIVE.toml... [options of run]
    torture     try to break the drive (tb_torture)
    describe    properties of traces and workloads (describe_load)
    presets     the presets
    keys        every configuration key: [WORD...], those that contain each word
    formats     the formats of traces
    version     the version

`import solidtlm` does the same in Python: docs/python.md.
"""


def main() -> int:
    command, *arguments = sys.argv[1:] or ["--help"]
    try:
        if command in ("-h", "--help", "help") or command in _OF_THIS and {"-h", "--help"} & set(arguments):
            print(_HELP, end="")
            return 0
        commands = {**{name: _hand_over for name in _PROGRAMS}, "sweep": _sweep, "search": _search, "fit": _fit,
                    "study": _study, "compare": _compare, "keys": _keys, "formats": _formats}
        if command not in commands:
            raise UserError(f"found the command {command}{did_you_mean(command, commands)}; see solidtlm --help")
        return commands[command](command, arguments)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return kFailure
    except SolidtlmError as error:
        for message in error.messages:
            print(f"error: {message}", file=sys.stderr)
        return kUserError if isinstance(error, UserError) else kFailure


def _execute(name: str, arguments: list[str]) -> int:
    """The executable takes this process's place."""
    path = places.program(name)
    sys.stdout.flush()
    os.execv(path, [str(path), *arguments])


def _hand_over(command: str, arguments: list[str]) -> int:
    name, *first = _PROGRAMS[command]
    return _execute(name, [*first, *arguments])


def _study(_: str, arguments: list[str]) -> int:
    names = places.studies()
    if not arguments or arguments[0] in ("-h", "--help"):
        print("\n".join(names))
        return 0
    if arguments[0] not in names:
        raise UserError(f"found the study {arguments[0]}{did_you_mean(arguments[0], names)}; allowed: one of "
                        f"{', '.join(names)}")
    return _execute(f"tb_{arguments[0]}", arguments[1:])


def _compare(_: str, arguments: list[str]) -> int:
    """Files come first, so that what follows are options."""
    files = next((at for at, each in enumerate(arguments) if each.startswith("-")), len(arguments))
    return _execute("tb_replay", [*(["--compare", *arguments[:files]] if files else []), *arguments[files:]])


def _keys(_: str, words: list[str]) -> int:
    found = {name: allowed for name, allowed in runs.keys().items() if all(word in name for word in words)}
    if not found:
        raise UserError(f"no key contains {' and '.join(words)}{did_you_mean(words[0], runs.keys())}")
    width = max(map(len, found))
    for name, allowed in found.items():
        print(f"{name:{width}}  {allowed}")
    return 0


def _formats(*_: object) -> int:
    """Asked for a format that there is not, tb_replay lists those that there are."""
    errors = runs.replay().errors(["--workload", "random", "--format", "?"])
    listed = next((found[1] for each in errors if (found := re.search(r"--format: .*(?:one of|allowed:) (.*)", each))),
                  None)
    if listed is None:
        raise SolidtlmError(errors)
    for each in listed.split(", "):
        print(each.removeprefix("or ").split()[0].rstrip(";"))
    return 0


def _search(_: str, arguments: list[str]) -> int:
    if arguments and arguments[0] not in explorer.kCommands and not arguments[0].startswith("-"):
        arguments = ["run", *arguments]
    return _explore(arguments, "solidtlm search")


def _fit(_: str, arguments: list[str]) -> int:
    return _explore(["fit", *arguments], "solidtlm")


def _explore(arguments: list[str], program: str) -> int:
    if not {"-h", "--help"} & set(arguments):
        searches.check_packages(program, "--scheduler" in " ".join(arguments))
    return explorer.main(arguments, program, str(places.program("tb_replay").parent))


def _sweep(_: str, arguments: list[str]) -> int:
    space: dict[str, list] = {}
    while arguments and not arguments[0].startswith("-"):
        name, equals, values = arguments.pop(0).partition("=")
        if not equals or name in space:
            raise UserError(f"found {name}; allowed: KEY=V,V... or OPTION=V,V..., each once, before the options of run")
        space[name] = [_number(each) for each in values.split(",")]
    if not space:
        raise UserError("found nothing to vary; allowed: KEY=V,V... or OPTION=V,V..., before the options of run")
    named = _named(arguments)
    as_csv = named.pop("csv", False)
    live = sys.stderr.isatty()

    def progress(ended: int, count: int) -> None:
        if live:
            print(f"\x1b[K{ended} of {count} runs", end="\r" if ended < count else "\n", file=sys.stderr, flush=True)

    found = sweep(space, progress=progress, **named)
    print(found.to_csv() if as_csv else found, end="" if as_csv else "\n")
    return 0


def _named(arguments: list[str]) -> dict:
    """Options as arguments of sweep()."""
    named: dict = {}
    while arguments:
        option, equals, value = arguments.pop(0).partition("=")
        if not option.startswith("--"):
            raise UserError(f"found {option}; allowed: options of run, see solidtlm run --help")
        name = option[2:].replace("-", "_")
        if not equals:
            value = arguments.pop(0) if arguments and not arguments[0].startswith("--") else True
        if name == "set":
            key, _, text = str(value).partition("=")
            named.setdefault("set", {})[key] = text
        elif name == "jobs":
            named[name] = explorer.positive(str(value))
        else:
            named[name] = [*named[name], value] if isinstance(named.get(name), list) else \
                [named[name], value] if name in named else value
    return named


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


if __name__ == "__main__":
    sys.exit(main())
