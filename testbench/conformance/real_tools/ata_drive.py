# SPDX-License-Identifier: Apache-2.0
"""A simulated SATA drive behind the adapter of tb_ahci: one command at a time, in slot 0, as a small driver."""
import dataclasses
import struct

from conformance.oracle import ahci
from conformance.oracle.ahci import commands, controllers, registers
from conformance.oracle.qtest import QtestError

LONGEST_NS = 60_000_000_000  # in simulated time; of any command
ERROR, DEVICE_FAULT = 0x01, 0x20  # of the status


@dataclasses.dataclass(frozen=True)
class Task:
    """Registers of a command as ACS-3 names them, 48 bits of LBA. Its data: `data` to the device, or `expected`
    bytes from it."""
    command: int
    feature: int = 0
    count: int = 0
    lba: int = 0
    device: int = commands.DEVICE_LBA
    data: bytes = b""
    expected: int = 0


@dataclasses.dataclass(frozen=True)
class Answer:
    """Registers at its end, and the data that came."""
    status: int
    error: int
    count: int
    lba: int
    device: int
    data: bytes

    @property
    def failed(self):
        return bool(self.status & (ERROR | DEVICE_FAULT))


class AtaDrive:
    def __init__(self, program, options):
        self.controller = controllers.Ours(0, program, options)
        self.runner = ahci.INTERFACE.run(self.controller)

    def start(self):
        self._call("start")

    def _call(self, procedure):
        for statement in ahci.LANGUAGE.parse(f"call {procedure}", procedure).statements:
            self.runner.run(statement)
        wrong = [seen.text for seen in self.runner.seen if seen.violated]
        if wrong:
            raise QtestError(f"the adapter does not {procedure}: {wrong[0]}")
        self.runner.seen.clear()

    def _port(self, register):
        return self.controller.read_register(registers.register_offset(f"Px{register}"))

    def execute(self, task):
        to_device, length = bool(task.data), len(task.data) or task.expected
        command = commands.Command(
            0, task.command, lba=task.lba, count=task.count, features=task.feature, device=task.device,
            tag=0, write=to_device, prds=(commands.Prd(registers.DATA, length),) if length else ())
        memory = self.controller
        memory.write(registers.RECEIVED_FIS, bytes(registers.RECEIVED_FIS_BYTES))
        memory.write(registers.DATA, task.data or bytes(length)) if length else None
        memory.write(command.table_address, command.table())
        memory.write(registers.COMMAND_LIST, command.header())
        self.runner.do_issue(1, command.kind.queued)
        fatal = registers.BITS["PxIS.TFES"] | registers.BITS["PxIS.IFS"]

        def ended():
            return not (self._port("CI") | self._port("SACT")) & 1 or self._port("IS") & fatal
        if not memory.wait_until(ended, LONGEST_NS):
            raise QtestError(f"command {task.command:02X}h does not end")
        answer = self._answer(0 if to_device else length)
        if answer.failed:
            self._call("recover")
        return answer

    def _answer(self, length):
        """The registers of the FIS that came last: a D2H FIS ends what fails and all but PIO data-in."""
        task_file = self._port("TFD")
        offset, size = registers.FISES["d2h"]
        fis = self.controller.read(registers.RECEIVED_FIS + offset, size)
        if not fis[0]:
            offset, size = registers.FISES["pio-setup"]
            fis = self.controller.read(registers.RECEIVED_FIS + offset, size)
        lba = int.from_bytes(fis[4:7] + fis[8:11], "little")
        (count,) = struct.unpack_from("<H", fis, 12)
        return Answer(task_file & 0xFF, task_file >> 8 & 0xFF, count, lba, fis[7],
                      self.controller.read(registers.DATA, length) if length else b"")

    def advance(self, ns):
        self.controller.advance(ns)

    def close(self):
        self.controller.close()
