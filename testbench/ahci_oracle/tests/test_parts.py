# SPDX-License-Identifier: Apache-2.0
"""The language, commands in memory, drawn scripts, comparison and decisions: without any controller program."""
import pathlib
import struct
import unittest

from ahci_oracle import __main__, commands, compare, decisions, draw, language, qtest, registers, runner


DOCUMENTATION = (pathlib.Path(__file__).parents[3] / "docs/ahci-oracle.md").read_text(encoding="utf-8")


class Memory:
    """Registers that keep what is written, and memory."""
    name = "memory"
    sectors = 1000

    def __init__(self):
        self.registers = {}
        self.bytes = bytearray(registers.DATA + (1 << 20))
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


def seen(text, controller=None):
    return runner.run(language.parse(text, "s"), controller or Memory())


class Numbers(unittest.TestCase):
    def test_what_a_number_may_be(self):
        for text, value in (("12", 12), ("0x1f", 31), ("4K", 4096), ("DATA+2M", registers.DATA + (2 << 20)),
                            ("PxCMD.ST|PxCMD.FRE", 0x11), ("~GHC.IE", 0xFFFFFFFD), ("LIST", 0x100000)):
            self.assertEqual(language.number(text).value(0), value, text)

    def test_the_end_of_the_drive(self):
        self.assertEqual(language.number("END-8").value(1000), 992)
        self.assertEqual(language.number("END").value(1000), 1000)

    def test_slots(self):
        self.assertEqual(language.slots("0,4-6,31"), [0, 4, 5, 6, 31])
        self.assertEqual(language.slots("none"), [])


class Mistakes(unittest.TestCase):
    def mistake(self, text):
        with self.assertRaises(language.ScriptError) as caught:
            language.parse(text, "s")
        return str(caught.exception)

    def test_the_line_and_the_nearest_known_name_are_told(self):
        self.assertEqual(self.mistake("read CAP\nraed CAP"),
                         "s:2: no statement 'raed'; the nearest known one is read")
        self.assertIn("s:1: no register 'PxTDF'; the nearest known one is PxTFD", self.mistake("read PxTDF"))
        self.assertIn("the nearest known one is PxCMD.FRE", self.mistake("set PxCMD PxCMD.FERE"))
        self.assertIn("the nearest known one is identify-device", self.mistake("command 0 identify-devise"))
        self.assertIn("the nearest known one is count", self.mistake("command 0 nop cuont=1"))
        self.assertIn("the nearest known one is comreset", self.mistake("call comrest"))

    def test_all_mistakes_are_told_at_once(self):
        self.assertEqual(len(self.mistake("read X\nwait CAP = 1 within 3\nissue 32\nline = 2").splitlines()), 4)

    def test_what_is_missing_or_too_much(self):
        for text in ("read", "write CAP", "read CAP = 1 2", "wait CAP", "prdbc 0 1", "fill DATA 4 bytes 3", "run 5",
                     "words DATA identify 256", "fis sdb 8", "command 0-1 nop", "command 0 nop prd=DATA",
                     "command 0 nop prd=DATA:2:x", "issue 0 queue", "write CAP END", ""):
            self.assertTrue(self.mistake(text), text)

    def test_every_statement_is_documented(self):
        for _, usage in language.VERBS.values():
            self.assertIn(usage.replace("|", "\\|"), DOCUMENTATION)


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


