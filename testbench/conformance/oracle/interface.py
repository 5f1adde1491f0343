# SPDX-License-Identifier: Apache-2.0
"""The parts of an interface that an oracle needs: its language, controllers, scripts and decisions."""
import dataclasses
import pathlib
import typing

from . import decisions, drawing, language
from .qtest import QtestError


@dataclasses.dataclass(frozen=True)
class Interface:
    name: str
    what: str              # ours and theirs, in words
    folder: pathlib.Path   # with scripts/ and decided.toml
    language: language.Language
    run: type              # class, a runner.Run
    drawer: drawing.Drawer
    qemu: typing.Callable  # called with the drive's sectors
    ours: typing.Callable  # called with the sectors, the program, and its options
    program: str
    options: tuple         # for the program if none are given: a small drive
    identify: str          # a script that puts the capacity into memory, 8 bytes
    capacity_at: int       # the address of these bytes
    drawn: int             # number of scripts, unless the command line says otherwise

    def scripts(self):
        return [self.language.load(path) for path in sorted((self.folder / "scripts").glob("*.txt"))]

    def decisions(self):
        return decisions.load(self.folder / "decided.toml")

    def seen_by(self, make, script):
        """The Observations of a script on a controller that `make` returns."""
        controller = make()
        try:
            return self.run(controller).run_all(script)
        finally:
            controller.close()

    def capacity(self, controller):
        """Number of sectors that the drive reports."""
        for seen in self.run(controller).run_all(self.language.parse(self.identify, "capacity")):
            if seen.violated:
                raise QtestError(f"{controller.name} does not identify its drive: {seen.label} is {seen.shown}")
        return int.from_bytes(controller.read(self.capacity_at, 8), "little")
