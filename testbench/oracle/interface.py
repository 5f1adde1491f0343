# SPDX-License-Identifier: Apache-2.0
"""What an oracle needs of an interface: its language, its controllers, its scripts and what was decided."""
import dataclasses
import pathlib
import typing

from . import decisions, drawing, language
from .qtest import QtestError


@dataclasses.dataclass(frozen=True)
class Interface:
    name: str
    what: str              # ours, and theirs, in words
    folder: pathlib.Path   # with scripts/ and decided.toml
    language: language.Language
    run: type              # a runner.Run
    drawer: drawing.Drawer
    qemu: typing.Callable  # of the drive's sectors
    ours: typing.Callable  # of the sectors, the program, and its options
    program: str
    options: tuple         # of the program, if none is given: a small drive
    identify: str          # a script that puts the capacity into memory, 8 bytes
    capacity_at: int       # their address
    drawn: int             # scripts, if the command line does not say

    def scripts(self):
        return [self.language.load(path) for path in sorted((self.folder / "scripts").glob("*.txt"))]

    def decisions(self):
        return decisions.load(self.folder / "decided.toml")

    def seen_by(self, make, script):
        """The Observations of a script on the controller that `make` gives."""
        controller = make()
        try:
            return self.run(controller).run_all(script)
        finally:
            controller.close()

    def capacity(self, controller):
        """Sectors of the drive, as it says itself."""
        for seen in self.run(controller).run_all(self.language.parse(self.identify, "capacity")):
            if seen.violated:
                raise QtestError(f"{controller.name} does not identify its drive: {seen.label} is {seen.shown}")
        return int.from_bytes(controller.read(self.capacity_at, 8), "little")
