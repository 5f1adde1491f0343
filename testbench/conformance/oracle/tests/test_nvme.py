# SPDX-License-Identifier: Apache-2.0
"""NVMe: names, commands in memory, the driver of scripts, drawn scripts and decisions, without any controller
program."""
import pathlib
import struct
import unittest

from conformance.oracle import language, nvme
from conformance.oracle.nvme import NvmeRun, commands, draw, registers
from conformance.oracle.tests.memory import Memory

LANGUAGE, DRAWER = nvme.LANGUAGE, nvme.INTERFACE.drawer
DOCUMENTATION = (pathlib.Path(__file__).parents[4] / "docs/nvme-oracle.md").read_text(encoding="utf-8")


def entry(memory, queue, index=0):
    """A submission queue entry: its dwords."""
    return struct.unpack("<16I", memory.read(registers.submission(queue) + 64 * index, 64))


class Answering(Memory):
    """Completes every command when its doorbell is rung, in the order `order`, with the statuses `statuses`."""

    def __init__(self, statuses=(0,), order=lambda entries: entries):
        super().__init__(registers.DATA)
        self.statuses, self.order = list(statuses), order
        self.seen_tail, self.posted, self.entries = {}, {}, {}

    def write_register(self, offset, value):
        super().write_register(offset, value)
        queue = (offset - registers.DOORBELLS) // 8
        if offset < registers.DOORBELLS or offset % 8:
            return
        fresh = []
        while self.seen_tail.get(queue, 0) != value:
            at = self.seen_tail.get(queue, 0)
            fresh.append(struct.unpack_from("<I", self.read(registers.submission(queue) + 64 * at, 4))[0] >> 16)
            self.seen_tail[queue] = (at + 1) % self.entries[queue]
        for cid in self.order(fresh):
            count = self.posted.get(queue, 0)
            self.posted[queue] = count + 1
            place, phase = count % self.entries[queue], 1 - count // self.entries[queue] % 2
            status = self.statuses[count % len(self.statuses)]
            self.write(registers.completion(queue) + 16 * place,
                       struct.pack("<IIHHHH", cid * 3, 0, value, queue, cid, status << 1 | phase))


def seen(text, memory):
    return NvmeRun(memory).run_all(LANGUAGE.parse(text, "s"))


class Names(unittest.TestCase):
    def test_registers(self):
        for name, offset in (("CSTS", 0x1C), ("SQ0TDBL", 0x1000), ("CQ0HDBL", 0x1004), ("SQ12TDBL", 0x1060)):
            self.assertEqual(registers.register_offset(name), offset)
        for name in ("SQ", "SQ0HDBL", "CQxHDBL", "CQ512HDBL", "XQ0TDBL"):
            self.assertIsNone(registers.register_offset(name))

    def test_places_do_not_overlap(self):
        self.assertLessEqual(registers.completion(64) + registers.MOST_ENTRIES * 16, registers.LISTS)
        self.assertLessEqual(registers.LISTS + registers.LIST_COUNT * registers.LIST_BYTES, registers.DATA)


class Mistakes(unittest.TestCase):
    def test_what_is_missing_or_too_much(self):
        for text in ("pair 1 1", "pair 65 2", "pair 1 2 cp=1", "command 0 reed", "ask 1 identify", "ask 0 identify cms=1",
                     "finish 1 2 3", "ring", "silent 0", "silent 0 5", "pages DATA", "command 1 read lba", "read CSTS END"):
            with self.assertRaises(language.ScriptError, msg=text):
                LANGUAGE.parse(text, "s")


class Commands(unittest.TestCase):
    # NVMe 1.4, figures 104 and 372: opcode and identifier, NSID, PRPs, SLBA, NLB (one less), FUA.
    def test_a_read(self):
        memory = Memory(registers.DATA)
        seen("pair 1 4\ncommand 1 read lba=END-8 count=8 fua=1 data=DATA+0x200:4K", memory)
        self.assertEqual(entry(memory, 1), (0x00010002, 1, 0, 0, 0, 0, registers.DATA + 0x200, 0, registers.DATA + 0x1000,
                                            0, 992, 0, 0x40000007, 0, 0, 0))

    # Figures 151 and 149: size (one less) and identifier; completion queue or vector, flags.
    def test_queues(self):
        memory = Memory(registers.DATA)
        seen("pair 0 8\npair 3 16\npair 4 8 cq=3\ncommand 0 create-cq qid=3 iv=5\ncommand 0 create-sq qid=4 qprio=2",
             memory)
        cq, sq = entry(memory, 0), entry(memory, 0, 1)
        self.assertEqual((cq[0], cq[6], cq[10], cq[11]), (0x10005, registers.completion(3), 0x000F0003, 0x00050003))
        self.assertEqual((sq[0], sq[6], sq[10], sq[11]), (0x20001, registers.submission(4), 0x00070004, 0x00030005))

    def test_a_log_page(self):
        memory = Memory(registers.DATA)
        seen("pair 0 2\ncommand 0 get-log lid=2 bytes=512 offset=12 rae=1 nsid=0xffffffff prp=DATA", memory)
        words = entry(memory, 0)
        self.assertEqual((words[1], words[10], words[11], words[12]), (0xFFFFFFFF, 127 << 16 | 0x8002, 0, 12))

    def test_pages(self):
        self.assertEqual(commands.consecutive(0x10200, 0x2000), (0x10200, 0x11000, 0x12000))
        self.assertEqual(commands.consecutive(0x10200, 0xE00), (0x10200,))
        self.assertEqual(commands.prps((1, 2), 0x900), ((1, 2), []))
        self.assertEqual(commands.prps((1, 2, 3), 0x900), ((1, 0x900), [(0x900, struct.pack("<2Q", 2, 3))]))

    def test_a_list_that_goes_on_in_the_next_page(self):
        # The page has room for two qwords: two pages fit; of three pages, the first one and a pointer.
        self.assertEqual(commands.lists((7, 8), 0x1FF0), [(0x1FF0, struct.pack("<2Q", 7, 8))])
        self.assertEqual(commands.lists((7, 8, 9), 0x1FF0),
                         [(0x1FF0, struct.pack("<2Q", 7, 0x2000)), (0x2000, struct.pack("<2Q", 8, 9))])
        self.assertEqual(commands.lists((7, 8), 0x1FF8),
                         [(0x1FF8, struct.pack("<Q", 0x2000)), (0x2000, struct.pack("<2Q", 7, 8))])


