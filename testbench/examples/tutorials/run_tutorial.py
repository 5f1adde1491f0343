#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a tutorial and compares their output with the page.

    run_tutorial.py PAGE --source DIR --build DIR

docs/tutorials/README.md describes what a page may contain. The commands run in a copy of the sources, whose
build/release/bin holds the executables of --build. Exit code 77: the Python of .venv is not there, or lacks
what the page's Python programs import.
"""
import argparse
import ast
import filecmp
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
COPIED = ["CMakeLists.txt", "CMakePresets.json", "LICENSE", "cmake", "docs", "fw", "hw", "platform",
          "scripts", "testbench", "traces"]


class Mistake(Exception):
    """The page does not work as it says."""


def blocks_of(text):
    """The fenced blocks of a page: (line number, words after the fence, content)."""
    blocks, opened = [], None
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r"^\s*```(.*)$", line)
        if fence and opened is None:
            opened = (number, fence.group(1).split(), [])
        elif fence:
            blocks.append((opened[0], opened[1], "\n".join(opened[2])))
            opened = None
        elif opened is not None:
            opened[2].append(line)
    if opened is not None:
        raise Mistake(f"line {opened[0]}: the block is not closed")
    return blocks


def line_pattern(shown):
    return re.compile(".*".join(re.escape(part) for part in shown.rstrip().split("...")) + r"\s*")


def difference(shown, printed):
    """The first line in which `printed` differs from `shown`, or None; `...` alone skips lines."""
    lines, at, skip = printed.splitlines(), 0, False
    for row in shown.splitlines():
        if row.strip() == "...":
            skip = True
            continue
        pattern = line_pattern(row)
        while skip and at < len(lines) and not pattern.fullmatch(lines[at]):
            at += 1
        if at == len(lines) or not pattern.fullmatch(lines[at]):
            found = lines[at] if at < len(lines) else "the end"
            return f"shown:   {row}\nprinted: {found}"
        at, skip = at + 1, False
    if at < len(lines) and not skip:
        return f"printed and not shown: {lines[at]}"
    return None


class Workspace:
    """A copy of the sources that looks like a clone with a finished release build."""

    def __init__(self, source, build, root):
        self.source, self.build, self.root = source, build, root
        for name in COPIED:
            copy = shutil.copytree if (source / name).is_dir() else shutil.copy
            copy(source / name, root / name)
        if (source / ".venv").is_dir():
            (root / ".venv").symlink_to(source / ".venv")
        self.bin = root / "build/release/bin"
        self.bin.mkdir(parents=True)
        for executable in (build / "bin").iterdir():
            (self.bin / executable.name).symlink_to(executable)

    def run(self, commands):
        shell = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=self.root,
                               stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if shell.returncode != 0:
            raise Mistake(f"exit code {shell.returncode}\n{shell.stdout}{shell.stderr}")
        return shell.stdout

    def changed(self):
        """Whether the page has changed or added a file of the copy."""
        return any(not (original := self.source / path.relative_to(self.root)).exists()
                   or not filecmp.cmp(path, original, shallow=False)
                   for folder in ("fw", "hw", "platform", "testbench")
                   for path in (self.root / folder).rglob("*") if path.is_file())

    def warnings(self):
        """The build's setting for warnings: with another one, ccache would compile everything again."""
        cache = (self.build / "CMakeCache.txt").read_text()
        return [f"-D{line}" for line in cache.splitlines() if line.startswith("SOLIDTLM_WERROR:")]

    def make(self, commands):
        """Builds what has changed; ccache, which the preset uses if it is installed, has the rest."""
        targets = []
        for line in commands.splitlines():
            words = shlex.split(line)
            if words[:3] == ["cmake", "--build", "build/release"] and "--target" in words:
                targets += words[words.index("--target") + 1:]
            elif words != ["scripts/run"]:
                raise Mistake(f"not known how to build with: {line}")
        missing = [target for target in targets if not (self.build / "bin" / target).exists()]
        if missing:
            raise Mistake(f"not built: {', '.join(missing)}")
        changed = self.changed()
        for target in targets:
            (self.bin / target).unlink()
            if not changed:
                (self.bin / target).symlink_to(self.build / "bin" / target)
        if changed:
            self.run(f"cmake --preset release {shlex.join(self.warnings())} && "
                     f"cmake --build build/release --target {shlex.join(targets)}")


def imports_of(program):
    """The modules that a Python program imports, without their submodules."""
    names = set()
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Import):
            names |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(node.module.partition(".")[0])
    return names


def missing(page, source):
    """Parts missing from .venv that the page needs for its Python programs; empty if nothing is missing."""
    programs = re.findall(r"\.venv/bin/python3 (\S+\.py)", page)
    python = source / ".venv/bin/python3"
    if (programs or "scripts/explore " in page) and not python.exists():
        return [".venv/bin/python3"]
    modules = sorted(set().union(*(imports_of((source / each).read_text()) for each in programs)))
    absent = [each for each in modules
              if subprocess.run([python, "-c", f"import {each}"], capture_output=True, check=False).returncode != 0]
    explorer = source / "testbench/solidtlm/explore/packages.py"
    if "scripts/explore " in page and subprocess.run([python, explorer], check=False).returncode != 0:
        absent.append("what scripts/explore needs")
    return absent


def follow(page, workspace):
    """Follows the page block by block. Raises Mistake with the line."""
    printed = None
    commands = 0
    for number, words, content in blocks_of(page):
        try:
            if words == ["sh", "build"]:
                workspace.make(content)
                printed = None
            elif words == ["sh"]:
                printed = workspace.run(content)
                commands += 1
            elif words == ["text"]:
                if printed is None:
                    raise Mistake("output without commands before it")
                wrong = difference(content, printed)
                if wrong:
                    raise Mistake(f"{wrong}\nall that was printed:\n{printed}")
                printed = None
            elif words not in (["toml"], ["cpp"], ["diff"]):
                raise Mistake(f"block '{' '.join(words)}'; known: sh, sh build, text, toml, cpp, diff")
        except Mistake as mistake:
            raise Mistake(f"line {number}: {mistake}") from None
    if commands == 0:
        raise Mistake("the page has no commands")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=Path)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--build", type=Path, required=True)
    arguments = parser.parse_args()
    page = arguments.page.read_text()
    if absent := missing(page, arguments.source):
        print(f"skipped: {', '.join(absent)} missing: scripts/setup python")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        try:
            root = Path(folder).resolve()
            follow(page, Workspace(arguments.source.resolve(), arguments.build.resolve(), root))
        except Mistake as mistake:
            print(f"{arguments.page}: {mistake}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