class Running(unittest.TestCase):
    def test_what_is_seen(self):
        found = seen("write PxIE 0xff\nread PxIE & 0xf0 = 0xf0\nread PxIE = 1\nset PxIE 0x100\nclear PxIE 0xf\n"
                     "read PxIE")
        self.assertEqual([(one.seen, one.violated) for one in found], [(0xF0, False), (0xFF, True), (0x1F0, False)])

    def test_memory(self):
        found = seen("fill DATA 8 byte 7\ncheck DATA 8 byte 7\ncheck DATA 9 byte 7\nput DATA 0x01020304\n"
                     "memory DATA 5\nwords DATA w 0-1\nbytes DATA b 0")
        self.assertEqual([one.violated for one in found], [False, True, False, False, False, False])
        self.assertEqual(found[2].seen, bytes([4, 3, 2, 1, 7]))
        self.assertEqual([(one.label, one.seen) for one in found[3:]],
                         [("w word 0", 0x304), ("w word 1", 0x102), ("b byte 0", 4)])

    def test_a_command_lies_in_memory(self):
        controller = Memory()
        seen("command 3 read-dma-ext lba=END-1 count=1 prd=DATA:512\nissue 3", controller)
        self.assertEqual(controller.read(registers.COMMAND_LIST + 96, 4).hex(), "05000100")
        table = registers.COMMAND_TABLES + 3 * registers.COMMAND_TABLE_BYTES
        self.assertEqual(controller.read(table + 4, 3), (999).to_bytes(3, "little"))
        self.assertEqual(controller.registers[0x138], 8)  # PxCI, not PxSACT
        self.assertNotIn(0x134, controller.registers)

    def test_waiting_ends(self):
        controller = Memory()
        (found,) = seen("wait PxTFD & 0x80 = 0x80 within 3ms", controller)
        self.assertTrue(found.violated)
        self.assertEqual(controller.passed_ns, 3_000_000)

    def test_a_program_that_ends_is_seen(self):
        class Ends(Memory):
            def read_register(self, offset):
                raise qtest.QtestError("gone")
        found = seen("write CAP 1\nread CAP\nread CAP", Ends())
        self.assertEqual([one.label for one in found], [runner.ENDED])


class Comparing(unittest.TestCase):
    TEXT = "read CAP\nread VS & 0xff = 1\nmemory DATA 4\ncheck DATA 4 byte 0"

    def differences(self, prepare):
        theirs, ours = Memory(), Memory()
        for controller in theirs, ours:
            controller.write_register(registers.HBA["VS"], 1)
        prepare(theirs, ours)
        script = language.parse(self.TEXT, "s")
        return compare.differences(script, runner.run(script, theirs), runner.run(script, ours))

    def test_equal_controllers(self):
        self.assertEqual(self.differences(lambda theirs, ours: None), [])

    def test_a_register(self):
        (found,) = self.differences(lambda theirs, ours: theirs.write_register(0, 0x10))
        self.assertEqual((found.label, found.bits, found.wrong), ("CAP", 0x10, set()))

    def test_both_are_wrong(self):
        def prepare(theirs, ours):
            theirs.write_register(0x10, 2)
            ours.write_register(0x10, 2)
        (found,) = self.differences(prepare)
        self.assertEqual(found.wrong, {"theirs", "ours"})

    def test_memory(self):
        found = self.differences(lambda theirs, ours: ours.write(registers.DATA + 2, b"x"))
        self.assertEqual([one.wrong for one in found], [set(), {"ours"}])
        self.assertIn("first at byte 2: 0x0 and 0x78", found[0].text())

    def test_an_end_ends_the_comparison(self):
        def prepare(theirs, ours):
            def ended(offset):
                raise qtest.QtestError("gone")
            theirs.read_register = ended
        (found,) = self.differences(prepare)
        self.assertEqual((found.theirs, found.ours, found.wrong), ("gone", "runs on", {"theirs"}))


