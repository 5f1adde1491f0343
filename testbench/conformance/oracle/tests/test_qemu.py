# SPDX-License-Identifier: Apache-2.0
"""QEMU's controllers: they run all scripts, all their differences are decided, and a disturbed controller is
noticed."""
import functools
import unittest

from conformance.oracle import __main__, ahci, compare, controllers, decisions, runner
from conformance.oracle.ahci import registers

SECTORS = 65536


def seen(script, disturb=lambda controller: controller):
    return ahci.INTERFACE.seen_by(lambda: disturb(ahci.INTERFACE.qemu(SECTORS)), script)


class Qemu(unittest.TestCase):
    def test_the_capacity_is_that_of_the_image(self):
        for interface in __main__.INTERFACES.values():
            controller = interface.qemu(SECTORS)
            self.addCleanup(controller.close)
            self.assertEqual(interface.capacity(controller), SECTORS)

    def test_nothing_undecided_against_what_scripts_demand(self):
        for interface in __main__.INTERFACES.values():
            known = interface.decisions()
            setup = __main__.Setup(interface, None, (), SECTORS)
            undecided = [difference.text() for script in interface.scripts() + interface.drawer.scripts(5, 20)
                         for difference, decision in decisions.decide(__main__.difference_list(setup, script), known)
                         if decision is None]
            self.assertEqual(undecided, [])


class Disturbed(unittest.TestCase):
    SCRIPT = ahci.LANGUAGE.load(ahci.INTERFACE.folder / "scripts/dma-write-read.txt")

    def differences(self, disturb):
        return compare.differences(self.SCRIPT, seen(self.SCRIPT), seen(self.SCRIPT, disturb))

    def test_an_undisturbed_one_is_equal(self):
        self.assertEqual(self.differences(lambda controller: controller), [])

    def test_a_register_of_which_a_bit_is_turned_over(self):
        task_file = registers.register_offset("PxTFD")
        found = self.differences(functools.partial(controllers.Disturbed, offset=task_file, bits=0x20))
        self.assertEqual([(one.label, one.bits, one.wrong) for one in found], [("PxTFD", 0x20, {"ours"})])

    def test_one_byte_of_the_data(self):
        class Spoilt(controllers.Disturbed):
            def read(self, address, length):
                data = bytearray(self.controller.read(address, length))
                if length == 4096:
                    data[100] ^= 1
                return bytes(data)
        found = self.differences(lambda controller: Spoilt(controller, 0, 0))
        self.assertEqual({(one.label, tuple(one.wrong)) for one in found if one.label == "memory"},
                         {("memory", ("ours",))})

    def test_an_interrupt_that_never_comes(self):
        class Silent(controllers.Disturbed):
            def wait_until(self, condition, limit_ns):
                return False if condition == self.controller.line else self.controller.wait_until(condition, limit_ns)

            @property
            def line(self):
                return self.controller.line
        found = self.differences(lambda controller: Silent(controller, 0, 0))
        self.assertEqual({one.label for one in found}, {"interrupt"})

    def test_a_program_that_is_killed(self):
        class Killed(controllers.Disturbed):
            def line(self):
                self.controller.qtest.process.kill()
                return self.controller.line()

            def wait_until(self, condition, limit_ns):
                return self.controller.wait_until(condition, limit_ns)
        found = self.differences(lambda controller: Killed(controller, 0, 0))
        self.assertEqual([one.label for one in found], [runner.ENDED])
        self.assertEqual(found[0].theirs, "runs on")
        self.assertIn("ended with code -9", found[0].ours)


if __name__ == "__main__":
    unittest.main()
