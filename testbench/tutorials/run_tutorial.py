#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a tutorial and compares what they print with what the page shows.

    run_tutorial.py PAGE --source DIR --build DIR

What a page may contain is said in docs/tutorials/README.md. The commands run in a copy of the sources, in
which build/release/bin holds the executables of --build. Exit code 77: packages that only tests need are
not installed.
"""
import argparse
import filecmp
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

SKIPPED = 77
COPIED = ["CMakeLists.txt", "CMakePresets.json", "cmake", "docs", "fw", "hw", "platform", "scripts",
          "testbench", "traces"]


class Mistake(Exception):
    """The page does not do what it says."""


class Unit(NamedTuple):
    """What one command compiles: a source, or several as a unity."""
    command: str
    output: str
    sources: list

    @property
    def is_test(self):
        return self.sources[0].name.endswith("_test.cpp")


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
    """The first line in which `printed` is not what is `shown`, or None; `...` alone skips lines."""
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
    """A copy of the sources that looks like a clone in which the release build has been made."""

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

    def changed(self, pattern):
        """Files of the copy that the page has changed or added."""
        for folder in ("fw", "hw", "platform", "testbench"):
            for path in sorted((self.root / folder).rglob(pattern)):
                original = self.source / path.relative_to(self.root)
                if not original.exists() or not filecmp.cmp(path, original, shallow=False):
                    yield path

    def make(self, commands):
        """What `cmake --build build/release --target ...` would do, for as little as can be.

        Only the changed .cpp files are compiled, each with the sources that its unity has, and linked in
        front of the libraries that are there. So a page may add declarations and enumerators to headers, but
        not change what others have compiled of them.
        """
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
        objects = dict(self.compile(path) for path in self.changed("*.cpp"))
        for target in targets:
            (self.bin / target).unlink()
            if objects:
                self.link(target, objects)
            else:
                (self.bin / target).symlink_to(self.build / "bin" / target)

    def compile(self, path):
        """Compiles `path`, or the unity it is part of, in the copy; returns the object and whose it is."""
        unit = next((unit for unit in self.units() if path in unit.sources), None)
        output = Path(str(path) + ".o")
        if unit is None:
            lists = [(folder, folder / "CMakeLists.txt") for folder in path.parents
                     if folder.is_relative_to(self.root)]
            if not any(name.exists() and str(path.relative_to(folder)) in name.read_text()
                       for folder, name in lists):
                raise Mistake(f"{path.relative_to(self.root)} is in no CMakeLists.txt")
            # A new file is compiled like the nearest of its kind.
            test = path.name.endswith("_test.cpp")
            unit = max((unit for unit in self.units() if unit.is_test == test), key=lambda unit: max(
                len(os.path.commonpath([source, path])) for source in unit.sources))
        elif len(unit.sources) > 1:
            output = self.root / unit.output
            path = output.with_suffix("")
            output.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f'#include "{source}"\n' for source in unit.sources))
        words = shlex.split(unit.command)
        words[words.index("-c") + 1] = str(path)
        words[words.index("-o") + 1] = str(output)
        words.append("-O1")  # half the time to compile, and nobody measures what runs
        launcher = [shutil.which("ccache")] if shutil.which("ccache") else []
        self.execute(launcher + words, self.root / "build/release", {"CCACHE_BASEDIR": str(self.root)})
        return output, re.search(r"CMakeFiles/([^/]+)\.dir/", unit.output)[1]

    def units(self):
        if not hasattr(self, "_units"):
            ours = re.compile(re.escape(str(self.source)) + r"(?!/build/)(?=/|\s|$)")
            self._units = []
            for entry in json.loads((self.build / "compile_commands.json").read_text()):
                command = ours.sub(str(self.root), entry["command"])
                words = shlex.split(command)
                sources = [entry["file"]]
                if "/Unity/unity_" in entry["file"]:
                    sources = re.findall(r'#include "(.*)"', Path(entry["file"]).read_text())
                self._units.append(Unit(command, words[words.index("-o") + 1],
                                        [Path(ours.sub(str(self.root), source)) for source in sources]))
        return self._units

    def link(self, target, objects):
        listed = subprocess.run(["ninja", "-t", "commands", target], cwd=self.build, check=True, text=True,
                                stdout=subprocess.PIPE).stdout.splitlines()
        output = f"bin/{target}"
        link = next(part for line in reversed(listed) for part in line.split(" && ")
                    if f"-o {output} " in part)
        words = shlex.split(link)
        own = {self.root / re.sub(r"CMakeFiles/[^/]+\.dir/(?!Unity/)", "", word): word for word in words}
        # What the target has of its own is replaced; what its libraries have is found in front of them.
        linked, found = [], []
        for object, owner in objects.items():
            if object in own:
                words.remove(own[object])
            if owner == target:
                linked.append(str(object))
            elif any(word.endswith(f"lib{owner}.a") for word in words):
                found.append(str(object))
        library = self.root / f"{target}.a"
        library.unlink(missing_ok=True)
        self.execute(["ar", "qcs", str(library), *found], self.build, {})
        at = words.index("-o")
        words[at:at + 2] = [*linked, "-o", str(self.bin / target), str(library)]
        self.execute(words, self.build, {})

    def execute(self, words, folder, extra):
        done = subprocess.run(words, cwd=folder, text=True, env={**os.environ, **extra},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise Mistake(f"{shlex.join(words)}\n{done.stdout}")


def follow(page, workspace):
    """Does what the page says, block by block. Raises Mistake with the line."""
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
    if ".venv/" in page and not (arguments.source / ".venv/bin/python3").exists():
        print("skipped: the Python packages of scripts/setup are not installed")
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
