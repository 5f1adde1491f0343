# SPDX-License-Identifier: Apache-2.0
"""A simulated NVMe drive of tb_nvme, with an admin queue and a pair of I/O queues: one command at a time."""
import dataclasses

from conformance.oracle import nvme
from conformance.oracle.language import Number
from conformance.oracle.nvme import commands, controllers, registers
from conformance.oracle.qtest import QtestError

LONGEST_NS = 60_000_000_000
IO_QUEUE = 1


@dataclasses.dataclass(frozen=True)
class Command:
    """A submission queue entry without its identifier and addresses. Its data: `data` to the device, or `expected`
    bytes from it."""
    admin: bool
    opcode: int
    flags: int = 0
    nsid: int = 0
    dwords: tuple = (0,) * 6  # 10 to 15
    data: bytes = b""
    expected: int = 0


@dataclasses.dataclass(frozen=True)
class Answer:
    """`status` without the phase: code, type, and DNR in bit 14."""
    status: int
    result: int
    data: bytes


class NvmeDrive:
    def __init__(self, program, options):
        self.controller = controllers.Ours(0, program, options)

    def start(self):
        self.reset()
        page = self.execute(Command(True, commands.ADMIN["identify"], dwords=(1, 0, 0, 0, 0, 0), expected=registers.PAGE))
        self.most_bytes = registers.PAGE << page.data[77]  # MDTS

    def reset(self):
        """Resets the controller, and enables it again."""
        self.runner = nvme.INTERFACE.run(self.controller)
        for seen in self.runner.run_all(nvme.LANGUAGE.parse("call io", "io")):
            if seen.violated:
                raise QtestError(f"the controller does not start: {seen.text}")

    def execute(self, command):
        queue = 0 if command.admin else IO_QUEUE
        length = len(command.data) or command.expected
        if length:
            self.controller.write(registers.DATA, command.data or bytes(length))
        entry = commands.Command(
            "command", command.opcode, command.admin, {f"dw{10 + at}": value for at, value in enumerate(command.dwords)},
            {"nsid": command.nsid, "flags": command.flags},
            pages=commands.consecutive(registers.DATA, length) if length else (0,))
        self.runner.do_command(queue, Number(0), entry)
        self.runner.do_ring(queue)
        answer = self.runner.take(queue, LONGEST_NS)
        if answer is None:
            raise QtestError(f"opcode {command.opcode:02X}h does not end")
        data = self.controller.read(registers.DATA, length) if command.expected else b""
        return Answer(answer.status, answer.result, data)

    def advance(self, ns):
        self.controller.advance(ns)

    def close(self):
        self.controller.close()
