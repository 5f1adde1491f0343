# SPDX-License-Identifier: Apache-2.0
"""The command `solidtlm`: one word for every executable, and for the explorer."""
import os
import re
import signal
import subprocess
import sys

from . import explorer, fio, places, programs, recorded, runs, searches, studies
from .errors import SolidtlmError, UserError, kFailure, kUserError
from .explore.mistakes import did_you_mean
from .explore.progress import Runs
from .explore.store import reason_of
from .reasons import why
from .results import load
from .sweeps import sweep

_OF_THIS = ("compare", "fio", "formats", "keys", "presets", "rerun", "sweep", "version", "why")  # whose help is here
_PROGRAMS = {"run": ["tb_replay"], "disk": ["tb_disk"], "gallery": ["tb_gallery"],
             "torture": ["tb_torture"], "describe": ["describe_load"],
             "presets": ["tb_replay", "--list-presets"], "version": ["tb_replay", "--version"],
             "--version": ["tb_replay", "--version"]}
_NUMBERS = {"jobs": (int, "1 or more"), "timeout": (float, "seconds, more than 0")}  # options with a number
_HELP = """\
SolidTLM: a simulated SATA or NVMe SSD that shows where the time of every command went.
Usage: solidtlm COMMAND [ARGUMENTS]; solidtlm COMMAND --help says more

    run         replay a trace, or a generated workload (tb_replay)
    disk        the drive as a block device for other programs (tb_disk)
    sweep       every combination of values: KEY=V,V... [KEY=V,V...] [options of run]
                [--csv] [--jobs N] [--store DIR] [--scheduler ADDRESS]
    search      search for the best drive: STUDY.toml, or plan|resume|status|report|show STUDY.toml
    fit         which parameters are consistent with measurements: FIT.toml, or the folder of a
                drive [--write]
    study       a study of the project: NAME [options]; without NAME which there are; its points on
                every machine of a Dask scheduler, and none twice: [--scheduler ADDRESS]
                [--store DIR] [--timeout SECONDS]; what OUT shows: pts OUT [--beside FILE]
    gallery     real drives beside the model: [DRIVE...] (tb_gallery)
    fio         what fio measured as a file of a drive's folder, for gallery: RESULT.json
                [--host NAME] [--precondition STATE]
    rerun       a run again, of its result: RESULT.json [options]; says whether the result is the
                same, or what differs
    compare     the same requests on several drives: DRIVE.toml... [options of run]
                a run beside a saved one: OLD.json [NEW.json] [options that change it]
    why         why the latency of two results differs, by stage of the ledger: A.json B.json
                or, with intervals, of several seeds: A.json... -- B.json...
                [--kind read|write|trim|flush] [--csv]
    torture     try to break the drive (tb_torture)
    describe    properties of traces and workloads (describe_load)
    presets     the presets
    keys        every configuration key: [WORD...], those that contain each word
    formats     the formats of traces
    version     the version

`import solidtlm` does the same in Python: docs/python.md.
"""

_MORE = {
    "sweep": "A name is a configuration key, or an option of run with _ for -. Nothing is computed twice:\n"
             "results are kept in DIR [out/explore/store].\n\n"
             "  solidtlm sweep nand.geometry.channels=1,2,4,8 queue_depth=1,32 --workload random,read=0.7\n"
             "  solidtlm sweep ssd.over_provisioning=0.07,0.28 --preset tiny --trace my.csv --csv --jobs 2\n",
    "compare": "  solidtlm compare small.toml large.toml --workload random,read=0.7\n"
               "  solidtlm compare old/result.json --set nand.geometry.channels=4\n",
    "rerun": "  solidtlm rerun out/result.json\n  solidtlm rerun out/result.json --seed 7 --out again\n",
    "study": "  solidtlm study striping --channels 1,2,4 --out out\n"
             "  solidtlm study striping --help\n"
             "  solidtlm study pts out --beside intel-s3700.csv\n"
             "  solidtlm study striping --scheduler tcp://host:8786\n",
    "fio": "  solidtlm fio randread.json --host mine >my-drive/mine.toml\n",
    "keys": "  solidtlm keys nand timing\n",
    "why": "A folder stands for the result in it, or for those in its folders.\n\n"
           "  solidtlm why before/result.json after/result.json\n"
           "  solidtlm why before-seed1 before-seed2 before-seed3 -- after-seed1 after-seed2 after-seed3 --kind read\n",
}


