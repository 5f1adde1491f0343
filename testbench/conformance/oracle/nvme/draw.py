# SPDX-License-Identifier: Apache-2.0
"""Draws NVMe scripts: reads and writes through queues of any size, creation and deletion of queues, admin
commands, resets and shutdowns with commands outstanding, mistakes of a driver, and register writes, each in
random combination.
"""
from ..drawing import Drawing, GAP_BYTE, SECTOR, ZONE, beyond
from . import registers

ZONES = 64
STABLE = ZONES * ZONE       # no other command touches it
APART = STABLE + 2 * ZONE   # for writes that controllers may execute or refuse
SIZES = (1, 1, 2, 3, 7, 8, 8, 8, 9, 16, 17, 24, 64, 65, 255, ZONE)
ENTRIES = (2, 2, 3, 4, 5, 8, 16, 16, 64, 256)
# Opcodes that neither controller implements: NVMe 1.4 lists them as reserved.
UNKNOWN_IO = (0x03, 0x06, 0x07, 0x0A, 0x0B, 0x13, 0x7C, 0x7F, 0x83, 0xFF)
UNKNOWN_ADMIN = (0x03, 0x07, 0x0B, 0x0F, 0x12, 0x3F, 0x7D, 0x87, 0xBF, 0xFF)


class _Drawing(Drawing):
    """A script under construction. Buffers are in pages of their own, one after the other."""

    def __init__(self, rng, title):
        super().__init__(rng, title)
        self.next_page = registers.DATA
        self.next_list = registers.LISTS

    def _list(self):
        """A place for a list: any qword of a page, often near its end, so that the list continues on the next
        page."""
        entry = self.rng.choice((0, 0, 1, 480, 496, 509, 510, 511, self.rng.randrange(512)))
        place = self.next_list + 8 * entry
        self.next_list += registers.LIST_BYTES
        return place

    def buffer(self, length, where=None):
        """(place, bytes, settings) of a buffer in pages, which are in random order. `where`: the offset in PRP1."""
        offset = self.rng.choice((0, 0, 0, 4, 0x200, 0xE00, 0xFFC, 4 * self.rng.randrange(1024)))
        offset = offset if where is None else where
        count = -(-(offset + length) // registers.PAGE)
        pages = [self.next_page + registers.PAGE * index for index in range(count)]
        place, used = self.next_page, count * registers.PAGE
        self.next_page += used
        if self.rng.random() < 0.5:
            self.rng.shuffle(pages)
        named = ",".join(f"{page:#x}" for page in (pages[0] + offset, *pages[1:]))
        where = f" list={self._list():#x}" if count > 2 else ""
        return place, used, f"prp={named}{where}"

    def transfer(self, queue, zone, write):
        """A read or a write in a zone; returns the buffer that a read fills as (place, bytes)."""
        sectors, lba = self.within(zone, SIZES)
        place, used, prps = self.buffer(sectors * SECTOR)
        self.fill(place, used, write)
        fua = " fua=1" if self.rng.random() < 0.2 else ""
        limited = " lr=1" if self.rng.random() < 0.1 else ""
        self.add(f"command {queue} {'write' if write else 'read'} lba={lba} count={sectors}{fua}{limited} {prps}")
        return None if write else (place, used)

    def deallocation(self, queue, zone):
        """Dataset Management with a few ranges of a zone."""
        place, _, prps = self.buffer(16 * (count := self.rng.choice((1, 1, 2, 5))), where=0)
        words = []
        for _ in range(count):
            sectors = self.rng.randrange(ZONE // 2)
            words += [0, sectors, zone * ZONE + self.rng.randrange(ZONE - sectors), 0]
        self.add(f"put {place:#x} {' '.join(map(str, words))}",
                 f"command {queue} dsm ranges={count} ad={int(self.rng.random() < 0.9)} {prps}")

    def any_command(self, queue, zone, write_share):
        """Returns the buffer of a read."""
        kind = self.rng.random()
        if kind < 0.8:
            return self.transfer(queue, zone, self.rng.random() < write_share)
        if kind < 0.87:
            self.add(f"command {queue} flush")
        elif kind < 0.94:
            sectors = self.rng.randint(1, ZONE)
            self.add(f"command {queue} write-zeroes lba={zone * ZONE + self.rng.randrange(ZONE - sectors + 1)} "
                     f"count={sectors} deac={self.rng.randrange(2)}")
        else:
            self.deallocation(queue, zone)
        return None

    def queue(self, queue, entries, shared=None):
        """Creates a pair of queues, or a queue that shares the completions of another."""
        if shared is None:
            self.add(f"pair {queue} {entries}",
                     f"ask 0 create-cq qid={queue} ien={self.rng.randrange(2)} = 0")
        else:
            self.add(f"pair {queue} {entries} cq={shared}")
        self.add(f"ask 0 create-sq qid={queue} qprio={self.rng.randrange(4)} = 0")

    def queues(self):
        """{queue: (entries, its completion queue)} of some new queues."""
        count = self.rng.choice((1, 1, 2, 3, 5))
        self.add("call enable", "ask 0 set-features fid=7 value=0xf000f = 0")
        found = {}
        for queue in self.rng.sample(range(1, 17), count):
            owners = [owner for owner, (_, shared) in found.items() if shared == owner]
            shared = self.rng.choice(owners) if owners and self.rng.random() < 0.3 else None
            entries = self.rng.choice(ENTRIES)
            self.queue(queue, entries, shared)
            found[queue] = entries, queue if shared is None else shared
        return found

    def batch(self, queues, write_share):
        """Commands in all queues, each in its own zone; rings the doorbells. Returns (completions, read
        buffers)."""
        zones = self.rng.sample(range(ZONES), ZONES)
        completions, buffers, silent = {}, [], set()  # `silent`: queues whose doorbell must still be rung
        for queue, (entries, shared) in queues.items():
            for _ in range(min(entries - 1, self.rng.choice((1, 1, 2, 5, 12, 20)), len(zones))):
                buffers.append(self.any_command(queue, zones.pop(), write_share))
                silent.add(queue)
                completions[shared] = completions.get(shared, 0) + 1
                if self.rng.random() < 0.2:
                    self.add(f"ring {queue}")
                    silent.remove(queue)
        self.add(*(f"ring {queue}" for queue in queues if queue in silent))
        return completions, [buffer for buffer in buffers if buffer]

    def finish(self, completions):
        self.add(*(f"finish {queue} {count} = 0" for queue, count in completions.items()))


def _io(rng, name):
    drawing = _Drawing(rng, f"{name}: commands in queues of any size")
    queues = drawing.queues()
    for _ in range(rng.randint(1, 4)):
        completions, buffers = drawing.batch(queues, rng.choice((0, 0.5, 0.5, 1)))
        drawing.finish(completions)
        drawing.memories(buffers)
    drawing.add("read CSTS = 1", "line = 0")
    return drawing.lines


def _queue_mistake(drawing, rng, queues):
    """A command that is refused, for queues that exist or do not."""
    there = list(queues)
    gone = [queue for queue in range(1, 17) if queue not in queues]
    queue, missing = rng.choice(there), rng.choice(gone)
    owners = [owner for owner, (_, shared) in queues.items() if shared == owner]
    return rng.choice((
        f"create-cq qid={rng.choice(owners)} size=4 pc=1 prp1=CQ40 = 0x101",
        f"create-cq qid={rng.choice((0, 65, 1000, 0xFFFF))} size=4 pc=1 prp1=CQ40 = 0x101",
        f"create-cq qid={missing} size={rng.choice((1, 2049, 0x10000))} pc=1 prp1=CQ40 = 0x102",
        f"create-cq qid={missing} size=4 pc=1 ien=1 iv={rng.choice((65, 1000, 0xFFFF))} prp1=CQ40 = 0x108",
        f"create-cq qid={missing} size=4 pc=0 prp1=CQ40 = 2",
        f"create-cq qid={missing} size=4 pc=1 prp1=CQ40+{4 * rng.randrange(1, 1024)}",
        f"create-sq qid={queue} size=4 pc=1 cqid={rng.choice(owners)} prp1=SQ40 = 0x101",
        f"create-sq qid={missing} size=4 pc=1 cqid={rng.choice((missing, 65, 1000))} prp1=SQ40 = 0x100",
        f"create-sq qid={missing} size={rng.choice((1, 2049))} pc=1 cqid={rng.choice(owners)} prp1=SQ40 = 0x102",
        f"create-sq qid={missing} size=4 pc=0 cqid={rng.choice(owners)} prp1=SQ40 = 2",
        f"delete-sq qid={rng.choice((0, missing, 65, 0xFFFF))} = 0x101",
        f"delete-cq qid={rng.choice((0, missing, 65, 0xFFFF))} = 0x101",
        f"delete-cq qid={rng.choice(owners)} = 0x10c",
        "set-features fid=7 value=0xf000f",
    ))


def _queues(rng, name):
    drawing = _Drawing(rng, f"{name}: queues come and go")
    queues = drawing.queues()
    for _ in range(rng.randint(4, 14)):
        users = {}
        for queue, (_, shared) in queues.items():
            users.setdefault(shared, []).append(queue)
        single = [queue for queue in queues if users[queues[queue][1]] == [queue]]
        kind = rng.random()
        if kind < 0.25 and len(single) > 1:
            queue = rng.choice(single)
            shared = queues.pop(queue)[1]
            drawing.add(f"ask 0 delete-sq qid={queue} = 0", f"ask 0 delete-cq qid={shared} = 0")
        elif kind < 0.5:
            taken = {*queues, *users}
            queue = rng.choice([queue for queue in range(1, 17) if queue not in taken])
            queues[queue] = rng.choice(ENTRIES), queue
            drawing.queue(queue, queues[queue][0])
        elif kind < 0.8 and set(users) <= set(queues):
            drawing.add(f"ask 0 {_queue_mistake(drawing, rng, queues)}")
        else:
            completions, buffers = drawing.batch(queues, 0.5)
            drawing.finish(completions)
            drawing.memories(buffers)
    completions, buffers = drawing.batch(queues, 0)
    drawing.finish(completions)
    drawing.memories(buffers)
    return drawing.lines


def _identify(drawing, rng):
    place, used, prps = drawing.buffer(4096)
    cns, nsid = rng.choice(((0, 1), (0, 0), (0, 0xFFFFFFFF), (0, 0x12345), (1, 0), (1, 1), (2, 0), (2, 1), (2, 0xFFFFFFFE),
                            (3, 1), (3, 0), (3, 0x12345), (0x40, 1), (0xFE, 1)))
    drawing.add(f"fill {place:#x} {used} byte {GAP_BYTE}", f"ask 0 identify cns={cns} nsid={nsid} {prps}")
    if cns == 2:
        drawing.memories([(place, used)])


def _feature(drawing, rng):
    kind = rng.choice(("temperature", "cache", "events", "get", "unknown", "save"))
    if kind == "temperature":
        under = rng.randrange(2) << 20
        drawing.add(f"ask 0 set-features fid=4 value={under | rng.randrange(0x10000):#x} = 0",
                    f"ask 0 get-features fid=4 value={under:#x} = 0")
    elif kind == "cache":
        drawing.add(f"ask 0 set-features fid=6 value={rng.randrange(2)} = 0", "ask 0 get-features fid=6 = 0")
    elif kind == "events":
        drawing.add(f"ask 0 set-features fid=0xb value={rng.randrange(0x20):#x} = 0", "ask 0 get-features fid=0xb = 0")
    elif kind == "get":
        drawing.add(f"ask 0 get-features fid={rng.choice((4, 6, 7, 8, 0xA, 0xB))} sel={rng.choice((0, 0, 1, 3))} = 0")
    elif kind == "unknown":
        drawing.add(f"ask 0 {rng.choice(('get', 'set'))}-features fid={rng.choice((0, 0x20, 0x7F, 0xC0, 0xFF))} = 2")
    else:
        drawing.add(f"ask 0 set-features fid={rng.choice((1, 4, 6, 0xB))} save=1 = 0x10d")


def _log(drawing, rng):
    log, most = rng.choice(((1, 64), (2, 512), (3, 512)))
    offset = 4 * rng.randrange(most // 4 + 8)
    length = 4 * rng.randint(1, max(1, (most - offset) // 4)) if offset < most else 4
    place, used, prps = drawing.buffer(length)
    drawing.add(f"fill {place:#x} {used} byte {GAP_BYTE}",
                f"ask 0 get-log lid={log} bytes={length} offset={offset} nsid=0xffffffff {prps}")
    if log == 1 and offset < most:
        drawing.memories([(place, used)])


def _admin(rng, name):
    drawing = _Drawing(rng, f"{name}: admin commands")
    drawing.add("call enable")
    for _ in range(rng.randint(5, 25)):
        rng.choice((_identify, _feature, _log))(drawing, rng)
    drawing.add("read CSTS = 1", "line = 0")
    return drawing.lines


def _reset(rng, name):
    """The effects of outstanding commands are undefined; data written before must be intact, and everything must
    work."""
    kind = rng.choice(("reset", "reset", "shutdown", "abrupt shutdown", "deletion"))
    drawing = _Drawing(rng, f"{name}: {kind} in the middle of commands")
    queues = drawing.queues()
    sectors = rng.choice(SIZES)
    first = next(iter(queues))
    place, used, prps = drawing.buffer(sectors * SECTOR)
    drawing.add(f"fill {place:#x} {used} pattern {drawing.patterns}",
                f"ask {first} write lba={STABLE} count={sectors} {prps} = 0")
    completions, _ = drawing.batch(queues, rng.choice((0, 0.5, 1)))
    if rng.random() < 0.9:
        drawing.add(f"run {rng.randrange(1, 10 ** rng.randint(3, 6))}ns")
    if kind == "reset":
        drawing.add("write CC 0x460000", "wait CSTS & 1 = 0", "read CSTS = 0", "read AQA = 0x1f001f")
    elif kind == "deletion":
        drawing.add(f"command 0 delete-sq qid={first}", "ring 0", "finish 0 = 0", "write CC 0x460000",
                    "wait CSTS & 1 = 0")
    else:
        drawing.finish(completions)
        drawing.add(f"write CC CC.ON|{'CC.SHN' if kind == 'shutdown' else 'CC.ABRUPT'}",
                    "wait CSTS & CSTS.SHST = 8", "read CSTS = 9")
    drawing.add("call io")
    place, used, prps = drawing.buffer(sectors * SECTOR)
    drawing.add(f"fill {place:#x} {used} byte {GAP_BYTE}", f"ask 1 read lba={STABLE} count={sectors} {prps} = 0",
                "read CSTS = 1")
    drawing.memories([(place, used)])
    return drawing.lines


def _mistake(drawing, rng):
    """A command of queue 1 that fails, with its status."""
    lba, count = beyond(rng, SIZES)
    _, _, prps = drawing.buffer(count * SECTOR, where=0)
    transfer = rng.choice(("read", "write"))
    return rng.choice((
        f"{transfer} lba={lba} count={count} {prps} = 0x80",
        f"write-zeroes lba={lba} count={count} = 0x80",
        f"{transfer} nsid={rng.choice((0, 0x1000, 0xFFFFFFFE))} lba=0 count={count} {prps} = 0xb",
        f"{transfer} nsid=0xffffffff lba=0 count={count} {prps} = 2",
        f"{transfer} lba=0 count={rng.randint(257, 0x10000)} prp1=DATA prp2=LISTS = 2",
        f"{rng.choice(UNKNOWN_IO):#04x} lba=0 = 1",
        f"flush nsid={rng.choice((0, 0x1000))} = 0xb",
        f"{transfer} lba={APART} count=16 prp1=DATA prp2=DATA+{4096 + 4 * rng.randrange(1, 1024)}",
        f"{transfer} lba={APART} count=8 prp1=DATA+{4 * rng.randrange(1024) + rng.randint(1, 3)} prp2=DATA+16K",
    ))


def _error(rng, name):
    """Driver mistakes among correct commands."""
    drawing = _Drawing(rng, f"{name}: errors")
    drawing.add("call io")
    if rng.random() < 0.2:
        drawing.add("command 0 async-event", "ring 0")
    for _ in range(rng.randint(2, 8)):
        kind = rng.random()
        if kind < 0.7:
            drawing.add(f"ask 1 {_mistake(drawing, rng)}")
        elif kind < 0.85:
            drawing.add(f"ask 0 {rng.choice(UNKNOWN_ADMIN):#04x} = 1")
        else:
            drawing.add(f"ask 0 abort qid={rng.randrange(2)} aborted={rng.randrange(0x1000, 0x10000):#x}")
        completions, buffers = drawing.batch({1: (16, 1)}, 0.5)
        drawing.finish(completions)
        drawing.memories(buffers)
    drawing.add("read CSTS = 1")
    return drawing.lines


# Registers, and their bits that may be written at any time without starting anything.
_WRITABLE = {"CAP": ~0, "CAPH": ~0, "VS": ~0, "CSTS": ~0, "RESERVED": ~0, "INTMS": ~0, "INTMC": ~0, "AQA": ~0, "ASQ": ~0,
             "ASQH": ~0, "ACQ": ~0, "ACQH": ~0}
_READ = [*_WRITABLE, "CC", "CMBLOC", "CMBSZ", "BPINFO"]
_DOORBELLS = ("SQ0TDBL", "CQ0HDBL", "SQ1TDBL", "CQ1HDBL", "SQ30TDBL", "CQ64HDBL", "SQ65TDBL", "SQ400TDBL")


def _registers(rng, name):
    drawing = _Drawing(rng, f"{name}: register writes")
    running = rng.random() < 0.4
    if running:
        drawing.add("call io")
    for _ in range(rng.randint(10, 40)):
        if rng.random() < 0.2:
            # Values beyond the queues of 16 and 32 entries, or with the controller disabled.
            drawing.add(f"write {rng.choice(_DOORBELLS)} {rng.choice((33, 100, 0xFFFF, 0xFFFFFFFF)):#x}")
            continue
        register = rng.choice(list(_WRITABLE))
        value = rng.choice((0, 0xFFFFFFFF, 1 << rng.randrange(32), rng.getrandbits(32))) & _WRITABLE[register]
        drawing.add(f"write {register} {value:#x}", f"read {register}")
        if rng.random() < 0.3:
            drawing.add(f"read {rng.choice(_READ)}")
    if running:
        drawing.add("write INTMC 0xffffffff", "run 1ms", "read CSTS = 1")
        completions, buffers = drawing.batch({1: (16, 1)}, 0.5)
        drawing.finish(completions)
        drawing.memories(buffers)
    else:
        drawing.add("call enable", "ask 0 identify cns=1 data=DATA:4K = 0")
    return drawing.lines


KINDS = {"io": (_io, 8), "queues": (_queues, 4), "admin": (_admin, 4), "reset": (_reset, 5), "error": (_error, 4),
         "registers": (_registers, 2)}
