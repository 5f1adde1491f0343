# SPDX-License-Identifier: Apache-2.0
"""For tests: memory, and registers that store what is written."""
from conformance.oracle import compare


class Memory:
    name = "memory"
    sectors = 1000

    def __init__(self, length):
        self.registers = {}
        self.bytes = bytearray(length)
        self.passed_ns = 0

    def read_register(self, offset):
        return self.registers.get(offset, 0)

    def write_register(self, offset, value):
        self.registers[offset] = value

    def read(self, address, length):
        return bytes(self.bytes[address:address + length])

    def write(self, address, data):
        self.bytes[address:address + len(data)] = data

    def line(self):
        return False

    def advance(self, ns):
        self.passed_ns += ns

    def wait_until(self, condition, limit_ns):
        self.passed_ns += 0 if condition() else limit_ns
        return condition()


def difference(**changes):
    values = {"script": "s", "place": "s:1", "statement": "read PxIS", "label": "PxIS", "theirs": 3, "ours": 1}
    return compare.Difference(**{**values, **changes})