class Running(unittest.TestCase):
    def test_completions_are_seen_by_identifier(self):
        for order in (lambda entries: entries, lambda entries: entries[::-1]):
            memory = Answering([0x4002, 0x0000] if order([1, 2]) == [1, 2] else [0x0000, 0x4002], order)
            memory.entries = {1: 4}
            found = seen("pair 1 4\ncommand 1 read\ncommand 1 flush\nring 1\nfinish 1 2 = 0", memory)
            self.assertEqual([(one.label, one.seen, one.violated) for one in found],
                             [("read status", 2, True), ("read DNR", 1, False), ("read result", 3, False),
                              ("flush status", 0, False), ("flush DNR", 0, False), ("flush result", 6, False),
                              ("SQHD", 2, False)])

    def test_rings_go_round_and_the_phase_with_them(self):
        memory = Answering()
        memory.entries = {2: 2}
        found = seen("pair 2 2\n" + "ask 2 flush = 0\n" * 5, memory)
        self.assertFalse([one for one in found if one.violated])
        self.assertEqual([one.seen for one in found if one.label == "SQHD"], [1, 0, 1, 0, 1])
        self.assertEqual(memory.registers[registers.head_doorbell(2)], 1)

    def test_what_does_not_come(self):
        memory = Memory(registers.DATA)
        found = seen("pair 1 4\ncommand 1 flush\nring 1\nsilent 1 2ms\nfinish 1 = 0 within 3ms", memory)
        self.assertEqual([(one.label, one.seen, one.violated) for one in found],
                         [("completion", False, False), ("missing status", None, True), ("missing DNR", None, False),
                          ("missing result", None, False), ("SQHD", None, False)])
        self.assertEqual(memory.passed_ns, 5_000_000)


class Decided(unittest.TestCase):
    def test_each_can_apply(self):
        names = [script.name for script in nvme.INTERFACE.scripts()]
        names += [f"drawn-1-1-{kind}" for kind in draw.KINDS]
        for decision in nvme.INTERFACE.decisions():
            for pattern in decision.script:
                self.assertTrue([name for name in names if pathlib.PurePath(name).match(pattern)], decision)


class Drawing(unittest.TestCase):
    SCRIPTS = DRAWER.scripts(3, 80)

    def test_the_same_seed_gives_the_same(self):
        self.assertEqual(DRAWER.script(3, 17).text, self.SCRIPTS[17].text)
        self.assertNotEqual(DRAWER.script(4, 17).text, self.SCRIPTS[17].text)

    def test_all_kinds_are_drawn(self):
        self.assertEqual({script.name.split("-")[-1] for script in self.SCRIPTS}, set(draw.KINDS))

    def test_buffers_lie_in_memory_and_are_large_enough(self):
        for script in self.SCRIPTS:
            for one in script.statements:
                command = one.operands.get("command")
                if command is None or not command.pages or "error" in script.name:
                    continue
                room = registers.PAGE * len(command.pages) - command.pages[0] % registers.PAGE
                if command.operation in ("read", "write"):
                    self.assertGreaterEqual(room, 512 * command.fields["count"], one.text)
                for page in command.pages:
                    self.assertTrue(registers.DATA <= page < registers.MEMORY_BYTES - registers.PAGE, one.text)
                self.assertFalse([page for page in command.pages[1:] if page % registers.PAGE], one.text)

    def test_no_queue_gets_more_than_it_holds(self):
        for script in self.SCRIPTS:
            entries, waiting, owner = {}, {}, {}
            for one in script.statements:
                queue = one.operands.get("queue")
                if one.verb == "pair":
                    entries[queue], waiting[queue] = one.operands["entries"], 0
                    owner[queue] = queue if one.operands["shared"] is None else one.operands["shared"]
                elif one.verb == "command":
                    waiting[queue] += 1
                    self.assertLess(waiting[queue], entries[queue], script.name)
                elif one.verb == "finish":
                    for other in [other for other in waiting if owner[other] == queue]:
                        waiting[other] = 0


class Scripts(unittest.TestCase):
    def test_each_has_a_title_and_a_statement_that_sees_something(self):
        for script in nvme.INTERFACE.scripts():
            self.assertTrue(script.title, script.name)
            self.assertTrue([one for one in script.statements if one.verb in LANGUAGE.SEES], script.name)

    def test_every_statement_is_documented(self):
        for usage in LANGUAGE.USAGES.values():
            self.assertIn(usage.replace("|", "\\|"), DOCUMENTATION)

    def test_every_key_is_documented(self):
        for key in commands.KEYS:
            self.assertIn(f"`{key}`", DOCUMENTATION)


if __name__ == "__main__":
    unittest.main()
