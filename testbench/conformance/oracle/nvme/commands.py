# SPDX-License-Identifier: Apache-2.0
"""Commands in memory: submission queue entries and lists of pages (NVMe 1.4).

What a script does not say is 0, but for what a careful driver always says: DEFAULTS.
"""
import dataclasses
import struct

from . import registers

ADMIN = {"delete-sq": 0x00, "create-sq": 0x01, "get-log": 0x02, "delete-cq": 0x04, "create-cq": 0x05,
         "identify": 0x06, "abort": 0x08, "set-features": 0x09, "get-features": 0x0A, "async-event": 0x0C}
IO = {"flush": 0x00, "write": 0x01, "read": 0x02, "write-uncorrectable": 0x04, "write-zeroes": 0x08, "dsm": 0x09}

# Key: dword, shift, bits, subtracted value (for fields that count from 0).
FIELDS = {
    "cns": (10, 0, 8, 0), "fid": (10, 0, 8, 0), "lid": (10, 0, 8, 0), "sel": (10, 8, 3, 0), "save": (10, 31, 1, 0),
    "value": (11, 0, 32, 0), "qid": (10, 0, 16, 0), "size": (10, 16, 16, 1), "pc": (11, 0, 1, 0),
    "ien": (11, 1, 1, 0), "qprio": (11, 1, 2, 0), "iv": (11, 16, 16, 0), "cqid": (11, 16, 16, 0),
    "aborted": (10, 16, 16, 0), "rae": (10, 15, 1, 0), "offset": (12, 0, 32, 0), "count": (12, 0, 16, 1),
    "dtype": (12, 20, 4, 0), "deac": (12, 25, 1, 0), "fua": (12, 30, 1, 0), "lr": (12, 31, 1, 0),
    "ranges": (10, 0, 8, 1), "ad": (11, 2, 1, 0),
    **{f"dw{number}": (number, 0, 32, 0) for number in range(10, 16)},
}
PLAIN = ("nsid", "cid", "flags", "prp1", "prp2", "list")
KEYS = (*FIELDS, *PLAIN, "lba", "bytes", "data", "prp")


@dataclasses.dataclass(frozen=True)
class Command:
    """A command as a script describes it. `pages`: addresses of its data, page by page."""
    operation: str
    opcode: int
    admin: bool
    fields: dict     # keys of FIELDS
    plain: dict      # keys of PLAIN
    log_bytes: int | None = None
    pages: tuple = ()

    def dwords(self, lba, defaults):
        """Command dwords 10 to 15."""
        words = [0] * 6
        for key, value in {**defaults, **self.fields}.items():
            dword, shift, bits, less = FIELDS[key]
            words[dword - 10] |= (value - less & (1 << bits) - 1) << shift
        if lba:
            words[0] |= lba & 0xFFFFFFFF
            words[1] |= lba >> 32 & 0xFFFFFFFF
        if self.log_bytes is not None:
            dwords = self.log_bytes // 4 - 1
            words[0] |= (dwords & 0xFFFF) << 16
            words[1] |= dwords >> 16 & 0xFFFF
        return words

    def entry(self, cid, prps, dwords):
        prp1, prp2 = (self.plain.get(key, value) for key, value in zip(("prp1", "prp2"), prps))
        return struct.pack("<BBHIQQQQ6I", self.opcode, self.plain.get("flags", 0), self.plain.get("cid", cid),
                           self.plain.get("nsid", 0 if self.admin else 1), 0, 0, prp1, prp2, *dwords)


def consecutive(address, length):
    """Pages of `length` bytes from `address` on."""
    first = min(length, registers.PAGE - address % registers.PAGE)
    return (address, *range(address + first, address + length, registers.PAGE))


def prps(pages, place):
    """(PRP1, PRP2, [(address, list of pages as bytes)]) for these pages, with lists from `place` on."""
    if len(pages) <= 2:
        return (*pages, 0, 0)[:2], []
    return (pages[0], place), lists(pages[1:], place)


def lists(pages, place):
    """The lists of pages. The last entry of a list's page points to the next list, if more than one page is left."""
    room = (registers.PAGE - place % registers.PAGE) // 8
    if len(pages) <= room:
        return [(place, struct.pack(f"<{len(pages)}Q", *pages))]
    following = (place // registers.PAGE + 1) * registers.PAGE
    here = [*pages[:room - 1], following]
    return [(place, struct.pack(f"<{room}Q", *here)), *lists(pages[room - 1:], following)]
