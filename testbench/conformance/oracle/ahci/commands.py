# SPDX-License-Identifier: Apache-2.0
"""Commands in memory: command header, command table and Register FIS (AHCI 1.3.1 clauses 4.2.2 and 4.2.3).

What a script does not say is filled in as a careful driver would: direction, sector count for the field where the
command has it, the slot as tag of queued commands, a PRD table of the given entries.
"""
import dataclasses
import struct

from . import registers

FIS_REGISTER_H2D = 0x27
DEVICE_LBA = 0x40


@dataclasses.dataclass(frozen=True)
class Opcode:
    """A command of ACS-3 clause 7. `to_device`: direction of its data; `queued`: the count is in Features, the
    tag in Count."""
    code: int
    to_device: bool = False
    queued: bool = False


OPCODES = {
    "nop": Opcode(0x00),
    "data-set-management": Opcode(0x06, to_device=True),
    "read-sectors": Opcode(0x20),
    "read-sectors-ext": Opcode(0x24),
    "read-dma-ext": Opcode(0x25),
    "read-native-max-address-ext": Opcode(0x27),
    "read-multiple-ext": Opcode(0x29),
    "read-log-ext": Opcode(0x2F),
    "write-sectors": Opcode(0x30, to_device=True),
    "write-sectors-ext": Opcode(0x34, to_device=True),
    "write-dma-ext": Opcode(0x35, to_device=True),
    "write-multiple-ext": Opcode(0x39, to_device=True),
    "write-dma-fua-ext": Opcode(0x3D, to_device=True),
    "read-verify-ext": Opcode(0x42),
    "read-log-dma-ext": Opcode(0x47),
    "read-fpdma-queued": Opcode(0x60, queued=True),
    "write-fpdma-queued": Opcode(0x61, to_device=True, queued=True),
    "execute-device-diagnostic": Opcode(0x90),
    "identify-packet-device": Opcode(0xA1),
    "smart": Opcode(0xB0),
    "read-multiple": Opcode(0xC4),
    "write-multiple": Opcode(0xC5, to_device=True),
    "set-multiple-mode": Opcode(0xC6),
    "read-dma": Opcode(0xC8),
    "write-dma": Opcode(0xCA, to_device=True),
    "standby-immediate": Opcode(0xE0),
    "idle-immediate": Opcode(0xE1),
    "standby": Opcode(0xE2),
    "idle": Opcode(0xE3),
    "check-power-mode": Opcode(0xE5),
    "flush-cache": Opcode(0xE7),
    "flush-cache-ext": Opcode(0xEA),
    "identify-device": Opcode(0xEC),
    "set-features": Opcode(0xEF),
}


@dataclasses.dataclass(frozen=True)
class Prd:
    """A memory region of `length` bytes at `address`; `interrupt` sets the I bit."""
    address: int
    length: int
    interrupt: bool = False

    def pack(self):
        return struct.pack("<IIII", self.address & 0xFFFFFFFF, self.address >> 32, 0,
                           (self.length - 1) & 0x3FFFFF | (0x80000000 if self.interrupt else 0))


@dataclasses.dataclass
class Command:
    """A command in slot `slot`. Fields that are None are taken from the opcode."""
    slot: int
    opcode: int
    lba: int = 0
    count: int = 0
    features: int | None = None
    device: int | None = None
    tag: int | None = None
    fua: int = 0
    control: int = 0
    aux: int = 0
    write: int | None = None
    cfl: int = 5
    prdtl: int | None = None
    command_bit: int = 1  # C of the FIS: 0 writes the control register
    reset: int = 0        # R of the command header
    clear_busy: int = 0   # C of the command header
    prefetch: int = 0
    prds: tuple = ()

    @property
    def kind(self):
        return next((op for op in OPCODES.values() if op.code == self.opcode), Opcode(self.opcode))

    def fis(self):
        kind = self.kind
        features, count = self.features or 0, self.count
        device = DEVICE_LBA if self.device is None else self.device
        if kind.queued:
            tag = self.slot if self.tag is None else self.tag
            features, count = self.count if self.features is None else self.features, tag << 3
            device |= 0x80 if self.fua else 0
        lba = self.lba.to_bytes(8, "little")
        return struct.pack("<BBBB3sB3sBHBBI", FIS_REGISTER_H2D, 0x80 if self.command_bit else 0, self.opcode,
                           features & 0xFF, lba[:3], device, lba[3:6], features >> 8 & 0xFF, count & 0xFFFF, 0,
                           self.control, self.aux)

    def header(self):
        """The command header; PRDBC is 0."""
        write = self.kind.to_device if self.write is None else self.write
        prdtl = len(self.prds) if self.prdtl is None else self.prdtl
        flags = (self.cfl & 0x1F | (0x40 if write else 0) | (0x80 if self.prefetch else 0) |
                 (0x100 if self.reset else 0) | (0x400 if self.clear_busy else 0) | prdtl << 16)
        return struct.pack("<IIII16x", flags, 0, self.table_address, 0)

    @property
    def table_address(self):
        return registers.COMMAND_TABLES + self.slot * registers.COMMAND_TABLE_BYTES

    def table(self):
        return self.fis().ljust(registers.PRDT_OFFSET, b"\0") + b"".join(prd.pack() for prd in self.prds)
