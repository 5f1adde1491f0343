# SPDX-License-Identifier: Apache-2.0
"""Controllers with one interface: QEMU's, this project's, and one that is disturbed on purpose.

A controller has read_register(offset), write_register(offset, value), read(address, length), write(address, data),
line(), advance(ns), sectors, close(). It has a drive full of zeros.
"""
import pathlib
import shutil
import tempfile
import time

from .qtest import Qtest

QEMU = "qemu-system-x86_64"
BAR = 0xE0000000  # above the memory of a small q35, below its I/O APIC
SECTOR_BYTES = 512
POLL_NS = 20_000
LONGEST_POLL_NS = 1_000_000
MOST_SLEEP_S = 0.005


class Qtested:
    """Common to all controllers that speak qtest with registers at BAR and memory at 0."""

    def __init__(self, name, arguments, sectors):
        self.name = name
        self.sectors = sectors
        self.qtest = Qtest(arguments)

    def read_register(self, offset):
        return self.qtest.number(f"readl {BAR + offset:#x}")

    def write_register(self, offset, value):
        self.qtest.ask(f"writel {BAR + offset:#x} {value:#x}")

    def read(self, address, length):
        return self.qtest.read(address, length)

    def write(self, address, data):
        self.qtest.write(address, data)

    def line(self):
        """Whether any interrupt line is raised."""
        self.read_register(0)  # interrupts raised earlier arrive before the answer
        return any(self.qtest.lines.values())

    def advance(self, ns):
        self.qtest.ask(f"clock_step {ns}")

    def wait_until(self, condition, limit_ns):
        """Lets time pass until `condition()`; False if that takes longer than `limit_ns`."""
        step, passed = POLL_NS, 0
        while not condition():
            if passed >= limit_ns:
                return False
            step = min(step, limit_ns - passed)
            self.advance(step)
            passed += step
            step = min(2 * step, LONGEST_POLL_NS)
        return True

    def close(self):
        self.qtest.close()


class Qemu(Qtested):
    """A controller of a q35, with a raw image in a folder that goes away. A derived class has the arguments of its
    `DEVICE`, which uses the drive `drive`, its bus address `SLOT` (device, function) and the offset of its `BAR`.

    Debian's QEMU has no clock to step (that needs its accelerator `qtest`), and neither its controllers nor its block
    layer look at virtual time: time passes as it does for us. A flush does not wait for our disk (`cache=unsafe`),
    which may take longer than a script's limit.
    """
    DEVICE = ()
    SLOT = (0, 0)
    BAR = 0x10
    MEMORY_BYTES = 64 << 20

    def __init__(self, sectors, program=QEMU):
        self.folder = tempfile.TemporaryDirectory(prefix="oracle-")
        image = pathlib.Path(self.folder.name) / "image"
        with open(image, "wb") as file:
            file.truncate(sectors * SECTOR_BYTES)
        super().__init__("qemu", [
            program, "-M", "q35", "-accel", "tcg", "-S", "-display", "none", "-nodefaults", "-m",
            str(self.MEMORY_BYTES >> 20), "-qtest", "stdio", "-qtest-log", "none", "-drive",
            f"if=none,id=drive,format=raw,cache=unsafe,discard=unmap,file={image}", *self.DEVICE], sectors)
        self.qtest.ask("irq_intercept_in ioapic")
        self.configure(self.BAR, BAR)
        self.configure(0x04, 0x0006)  # memory space, bus master

    def configure(self, offset, value):
        """Writes a dword of the controller's configuration space."""
        device, function = self.SLOT
        self.qtest.ask(f"outl 0xcf8 {0x80000000 | device << 11 | function << 8 | offset:#x}")
        self.qtest.ask(f"outl 0xcfc {value:#x}")

    def advance(self, ns):
        time.sleep(min(ns / 1e9, MOST_SLEEP_S))

    def wait_until(self, condition, limit_ns):
        deadline = time.monotonic() + limit_ns / 1e9
        return super().wait_until(lambda: condition() or time.monotonic() > deadline, limit_ns) and condition()

    def close(self):
        super().close()
        self.folder.cleanup()


class Ours(Qtested):
    """A program of this project with --qtest; `BAR_OPTION` sets the address of its registers."""
    BAR_OPTION = ""

    def __init__(self, sectors, program, options=()):
        super().__init__("solidtlm", [str(program), "--qtest", self.BAR_OPTION, hex(BAR), *options], sectors)


class Disturbed:
    """A controller that flips bits in every `every`th read of one register."""

    def __init__(self, controller, offset, bits, every=1):
        self.controller = controller
        self.name = "disturbed " + controller.name
        self.offset, self.bits, self.every, self.reads = offset, bits, every, 0

    def read_register(self, offset):
        value = self.controller.read_register(offset)
        if offset == self.offset:
            self.reads += 1
            if self.reads % self.every == 0:
                value ^= self.bits
        return value

    def __getattr__(self, name):
        return getattr(self.controller, name)


def qemu_is_there(program=QEMU):
    return shutil.which(program) is not None