class Decisions(unittest.TestCase):
    HEAD = '[[decision]]\nlabel = "PxIS"\nclause = "c"\ntext = "t"\n'

    def difference(self, **changes):
        values = {"script": "s", "place": "s:1", "statement": "read PxIS", "label": "PxIS", "theirs": 3, "ours": 1}
        return compare.Difference(**{**values, **changes})

    def decided(self, keys, *differences):
        read = decisions.read(self.HEAD + keys, "d.toml")
        return [decision is not None for _, decision in decisions.decide(differences, read)]

    def test_what_a_decision_applies_to(self):
        theirs = 'verdict = "theirs"\n'
        one = self.difference()
        self.assertEqual(self.decided(theirs, one, self.difference(label="IS")), [True, False])
        self.assertEqual(self.decided(theirs + "bits = 2", one, self.difference(ours=0)), [True, False])
        self.assertEqual(self.decided(theirs + 'script = "x*"', one), [False])
        self.assertEqual(self.decided(theirs + 'statement = "= 1$"', one), [False])
        self.assertEqual(self.decided(theirs + "theirs = 2", one), [False])
        self.assertEqual(self.decided(theirs + "ours = 1", one), [True])
        self.assertEqual(self.decided(theirs + "bits = 2\ntheirs_has = 2", one), [True])
        self.assertEqual(self.decided(theirs + "bits = 2\ntheirs_has = 0", one), [False])
        self.assertEqual(self.decided(theirs + "bits = 2\nours_has = 0", one), [True])

    def test_nothing_excuses_ours(self):
        wrong = self.difference(expected=3)
        self.assertEqual(self.decided('verdict = "theirs"', wrong), [False])
        self.assertEqual(self.decided('verdict = "open"', self.difference(expected=1)), [False])
        self.assertEqual(self.decided('verdict = "theirs"', self.difference(expected=1)), [True])

    def test_a_limit_of_ours_names_its_script(self):
        wrong = self.difference(expected=3)
        self.assertEqual(self.decided('verdict = "limit"\nscript = "s"', wrong), [True])
        self.assertEqual(self.decided('verdict = "limit"\nscript = "t"', wrong), [False])
        with self.assertRaises(decisions.DecisionError):
            self.decided('verdict = "limit"', wrong)

    def test_the_rest_of_a_script(self):
        other = self.difference(label="PxCI", place="s:2")
        self.assertEqual(self.decided('verdict = "theirs"\nrest = true', self.difference(), other), [True, True])
        self.assertEqual(self.decided('verdict = "theirs"\nrest = true', other, self.difference()), [False, True])
        self.assertEqual(self.decided('verdict = "theirs"\nrest = true', self.difference(),
                                      self.difference(label="PxCI", expected=3)), [True, False])

    def test_mistakes(self):
        for text in ('[[decision]]\nlabel = "x"', self.HEAD + 'verdict = "ours"', self.HEAD + "verdict", self.HEAD +
                     'verdict = "open"\nclauses = "x"'):
            with self.assertRaises(decisions.DecisionError):
                decisions.read(text, "d.toml")

    def test_the_table_has_a_row_for_each(self):
        head, line, *rows = decisions.table(decisions.load()).splitlines()
        self.assertEqual((head.count("|"), line.count("|")), (5, 5))
        self.assertEqual(len(rows), len(decisions.load()))
        for row, decision in zip(rows, decisions.load()):
            self.assertIn(f"`{decision.label[0]}`", row)
            self.assertIn(f" | {decision.verdict} | {decision.clause} | ", row)

    def test_ours_can_be_read_and_each_can_apply(self):
        names = [path.stem for path in __main__.SCRIPTS.glob("*.txt")]
        names += [f"drawn-1-1-{kind}" for kind in draw.KINDS]
        for decision in decisions.load():
            for pattern in decision.script:
                self.assertTrue([name for name in names if pathlib.PurePath(name).match(pattern)], decision)


class Drawing(unittest.TestCase):
    SCRIPTS = draw.scripts(3, 60)

    def commands(self, script):
        return [one.operands["command"] for one in script.statements if one.verb == "command"]

    def test_the_same_seed_gives_the_same(self):
        self.assertEqual(draw.script(3, 17).text, self.SCRIPTS[17].text)
        self.assertNotEqual(draw.script(4, 17).text, self.SCRIPTS[17].text)

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
        verbs = {"read", "wait", "interrupt", "line", "memory", "check", "words", "bytes", "fis", "finish", "prdbc"}
        for path in sorted(__main__.SCRIPTS.glob("*.txt")):
            script = language.load(path)
            self.assertTrue(script.title, path)
            self.assertTrue([one for one in script.statements if one.verb in verbs], path)


if __name__ == "__main__":
    unittest.main()
