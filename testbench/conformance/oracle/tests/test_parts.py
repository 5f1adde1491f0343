# SPDX-License-Identifier: Apache-2.0
"""Parts that all oracles share, with AHCI as the example: language, runner, comparison, decisions. No controller
program is needed."""
import unittest

from conformance.oracle import ahci, compare, decisions, language, qtest, runner
from conformance.oracle.ahci import AhciRun, registers
from conformance.oracle.tests.memory import Memory, difference

LANGUAGE = ahci.LANGUAGE
SPACE = registers.DATA + (1 << 20)


def memory():
    return Memory(SPACE)


def seen(text, controller=None):
    return AhciRun(controller or memory()).run_all(LANGUAGE.parse(text, "s"))


class Numbers(unittest.TestCase):
    def test_what_a_number_may_be(self):
        for text, value in (("12", 12), ("0x1f", 31), ("4K", 4096), ("DATA+2M", registers.DATA + (2 << 20)),
                            ("PxCMD.ST|PxCMD.FRE", 0x11), ("~GHC.IE", 0xFFFFFFFD), ("LIST", 0x100000)):
            self.assertEqual(LANGUAGE.number(text).value(0), value, text)

    def test_the_end_of_the_drive(self):
        self.assertEqual(LANGUAGE.number("END-8").value(1000), 992)
        self.assertEqual(LANGUAGE.number("END").value(1000), 1000)


class Mistakes(unittest.TestCase):
    def mistake(self, text):
        with self.assertRaises(language.ScriptError) as caught:
            LANGUAGE.parse(text, "s")
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
                     "words DATA identify", "words DATA identify 512K", "fis sdb 8", "command 0-1 nop", "command 0 nop prd=DATA",
                     "command 0 nop prd=DATA:2:x", "issue 0 queue", "write CAP END", ""):
            self.assertTrue(self.mistake(text), text)


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

    def test_waiting_ends(self):
        controller = memory()
        (found,) = seen("wait PxTFD & 0x80 = 0x80 within 3ms", controller)
        self.assertTrue(found.violated)
        self.assertEqual(controller.passed_ns, 3_000_000)

    def test_a_program_that_ends_is_seen(self):
        class Ends(Memory):
            def read_register(self, offset):
                raise qtest.QtestError("gone")
        found = seen("write CAP 1\nread CAP\nread CAP", Ends(SPACE))
        self.assertEqual([one.label for one in found], [runner.ENDED])


class Comparing(unittest.TestCase):
    TEXT = "read CAP\nread VS & 0xff = 1\nmemory DATA 4\ncheck DATA 4 byte 0"

    def differences(self, prepare):
        theirs, ours = memory(), memory()
        for controller in theirs, ours:
            controller.write_register(registers.HBA["VS"], 1)
        prepare(theirs, ours)
        script = LANGUAGE.parse(self.TEXT, "s")
        return compare.differences(script, AhciRun(theirs).run_all(script), AhciRun(ours).run_all(script))

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

    def decided(self, keys, *differences):
        read = decisions.read(self.HEAD + keys, "d.toml")
        return [decision is not None for _, decision in decisions.decide(differences, read)]

    def test_what_a_decision_applies_to(self):
        theirs = 'verdict = "theirs"\n'
        one = difference()
        self.assertEqual(self.decided(theirs, one, difference(label="IS")), [True, False])
        self.assertEqual(self.decided(theirs + "bits = 2", one, difference(ours=0)), [True, False])
        self.assertEqual(self.decided(theirs + 'script = "x*"', one), [False])
        self.assertEqual(self.decided(theirs + 'statement = "= 1$"', one), [False])
        self.assertEqual(self.decided(theirs + "theirs = 2", one), [False])
        self.assertEqual(self.decided(theirs + "ours = 1", one), [True])
        self.assertEqual(self.decided(theirs + "bits = 2\ntheirs_has = 2", one), [True])
        self.assertEqual(self.decided(theirs + "bits = 2\ntheirs_has = 0", one), [False])
        self.assertEqual(self.decided(theirs + "bits = 2\nours_has = 0", one), [True])

    def test_nothing_excuses_ours(self):
        wrong = difference(expected=3)
        self.assertEqual(self.decided('verdict = "theirs"', wrong), [False])
        self.assertEqual(self.decided('verdict = "open"', difference(expected=1)), [False])
        self.assertEqual(self.decided('verdict = "theirs"', difference(expected=1)), [True])

    def test_a_limit_of_ours_names_its_script(self):
        wrong = difference(expected=3)
        self.assertEqual(self.decided('verdict = "limit"\nscript = "s"', wrong), [True])
        self.assertEqual(self.decided('verdict = "limit"\nscript = "t"', wrong), [False])
        with self.assertRaises(decisions.DecisionError):
            self.decided('verdict = "limit"', wrong)

    def test_the_rest_of_a_script(self):
        other = difference(label="PxCI", place="s:2")
        self.assertEqual(self.decided('verdict = "theirs"\nrest = true', difference(), other), [True, True])
        self.assertEqual(self.decided('verdict = "theirs"\nrest = true', other, difference()), [False, True])
        self.assertEqual(self.decided('verdict = "theirs"\nrest = true', difference(),
                                      difference(label="PxCI", expected=3)), [True, False])

    def test_mistakes(self):
        for text in ('[[decision]]\nlabel = "x"', self.HEAD + 'verdict = "ours"', self.HEAD + "verdict", self.HEAD +
                     'verdict = "open"\nclauses = "x"'):
            with self.assertRaises(decisions.DecisionError):
                decisions.read(text, "d.toml")


if __name__ == "__main__":
    unittest.main()
