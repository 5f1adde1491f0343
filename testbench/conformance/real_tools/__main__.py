# SPDX-License-Identifier: Apache-2.0
"""Runs a program that sends commands to device nodes on simulated drives: PROGRAMS [OPTION... --] COMMAND...; with
--page, writes the tables of docs/real-tools.md."""
import pathlib
import subprocess
import sys

from . import page
from .server import KINDS, Nodes

PAGE = pathlib.Path(__file__).parents[3] / "docs/real-tools.md"


def main(programs, *words):
    if words == ("--page",):
        PAGE.write_text(page.updated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
        return 0
    at = words.index("--") if "--" in words else -1
    options, command = (words[:at], words[at + 1:]) if at >= 0 else ((), words)
    if not command:
        sys.exit("found no command; allowed: scripts/on-device-node [OPTION... --] COMMAND...")
    with Nodes(programs, dict.fromkeys(KINDS, options)) as nodes:
        try:
            return subprocess.run(command, env=nodes.environment, check=False).returncode
        except OSError as error:
            sys.exit(f"{command[0]}: {error.strerror}")


sys.exit(main(*sys.argv[1:]))
