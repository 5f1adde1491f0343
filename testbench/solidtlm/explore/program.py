# SPDX-License-Identifier: Apache-2.0
"""Information from the executable itself: its keys, complete configurations, mistakes in options."""
import re
import shlex
import subprocess
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import job
from .store import digest

_KEY = re.compile(r"^([a-z][A-Za-z0-9_.]*) = (.*)$")


def setting(name, value):
    """KEY=VALUE in the form that --set takes."""
    if isinstance(value, bool):
        return f"{name}={'true' if value else 'false'}"
    if isinstance(value, list):
        return f"{name}={','.join(map(str, value))}"
    return f"{name}={value}"


def flat(table, prefix=""):
    """Nested tables as one table with dotted names."""
    result = {}
    for name, value in table.items():
        if isinstance(value, dict):
            result.update(flat(value, f"{prefix}{name}."))
        else:
            result[prefix + name] = value
    return result


def contents(argument):
    """The part of an argument that a result depends on: for a file, its contents; for tb_gallery's folder of a
    drive, the contents of its files, except fit.toml, which no run reads."""
    place = Path(argument)
    if argument.startswith("/") and place.is_file():
        return job.file_hash(argument)
    if argument.startswith("/") and (place / "drive.toml").is_file():
        return [place.name, *([each.name, job.file_hash(each)] for each in sorted(place.glob("*.toml"))
                              if each.name != "fit.toml")]
    return argument


class Program:
    """An executable of the project, asked without simulating anything."""

    def __init__(self, path):
        self.path = Path(path).resolve()
        self.hash = job.file_hash(self.path)
        self._keys = None

    def _run(self, *arguments, cwd=None):
        return subprocess.run([str(self.path), *arguments], capture_output=True, text=True, check=False, cwd=cwd,
                              stdin=subprocess.DEVNULL, timeout=120)

    def keys(self):
        """{key: allowed values}."""
        if self._keys is None:
            lines = self._run("--list-keys").stdout.splitlines()
            self._keys = {match[1]: lines[i + 2].strip() if i + 2 < len(lines) else ""
                          for i, line in enumerate(lines) if (match := _KEY.match(line))}
        return self._keys

    def help(self):
        return self._run("--help-all").stdout

    def presets(self):
        return [line.split()[0] for line in self._run("--list-presets").stdout.splitlines() if line.strip()]

    def configuration(self, arguments):
        """(complete configuration by dotted names, or None; the mistakes)."""
        run = self._run("--show-config", *arguments)
        if run.returncode != 0:
            return None, errors_of(run.stderr)
        return flat(tomllib.loads(run.stdout)), []

    def configurations(self, argument_lists):
        """configuration() for many argument lists, two at a time."""
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(self.configuration, argument_lists))

    def errors(self, arguments):
        """The mistakes in these arguments; nothing is simulated."""
        run = self._run("--dry-run", *arguments)
        return [] if run.returncode == 0 else errors_of(run.stderr)

    def job(self, store, argv, inputs, command, timeout, files=None, kept=False):
        """A run of the executable (job.py). `inputs`: everything that the result depends on besides the
        executable; `command`: arguments that give the same result."""
        inputs = {"program": self.hash, **inputs}
        return {"key": digest(inputs), "program": str(self.path), "program_hash": self.hash, "argv": argv,
                "kept": kept, "files": files or {}, "command": shlex.join([self.path.name, *command]),
                "inputs": inputs, "timeout": timeout, "store": str(store.folder), "store_id": store.identity}

    def sample(self, arguments):
        """The result of a run with a few requests. None if the run fails."""
        import json
        with tempfile.TemporaryDirectory(prefix="explore.") as folder:
            self._run(*arguments, "--quiet", "--no-report", "--out", "out", cwd=folder)
            try:
                return json.loads((Path(folder) / "out" / "result.json").read_text())
            except (OSError, ValueError):
                return None


def errors_of(text):
    """The executable's messages without `error:`."""
    return [line.removeprefix("error: ").strip() for line in text.splitlines() if line.strip()]


def toml_of(configuration):
    """A configuration file with every key, as --show-config prints it."""
    import json

    def written(value):
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, list):
            return "[" + ", ".join(map(written, value)) + "]"
        return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)

    lines, table = [], ""
    for name in sorted(configuration, key=lambda each: (each.rpartition(".")[0], each)):
        head, _, last = name.rpartition(".")
        if head != table:
            lines += ["", f"[{head}]"]
            table = head
        lines.append(f"{last} = {written(configuration[name])}")
    return "\n".join(lines) + "\n"


class Drives:
    """Complete configurations of points, as --show-config prints them. The executable is asked once per value of
    each key instead of once per point. Most values change only their own key. If a value changes more (the
    capacity and the over-provisioning exclude each other), or is illegal with the base alone, the whole point
    is asked."""

    def __init__(self, program, base_arguments, base):
        self._program, self._arguments, self._base = program, base_arguments, base
        self._known = {}

    def learn(self, name, value):
        """Finds the form of the value in a complete configuration; None if it is not that simple. Returns the
        mistakes."""
        mark = (name, repr(value))
        if mark not in self._known:
            found, errors = self._program.configuration([*self._arguments, "--set", setting(name, value)])
            self._known[mark] = self._change(name, found), errors
        return self._known[mark][1]

    def learn_all(self, pairs):
        """learn() for many values, two at a time, because each question takes some milliseconds."""
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(lambda pair: self.learn(*pair), pairs))

    def infer(self, name, values, learned):
        """learn() for all values without asking, if those that were learned appear unchanged."""
        if all(self._known[name, repr(each)][0] == (each,) for each in learned):
            for each in values:
                self._known.setdefault((name, repr(each)), ((each,), []))

    def _change(self, name, found):
        if found is None or set(found) != set(self._base):
            return None
        changed = [key for key in found if found[key] != self._base[key]]
        return (found[name],) if set(changed) <= {name} else None

    def alone(self, name, value):
        """(the form of the value in a complete configuration,), or None if the value changes other keys."""
        self.learn(name, value)
        return self._known[(name, repr(value))][0]

    def effective(self, settings):
        """(configuration, None), or (None, the reason why the drive is impossible)."""
        result = dict(self._base)
        for name, value in settings.items():
            change = self.alone(name, value)
            if change is None:
                return self._whole(settings)
            result[name] = change[0]
        return result, None

    def _whole(self, settings):
        options = [part for pair in settings.items() for part in ("--set", setting(*pair))]
        found, errors = self._program.configuration([*self._arguments, *options])
        return found, "; ".join(errors) or None
