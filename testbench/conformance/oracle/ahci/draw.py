# SPDX-License-Identifier: Apache-2.0
"""Draws AHCI scripts: queued and non-queued commands, resets with commands outstanding, errors, and register
writes, each in random combination.
"""
from ..drawing import Drawing, GAP_BYTE, SECTOR, ZONE, beyond
from . import registers

MOST_SECTORS = ZONE // 2
MOST_PIECES = 40
SIZES = (1, 1, 2, 3, 8, 8, 8, 16, 17, 64, MOST_SECTORS)
QUEUED, DMA, PIO = "fpdma-queued", "dma-ext", ("sectors-ext", "multiple-ext")
# Opcodes that neither drive implements: ACS-3 table B.2 lists them as reserved, obsolete, or from other
# command sets.
UNKNOWN = (0x01, 0x02, 0x0F, 0x12, 0x8F, 0xA0, 0xA1, 0xC0, 0xD5, 0xF7)


class _Drawing(Drawing):
    """A script under construction. Buffers follow each other with gaps between their pieces."""

    def __init__(self, rng, title):
        super().__init__(rng, title)
        self.next_place = registers.DATA

    def _pieces(self, length):
        """Lengths of PRDs that add up to `length`; all are even, because DBC must be odd (AHCI 1.3.1 4.2.3.3)."""
        count = self.rng.choice((1, 1, 2, 3, 5, 9, MOST_PIECES))
        cuts = sorted(self.rng.sample(range(2, length, 2), min(count, length // 2) - 1))
        return [end - start for start, end in zip([0, *cuts], [*cuts, length])]

    def buffer(self, length):
        """(place, bytes, PRDs as text) of a buffer of `length` bytes in pieces, which are in random order."""
        pieces = self._pieces(length)
        order = list(range(len(pieces)))
        self.rng.shuffle(order)
        place, places = self.next_place, {}
        for index in order:
            places[index] = self.next_place
            self.next_place += pieces[index] + self.rng.choice((0, 0, 2, 4, 62, 128))
        bytes_used = self.next_place - place
        self.next_place = (self.next_place + 0xFFF) & ~0xFFF
        flags = [":i" if self.rng.random() < 0.05 else "" for _ in pieces]
        return place, bytes_used, ",".join(f"{places[i]:#x}:{pieces[i]}{flags[i]}" for i in range(len(pieces)))

    def transfer(self, slot, zone, protocol, write):
        """A read or a write in a zone; returns the buffer that a read fills as (place, bytes)."""
        sectors, lba = self.within(zone, SIZES)
        place, length, prds = self.buffer(sectors * SECTOR)
        name = f"{'write' if write else 'read'}-{protocol}"
        self.fill(place, length, write)
        queued = protocol == QUEUED
        fua = " fua=1" if queued and self.rng.random() < 0.2 else ""
        prefetch = " prefetch=1" if not queued and self.rng.random() < 0.2 else ""
        self.add(f"command {slot} {name} lba={lba} count={sectors}{fua}{prefetch} prd={prds}")
        return None if write else (place, length)

    def batch(self, count, protocols, write_share):
        """Commands in `count` slots, each in its own zone: (slots, read buffers)."""
        slots = self.rng.sample(range(registers.SLOTS), count)
        zones = self.rng.sample(range(registers.SLOTS), count)
        buffers = [self.transfer(slot, zone, self.rng.choice(protocols), self.rng.random() < write_share)
                   for slot, zone in zip(slots, zones)]
        return slots, [buffer for buffer in buffers if buffer]

    def issue(self, slots, queued):
        """Writes PxCI for several slots at a time; for queued commands, writes PxSACT before it."""
        rest, suffix = list(slots), " queued" if queued else ""
        while rest:
            count = self.rng.choice((1, len(rest), self.rng.randint(1, len(rest))))
            self.add(f"issue {_list(rest[:count])}{suffix}")
            rest = rest[count:]
            if rest and self.rng.random() < 0.2:
                self.add(f"run {self.rng.choice((1, 5, 20, 100))}us")

    def look(self):
        self.add("read PxIS", "read PxTFD", "read PxSERR", "read PxCI", "read PxSACT", "read IS",
                 "write PxIS 0xffffffff", "write IS 0xffffffff", "line = 0")


def _list(slots):
    return ",".join(map(str, slots)) or "none"


def _queued(rng, name):
    drawing = _Drawing(rng, f"{name}: queued reads and writes")
    drawing.add("call start")
    for _ in range(rng.randint(1, 3)):
        slots, buffers = drawing.batch(rng.choice((1, 2, 4, 8, 31, 32, rng.randint(1, 32))), (QUEUED,),
                                       rng.choice((0, 0.5, 0.5, 1)))
        drawing.issue(slots, True)
        drawing.add(f"finish {_list(slots)}")
        drawing.look()
        drawing.memories(buffers)
    return drawing.lines


def _not_queued(rng, name):
    drawing = _Drawing(rng, f"{name}: non-queued commands, several slots at a time")
    drawing.add("call start")
    for _ in range(rng.randint(1, 4)):
        slots, buffers = drawing.batch(rng.choice((1, 1, 2, 3, 8)), (DMA, DMA, *PIO), rng.choice((0, 0.5, 1)))
        extra = [slot for slot in rng.sample(range(registers.SLOTS), 2) if slot not in slots]
        for slot in extra:
            drawing.add(f"command {slot} {rng.choice(('flush-cache-ext', 'flush-cache', 'check-power-mode'))}")
        drawing.issue([*slots, *extra], False)
        drawing.add(f"finish {_list([*slots, *extra])}")
        drawing.look()
        drawing.memories(buffers)
        drawing.add(*(f"prdbc {slot}" for slot in slots))
    return drawing.lines


def _software_reset(drawing):
    """AHCI 1.3.1 10.4.1: two control FISes, the first with R and C of the header set."""
    drawing.add("call stop", "set PxCMD PxCMD.CLO", "run 10us", "write PxSERR 0xffffffff",
                "write PxIS 0xffffffff", "set PxCMD PxCMD.ST", "wait PxCMD & PxCMD.CR = PxCMD.CR",
                "command 0 nop command_bit=0 control=4 reset=1 clear_busy=1", "issue 0",
                "wait PxCI & 1 = 0", "run 10us", "command 1 nop command_bit=0 control=0", "issue 1",
                "wait PxCI & 2 = 0", "wait PxTFD & 0x89 = 0 within 10s", "read PxSIG = 0x101")


def _reset(rng, name):
    """The effects of aborted commands are undefined; data written before must be intact, and the port must work."""
    kind = rng.choice(("comreset", "HBA reset", "stop", "software reset"))
    drawing = _Drawing(rng, f"{name}: {kind} in the middle of commands")
    drawing.add("call start")
    stable, sectors = registers.SLOTS * ZONE, rng.choice(SIZES)
    place, length, prds = drawing.buffer(sectors * SECTOR)
    drawing.add(f"fill {place:#x} {length} pattern {drawing.patterns}",
                f"command 0 write-dma-ext lba={stable} count={sectors} prd={prds}", "issue 0", "finish 0")
    queued = rng.random() < 0.7
    slots, _ = drawing.batch(rng.randint(1, 32 if queued else 8), (QUEUED if queued else DMA,),
                             rng.choice((0, 0.5, 1)))
    drawing.issue(slots, queued)
    if rng.random() < 0.9:
        drawing.add(f"run {rng.randrange(1, 10 ** rng.randint(3, 6))}ns")
    if kind == "comreset":
        drawing.add("call comreset", "read PxCI = 0", "read PxSACT = 0", "read PxSIG = 0x101", "call start")
    elif kind == "HBA reset":
        drawing.add("call hba-reset", "read PxCI", "read PxSACT", "read PxCMD & 0xc011 = 0", "read PxIE = 0",
                    "read PxIS", "read GHC", "read IS", "call start")
    elif kind == "stop":
        drawing.add("call stop", "read PxCI = 0", "read PxSACT = 0", "call comreset", "call start")
    else:
        _software_reset(drawing)
        drawing.add("call stop", "call start")
    place, length, prds = drawing.buffer(sectors * SECTOR)
    after = rng.randrange(registers.SLOTS)
    operation, suffix = rng.choice((("read-dma-ext", ""), ("read-fpdma-queued", " queued")))
    drawing.add(f"fill {place:#x} {length} byte {GAP_BYTE}",
                f"command {after} {operation} lba={stable} count={sectors} prd={prds}", f"issue {after}{suffix}",
                f"finish {after}")
    drawing.look()
    drawing.memories([(place, length)])
    return drawing.lines


def _queued_error(drawing, rng):
    lba, count = beyond(rng, SIZES)
    bad = rng.randrange(registers.SLOTS)
    others = [slot for slot in rng.sample(range(registers.SLOTS), rng.choice((0, 0, 1, 5, 20))) if slot != bad]
    for slot in others:  # in zones that are never read, because the effects of aborted writes are undefined
        drawing.transfer(slot, registers.SLOTS + slot, QUEUED, rng.random() < 0.5)
    _, _, prds = drawing.buffer(count * SECTOR)
    drawing.add(f"command {bad} {rng.choice(('read', 'write'))}-fpdma-queued lba={lba} count={count} prd={prds}")
    drawing.issue([*others, bad], True)
    drawing.add("wait PxIS & PxIS.TFES = PxIS.TFES", "read PxTFD & 0x89 = 1",
                f"read PxSACT & {1 << bad:#x} = {1 << bad:#x}", "call recover", "read PxCI = 0", "read PxSACT = 0",
                "call read-log-10h")


def _other_error(drawing, rng):
    lba, count = beyond(rng, SIZES)
    slot = rng.randrange(registers.SLOTS)
    kind = rng.choice(("beyond", "unknown", "too few PRDs", "unknown queued"))
    _, _, prds = drawing.buffer(count * SECTOR)
    if kind == "beyond":
        drawing.add(f"command {slot} {rng.choice(('read', 'write'))}-dma-ext lba={lba} count={count} prd={prds}")
    elif kind == "unknown":
        drawing.add(f"command {slot} {rng.choice(UNKNOWN):#04x} lba={rng.randrange(1000)} count={count}")
    elif kind == "unknown queued":
        # A tag that differs from the slot: subcommand 1Fh of NCQ NON-DATA is reserved (ACS-3 table 84).
        drawing.add(f"command {slot} 0x63 features=0x1f count={slot << 3}")
    else:
        # More data than the PRD table describes: overflow (AHCI 1.3.1 6.1.5).
        short = drawing.buffer(SECTOR)[2].split(",")[0]
        drawing.add(f"command {slot} read-dma-ext lba=0 count={count + 1} prd={short}", f"issue {slot}",
                    "wait PxIS & PxIS.OFS = PxIS.OFS within 200ms")
        return
    drawing.add(f"issue {slot}{' queued' if kind == 'unknown queued' else ''}",
                "wait PxIS & PxIS.TFES = PxIS.TFES within 200ms", "read PxTFD & 0x89 = 1",
                f"read PxCI & {1 << slot:#x}", "call recover", "read PxCI = 0")
    if kind == "unknown queued":
        drawing.add("call read-log-10h")


def _error(rng, name):
    """An error, recovery as the standard describes it, and then ordinary commands."""
    drawing = _Drawing(rng, f"{name}: errors")
    drawing.add("call start")
    for _ in range(rng.randint(1, 2)):
        rng.choice((_queued_error, _other_error))(drawing, rng)
        drawing.add("call comreset", "call start")
        queued = rng.random() < 0.5
        slots, buffers = drawing.batch(rng.randint(1, 4), (QUEUED if queued else DMA,), 0)
        drawing.issue(slots, queued)
        drawing.add(f"finish {_list(slots)}")
        drawing.look()
        drawing.memories(buffers)
    return drawing.lines


# Registers, and their bits that may be written at any time without starting or stopping anything.
_WRITABLE = {"CAP": ~0, "GHC": 0x2, "IS": ~0, "PI": ~0, "VS": ~0, "CAP2": ~0, "PxCLB": ~0, "PxCLBU": ~0, "PxFB": ~0,
             "PxFBU": ~0, "PxIS": ~0, "PxIE": ~0, "PxTFD": ~0, "PxSIG": ~0, "PxSSTS": ~0, "PxSERR": ~0,
             "PxSNTF": ~0, "P1IE": ~0, "P1CLB": ~0, "P1IS": ~0}
_READ = [*_WRITABLE, "PxCMD", "PxSCTL", "PxSACT", "PxCI", "P1SSTS", "P1CMD", "P1TFD", "P1SIG"]


def _registers(rng, name):
    drawing = _Drawing(rng, f"{name}: register writes on an idle HBA")
    drawing.add("set GHC GHC.AE", "run 1ms")
    running = rng.random() < 0.3
    if running:
        drawing.add("call start")
    for _ in range(rng.randint(10, 40)):
        register = rng.choice(list(_WRITABLE))
        if running and register[2:] in ("CLB", "CLBU", "FB", "FBU"):
            continue
        value = rng.choice((0, 0xFFFFFFFF, 1 << rng.randrange(32), rng.getrandbits(32))) & _WRITABLE[register]
        if register == "GHC":
            value |= registers.BITS["GHC.AE"]
        drawing.add(f"write {register} {value:#x}", f"read {register}")
        if rng.random() < 0.3:
            drawing.add(f"read {rng.choice(_READ)}")
    return drawing.lines


KINDS = {"queued": (_queued, 8), "dma": (_not_queued, 5), "reset": (_reset, 5), "error": (_error, 4),
         "registers": (_registers, 2)}
