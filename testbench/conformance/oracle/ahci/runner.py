# SPDX-License-Identifier: Apache-2.0
"""Runs the statements of AHCI scripts."""
import dataclasses
import struct

from .. import runner
from . import registers
from .commands import Command


class AhciRun(runner.Run):
    def _port(self, name):
        return registers.register_offset("Px" + name)

    do_fis = runner.Run.do_bytes

    def do_command(self, command: Command, lba):
        command = dataclasses.replace(command, lba=lba.value(self.controller.sectors))
        self.controller.write(command.table_address, command.table())
        self.controller.write(registers.COMMAND_LIST + 32 * command.slot, command.header())

    def do_issue(self, mask, queued):
        if queued:
            self.controller.write_register(self._port("SACT"), mask)
        self.controller.write_register(self._port("CI"), mask)

    def do_finish(self, mask, limit_ns):
        def finished():
            return not mask & (self.controller.read_register(self._port("CI")) |
                               self.controller.read_register(self._port("SACT")))
        self.see("finish", self.controller.wait_until(finished, limit_ns), True)

    def do_prdbc(self, slot, value):
        (seen,) = struct.unpack("<I", self.controller.read(registers.COMMAND_LIST + 32 * slot + 4, 4))
        self.see("PRDBC", seen, value)
