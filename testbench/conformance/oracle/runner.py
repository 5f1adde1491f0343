# SPDX-License-Identifier: Apache-2.0
"""Runs a script on a controller. The result is a list of Observations of the same length for every controller,
so that two lists can be compared. A derived Run has a method do_VERB(**operands) for each statement of its
interface."""
import dataclasses
import functools
import random
import struct

from .qtest import QtestError

ENDED = "end of the program"
RUNS_ON = "runs on"


@dataclasses.dataclass(frozen=True)
class Observation:
    """An observed number, truth value or bytes. `expected`: the value that the standard demands, if the script
    gives it."""
    place: str
    text: str   # the statement
    label: str  # register, `word 75 of identify`, `memory` ...
    seen: object
    expected: object = None

    @property
    def violated(self):
        return self.expected is not None and self.seen != self.expected

    @property
    def shown(self):
        return show(self.seen)


def show(value):
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "-"}[value]
    if isinstance(value, bytes):
        return f"{len(value)} bytes {value[:8].hex()}..."
    if isinstance(value, str):
        return value
    return f"{value:#x}"


@functools.lru_cache(maxsize=64)
def pattern(seed, length):
    return random.Random(seed).randbytes(length)


def contents(kind, value, length):
    return pattern(value, length) if kind == "pattern" else bytes([value & 0xFF]) * length


class Run:
    def __init__(self, controller):
        self.controller = controller
        self.seen = []
        self.statement = None

    def see(self, label, value, expected=None):
        self.seen.append(Observation(self.statement.place, self.statement.text, label, value, expected))

    def run(self, statement):
        self.statement = statement
        getattr(self, "do_" + statement.verb)(**statement.operands)

    def do_read(self, register, offset, mask, value):
        self.see(register, self.controller.read_register(offset) & mask, value)

    def do_write(self, register, offset, value):
        self.controller.write_register(offset, value)

    def do_set(self, register, offset, value):
        self.controller.write_register(offset, self.controller.read_register(offset) | value)

    def do_clear(self, register, offset, value):
        self.controller.write_register(offset, self.controller.read_register(offset) & ~value)

    def do_wait(self, register, offset, mask, value, limit_ns):
        reached = self.controller.wait_until(lambda: self.controller.read_register(offset) & mask == value, limit_ns)
        self.see(f"wait for {register}", reached, True)

    def do_interrupt(self, limit_ns):
        self.see("interrupt", self.controller.wait_until(self.controller.line, limit_ns), True)

    def do_line(self, level):
        self.see("interrupt line", self.controller.line(), level)

    def do_fill(self, address, length, contents):
        self.controller.write(address, globals()["contents"](*contents, length))

    def do_put(self, address, dwords):
        self.controller.write(address, struct.pack(f"<{len(dwords)}I", *dwords))

    def do_memory(self, address, length):
        self.see("memory", self.controller.read(address, length))

    def do_check(self, address, length, contents):
        self.see("memory", self.controller.read(address, length), globals()["contents"](*contents, length))

    def do_words(self, address, name, ranges):
        data = self.controller.read(address, 2 * (max(last for _, last in ranges) + 1))
        for first, last in ranges:
            for at in range(first, last + 1):
                self.see(f"{name} word {at}", struct.unpack_from("<H", data, 2 * at)[0])

    def do_bytes(self, address, name, ranges):
        data = self.controller.read(address, max(last for _, last in ranges) + 1)
        for first, last in ranges:
            for at in range(first, last + 1):
                self.see(f"{name} byte {at}", data[at])

    def do_run(self, ns):
        self.controller.advance(ns)

    def run_all(self, script):
        """The Observations; the last one is an ENDED if the controller's program has ended."""
        try:
            for statement in script.statements:
                self.run(statement)
        except QtestError as error:
            self.see(ENDED, str(error), RUNS_ON)
        return self.seen
