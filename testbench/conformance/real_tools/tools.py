# SPDX-License-Identifier: Apache-2.0
"""Tools with the commands that they must carry out on a simulated drive, and the tables of docs/real-tools.md."""
import dataclasses
import pathlib
import re
import shutil
import subprocess
import tempfile
import typing

from .server import Nodes

LIMIT_S = 60  # of wall time, for a command


class Case(typing.NamedTuple):
    """A command line for a shell, its exit code, what the page says of it, and regular expressions that its output
    (standard output and error) must have, in any order."""
    command: str
    code: int
    meaning: str
    facts: tuple = ()


class Pass(typing.NamedTuple):
    """Simulated time during which the SATA drive gets no command."""
    seconds: float


@dataclasses.dataclass(frozen=True)
class Tool:
    name: str       # as in the test's name
    package: str    # of Debian
    programs: tuple  # that must be installed
    drives: dict    # kind of server.KINDS, and options
    steps: tuple    # Cases and Passes, in order, on the same drives
    files: dict = dataclasses.field(default_factory=dict)  # in the folder where commands run: name and contents

    @property
    def cases(self):
        return [step for step in self.steps if isinstance(step, Case)]

    @property
    def missing(self):
        return next((program for program in self.programs if shutil.which(program) is None), None)


def run(tool, programs):
    """[(Case, what is wrong with it)] on new drives; nothing wrong, nothing listed."""
    found = []
    with Nodes(programs, tool.drives) as nodes, tempfile.TemporaryDirectory() as folder:
        for name, contents in tool.files.items():
            (pathlib.Path(folder) / name).write_bytes(contents)
        for step in tool.steps:
            if isinstance(step, Pass):
                nodes.devices["ata"].advance(step.seconds)
                continue
            ended = subprocess.run(step.command, shell=True, cwd=folder, env=nodes.environment, timeout=LIMIT_S, check=False,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            output = ended.stdout.decode("utf-8", "replace")
            wrong = [] if ended.returncode == step.code else [f"exit code {ended.returncode}, expected {step.code}"]
            wrong += [f"no line matches {fact!r}" for fact in step.facts if not re.search(fact, output, re.MULTILINE)]
            wrong += [f"the drive: {device.fault}" for device in nodes.devices.values() if device.fault]
            if wrong:
                found.append((step, "\n".join([*wrong, output])))
    return found


def table(tool):
    """The lines of the tool's table on the page."""
    rows = []
    for case in tool.cases:
        command = case.command.replace("|", "\\|")  # also within code
        rows.append(f"| `{command}` | {case.code} | {case.meaning} |")
    return ["| command | exit code | what is checked |", "|---|---|---|", *rows]