def main() -> int:
    command, *arguments = sys.argv[1:] or ["--help"]
    try:
        if command in ("-h", "--help", "help"):
            print(_HELP, end="")
            return 0
        if command in _OF_THIS and {"-h", "--help"} & set(arguments):
            print(_help_of(command), end="")
            return 0
        commands = {**{name: _hand_over for name in _PROGRAMS}, "sweep": _sweep, "search": _search, "fit": _fit, "fio": _fio,
                    "study": _study, "rerun": _rerun, "compare": _compare, "keys": _keys, "formats": _formats,
                    "why": _why}
        if command.startswith("-") and command not in commands:
            raise UserError(f"found {command}; allowed: a command before options, such as solidtlm run {command} ...; "
                            "see solidtlm --help")
        if command not in commands:
            raise UserError(f"found the command {command}{did_you_mean(command, commands)}; see solidtlm --help")
        code = commands[command](command, arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _drop_output()
        return kFailure
    except OSError as error:
        _drop_output()
        print(f"error: {reason_of(error)}", file=sys.stderr)
        return kFailure
    except explorer.Interrupted as end:
        print("error: interrupted; what has been computed is kept", file=sys.stderr)
        return end.code
    except SolidtlmError as error:
        for message in error.messages:
            print(f"error: {message}", file=sys.stderr)
        return kUserError if isinstance(error, UserError) else kFailure


def _drop_output() -> None:
    """What could not be written must not be written at the end either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _help_of(command: str) -> str:
    """Its lines of the help, and examples."""
    lines = re.search(rf"^    {command} .*\n(?:     +.*\n)*", _HELP, re.MULTILINE)[0]
    return f"Usage: solidtlm {command} ...\n\n{lines}" + (f"\n{_MORE[command]}" if command in _MORE else "")


def _execute(name: str, arguments: list[str]) -> int:
    """The executable takes this process's place."""
    path = places.program(name)
    sys.stdout.flush()
    os.execv(path, [str(path), *arguments])


def _hand_over(command: str, arguments: list[str]) -> int:
    name, *first = _PROGRAMS[command]
    if not any(each.endswith(".parquet") for each in arguments):
        return _execute(name, [*first, *arguments])
    with recorded.as_parquet([*first, *arguments]) as (passed, keep_tables), \
            subprocess.Popen([places.program(name), *passed]) as process:
        signal.signal(signal.SIGINT, lambda *_: None)  # the executable receives it too, and ends in order
        signal.signal(signal.SIGTERM, lambda *_: process.terminate())
        code = process.wait()
        keep_tables(code)
        return code if code >= 0 else kFailure


def _study(_: str, arguments: list[str]) -> int:
    names = places.studies()
    if arguments[:1] in (["-h"], ["--help"]):
        print(_help_of("study"), end="")
        return 0
    if not arguments:
        print("\n".join(names))
        return 0
    name, *options = arguments
    if name not in names:
        raise UserError(f"found the study {name}{did_you_mean(name, names)}; allowed: one of {', '.join(names)}")
    judge = studies.judge_of(name)
    if judge is not None and options and os.path.isdir(options[0]):
        return judge.main(options)
    elsewhere, options = _taken(options, "--scheduler", "--store", "--timeout")
    if not elsewhere:
        return _execute(f"tb_{name}", options)
    named, _ = _taken(options, "--jobs")
    explorer.end_in_order()
    numbers = {**named, **elsewhere}
    for each in _NUMBERS.keys() & numbers.keys():
        numbers[each] = _checked(each, numbers[each])
    with studies.points(name, options, progress=Runs(), **numbers) as folder:
        return subprocess.run([places.program(f"tb_{name}"), *options, "--collect", folder], check=False).returncode


def _taken(arguments: list[str], *names: str) -> tuple[dict[str, str], list[str]]:
    """Returns the values of these options, and the other arguments."""
    found, others, rest = {}, [], iter(arguments)
    for each in rest:
        option, equals, value = each.partition("=")
        if option in names:
            found[option.removeprefix("--")] = value if equals else next(rest, "")
        else:
            others.append(each)
    return found, others


def _files_first(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Splits arguments into files and the options after them. A folder stands for the result in it."""
    count = next((at for at, each in enumerate(arguments) if each.startswith("-")), len(arguments))
    files = [os.path.join(each, "result.json") if os.path.isdir(each) else each for each in arguments[:count]]
    return files, arguments[count:]


def _rerun(_: str, arguments: list[str]) -> int:
    """Runs a result again with the program that wrote it."""
    files, options = _files_first(arguments)
    if len(files) != 1:
        raise UserError(f"found {len(files)} results; allowed: RESULT.json [options]")
    program = str(load(files[0])["scenario"])
    if not re.fullmatch("tb_[a-z_]+", program):
        raise UserError(f"{files[0]}: found a result of {program}; allowed: of an executable of the project")
    return _execute(program, ["--rerun", files[0], *options])


def _compare(_: str, arguments: list[str]) -> int:
    files, options = _files_first(arguments)
    results = [each for each in files if each.endswith(".json")]
    if results and (results != files or len(files) > 2):
        raise UserError(f"found {' '.join(files)}; allowed: DRIVE.toml..., or OLD.json [NEW.json]")
    if not files and not any(each.startswith(("--compare", "--help")) for each in options):
        raise UserError("found nothing to compare; allowed: DRIVE.toml... [options of run], or OLD.json [NEW.json]")
    if results:
        return _execute("tb_replay", [files[-1], "--compare-result", files[0], *options])
    return _execute("tb_replay", [*(["--compare", *files] if files else []), *options])


def _keys(_: str, words: list[str]) -> int:
    found = {name: allowed for name, allowed in runs.keys().items() if all(word in name for word in words)}
    if not found:
        raise UserError(f"no key contains {' and '.join(words)}{did_you_mean(words[0], runs.keys())}")
    width = max(map(len, found))
    for name, allowed in found.items():
        print(f"{name:{width}}  {allowed}")
    return 0


def _formats(*_: object) -> int:
    """Lists the formats: tb_replay does so when it is asked for an unknown format."""
    errors = programs.replay().errors(["--workload", "random", "--format", "?"])
    listed = next((found[1] for each in errors if (found := re.search(r"--format: .*(?:one of|allowed:) (.*)", each))),
                  None)
    if listed is None:
        raise SolidtlmError(errors)
    for each in listed.split(", "):
        print(each.removeprefix("or ").split()[0].rstrip(";"))
    return 0


def _fio(_: str, arguments: list[str]) -> int:
    named, files = _taken(arguments, "--host", "--precondition")
    if len(files) != 1:
        raise UserError(f"found {' '.join(files) or 'nothing'}; allowed: RESULT.json [--host NAME] [--precondition STATE]")
    print(fio.campaign(files[0], **named), end="")
    return 0


def _why(_: str, arguments: list[str]) -> int:
    named, rest = _taken(arguments, "--kind")
    as_csv = "--csv" in rest
    rest = [each for each in rest if each != "--csv"]
    at = rest.index("--") if "--" in rest else 1
    a, b = rest[:at], rest[at + ("--" in rest):]
    if not a or not b or "--" not in rest and len(b) > 1 or any(each.startswith("-") for each in a + b):
        raise UserError(f"found {' '.join(rest) or 'nothing'}; allowed: A.json B.json or A.json... -- B.json..., "
                        "[--kind KIND] [--csv]")
    found = why(a, b, **named)
    print(found.to_csv() if as_csv else found, end="" if as_csv else "\n")
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
    explorer.end_in_order()
    found = sweep(space, progress=Runs(), **named)
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
        elif name in _NUMBERS:
            named[name] = _checked(name, str(value))
        else:
            named[name] = [*named[name], value] if isinstance(named.get(name), list) else \
                [named[name], value] if name in named else value
    return named


def _checked(name: str, text: str) -> int | float:
    kind, allowed = _NUMBERS[name]
    try:
        if (value := kind(text)) > 0:
            return value
    except ValueError:
        pass
    raise UserError(f"--{name}: found {text}; allowed: {allowed}")


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


if __name__ == "__main__":
    sys.exit(main())
