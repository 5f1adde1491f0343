# SPDX-License-Identifier: Apache-2.0
"""AHCI: names, commands in memory, drawn scripts and decisions, without any controller program."""
import pathlib
import struct
import unittest

from conformance.oracle import ahci, decisions
from conformance.oracle.ahci import AhciRun, commands, draw, registers
from conformance.oracle.ahci.language import slots
from conformance.oracle.tests.memory import Memory

LANGUAGE, DRAWER = ahci.LANGUAGE, ahci.INTERFACE.drawer
DOCUMENTATION = (pathlib.Path(__file__).parents[4] / "docs/ahci-oracle.md").read_text(encoding="utf-8")


class Slots(unittest.TestCase):
    def test_slots(self):
        self.assertEqual(slots("0,4-6,31"), [0, 4, 5, 6, 31])
        self.assertEqual(slots("none"), [])


class Commands(unittest.TestCase):
    def test_a_queued_read(self):
        # Serial ATA 3.1 13.6.4.1: count in Features, tag in Count 7:3, FUA in Device bit 7.
        command = commands.Command(5, 0x60, lba=0x123456789ABC, count=0x0102, fua=1)
        self.assertEqual(command.fis().hex(), "27806002" "bc9a78c0" "56341201" "28000000" "00000000")
        # AHCI 1.3.1 4.2.2: five dwords, no W, no PRDs; the table.
        self.assertEqual(struct.unpack("<8I", command.header()), (5, 0, registers.COMMAND_TABLES + 0x14000,
                                                                  0, 0, 0, 0, 0))

    def test_a_write_with_two_prds(self):
        prds = (commands.Prd(0x401000, 512), commands.Prd(0x500000, 4, True))
        command = commands.Command(0, 0x35, lba=7, count=2, prds=prds, prefetch=1)
        self.assertEqual(command.fis().hex(), "27803500" "07000040" "00000000" "02000000" "00000000")
        self.assertEqual(command.header()[:4].hex(), "c5000200")  # P, W, 5; two entries
        self.assertEqual(command.table()[0x80:].hex(), "00104000" "00000000" "00000000" "ff010000"
                                                       "00005000" "00000000" "00000000" "03000080")

    def test_a_control_fis(self):
        command = commands.Command(1, 0, command_bit=0, control=4, reset=1, clear_busy=1)
        self.assertEqual(command.fis()[:2].hex(), "2700")
        self.assertEqual(command.fis()[15], 4)
        self.assertEqual(command.header()[:2].hex(), "0505")  # C and R are bits 10 and 8

    def test_a_command_lies_in_memory(self):
        controller = Memory(registers.DATA)
        AhciRun(controller).run_all(LANGUAGE.parse("command 3 read-dma-ext lba=END-1 count=1 prd=DATA:512\nissue 3", "s"))
        self.assertEqual(controller.read(registers.COMMAND_LIST + 96, 4).hex(), "05000100")
        table = registers.COMMAND_TABLES + 3 * registers.COMMAND_TABLE_BYTES
        self.assertEqual(controller.read(table + 4, 3), (999).to_bytes(3, "little"))
        self.assertEqual(controller.registers[0x138], 8)  # PxCI, not PxSACT
        self.assertNotIn(0x134, controller.registers)


class Decided(unittest.TestCase):
    def test_the_table_has_a_row_for_each(self):
        head, line, *rows = decisions.table(ahci.INTERFACE.decisions()).splitlines()
        self.assertEqual((head.count("|"), line.count("|")), (5, 5))
        self.assertEqual(len(rows), len(ahci.INTERFACE.decisions()))
        for row, decision in zip(rows, ahci.INTERFACE.decisions()):
            self.assertIn(f"`{decision.label[0]}`", row)
            self.assertIn(f" | {decision.verdict} | {decision.clause} | ", row)

    def test_ours_can_be_read_and_each_can_apply(self):
        names = [script.name for script in ahci.INTERFACE.scripts()]
        names += [f"drawn-1-1-{kind}" for kind in draw.KINDS]
        for decision in ahci.INTERFACE.decisions():
            for pattern in decision.script:
                self.assertTrue([name for name in names if pathlib.PurePath(name).match(pattern)], decision)


class Drawing(unittest.TestCase):
    SCRIPTS = DRAWER.scripts(3, 60)

    def commands(self, script):
        return [one.operands["command"] for one in script.statements if one.verb == "command"]

    def test_the_same_seed_gives_the_same(self):
        self.assertEqual(DRAWER.script(3, 17).text, self.SCRIPTS[17].text)
        self.assertNotEqual(DRAWER.script(4, 17).text, self.SCRIPTS[17].text)

    def test_all_kinds_are_drawn(self):
        self.assertEqual({script.name.split("-")[-1] for script in self.SCRIPTS}, set(draw.KINDS))

    def test_prds_are_even_and_their_lengths_add_up(self):
        for script in self.SCRIPTS:
            for command in self.commands(script):
                self.assertFalse([prd for prd in command.prds if prd.address % 2 or prd.length % 2 or prd.length < 2])
                if command.opcode in (0x25, 0x35, 0x60, 0x61) and "error" not in script.name:
                    self.assertEqual(sum(prd.length for prd in command.prds), 512 * command.count)

    def test_prds_do_not_overlap_and_lie_in_memory(self):
        for script in self.SCRIPTS:
            places = sorted((prd.address, prd.length) for command in self.commands(script) for prd in command.prds
                            if prd.address != registers.DATA + (48 << 20))
            for (address, length), (following, _) in zip(places, places[1:]):
                self.assertLessEqual(address + length, following, script.name)
            if places:
                self.assertLess(sum(places[-1]), registers.DATA + (48 << 20))


class Scripts(unittest.TestCase):
    def test_each_has_a_title_and_a_statement_that_sees_something(self):
        for script in ahci.INTERFACE.scripts():
            self.assertTrue(script.title, script.name)
            self.assertTrue([one for one in script.statements if one.verb in LANGUAGE.SEES], script.name)

    def test_every_statement_is_documented(self):
        for usage in LANGUAGE.USAGES.values():
            self.assertIn(usage.replace("|", "\\|"), DOCUMENTATION)


if __name__ == "__main__":
    unittest.main()
