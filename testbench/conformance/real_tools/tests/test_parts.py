# SPDX-License-Identifier: Apache-2.0
"""What is between a tool and a drive: the preloaded library, the server, the answers to SCSI commands. Needs no tool."""
import os
import struct
import subprocess
import sys
import unittest

from conformance.real_tools import calls, scsi
from conformance.real_tools.ata_drive import Answer, Task
from conformance.real_tools.server import KINDS, Nodes


class Drive:
    """Answers as told, and remembers what it was asked."""

    def __init__(self, **registers):
        self.answer = Answer(**{"status": 0x50, "error": 0, "count": 0, "lba": 0, "device": 0, "data": b"", **registers})
        self.tasks = []

    def execute(self, task):
        self.tasks.append(task)
        return self.answer


def identify(**words):
    page = bytearray(512)
    page[20:40], page[46:54], page[54:94] = b"1234".ljust(20), b"LPH0    ", b"oMed l ".ljust(40)
    struct.pack_into("<Q", page, 200, 5_000_000_000)
    for number, value in words.items():
        struct.pack_into("<H", page, 2 * int(number.removeprefix("w")), value)
    return bytes(page)


class PassThrough(unittest.TestCase):
    """Fields of ATA PASS-THROUGH: SAT-3 12.2.2."""

    def carried(self, cdb, data=b"", room=0, **registers):
        drive = Drive(**registers)
        outcome = scsi.Target(drive).execute(bytes.fromhex(cdb), data, room)
        self.assertEqual(len(drive.tasks), 1)
        return drive.tasks[0], outcome

    def test_16_extended(self):
        task, outcome = self.carried("85 07 0e 11 22 33 44 55 66 77 88 99 aa e0 2f 00", room=512, data=b"")
        self.assertEqual(task, Task(0x2F, 0x1122, 0x3344, 0x997755AA8866, 0xE0, b"", 512))
        self.assertEqual(outcome.status, scsi.GOOD)

    def test_16_of_28_bits_leaves_out_the_upper_bytes(self):
        task, _ = self.carried("85 08 0e 11 22 33 44 55 66 77 88 99 aa 40 b0 00", room=512)
        self.assertEqual(task, Task(0xB0, 0x22, 0x44, 0xAA8866, 0x40, b"", 512))

    def test_12(self):
        task, _ = self.carried("a1 08 2e d0 01 00 4f c2 00 b0 00 00", room=512)
        self.assertEqual(task, Task(0xB0, 0xD0, 0x01, 0xC24F00, 0, b"", 512))

    def test_data_to_the_device(self):
        for protocol in ("0a", "0c", "16"):  # PIO out, DMA, UDMA out
            task, _ = self.carried(f"85 {protocol} 06 00 00 00 01 00 00 00 00 00 00 40 06 00", data=bytes(512))
            self.assertEqual((len(task.data), task.expected), (512, 0), protocol)
        task, _ = self.carried("85 0c 0e 00 00 00 01 00 00 00 00 00 00 40 c8 00", room=512)
        self.assertEqual((task.data, task.expected), (b"", 512))

    def test_registers_on_request(self):
        _, outcome = self.carried("85 06 20 00 00 00 00 00 00 00 00 00 00 00 e5 00", count=0xFF, device=0x40)
        self.assertEqual(outcome.status, scsi.CHECK_CONDITION)
        self.assertEqual(outcome.sense.hex(" "), "72 01 00 1d 00 00 00 0e 09 0c 00 00 00 ff 00 00 00 00 00 00 40 50")

    def test_errors(self):
        for error, key in ((0x40, "03 11 00"), (0x10, "05 21 00"), (0x04, "0b 00 00")):
            _, outcome = self.carried("85 09 0e 00 00 00 01 00 00 00 00 00 00 40 25 00", room=512, status=0x51,
                                      error=error, lba=0x060504030201, count=0x0807)
            self.assertEqual(outcome.status, scsi.CHECK_CONDITION)
            self.assertEqual(outcome.sense[1:4].hex(" "), key)
            self.assertEqual(outcome.sense[8:].hex(" "), f"09 0c 01 {error:02x} 08 07 04 01 05 02 06 03 00 51")

    def test_a_protocol_that_is_no_command(self):
        drive = Drive()
        outcome = scsi.Target(drive).execute(bytes.fromhex("85 00 00").ljust(16, b"\0"))  # ATA hardware reset
        self.assertEqual((outcome.sense[1:4].hex(" "), drive.tasks), ("05 24 00", []))


class Scsi(unittest.TestCase):
    def answer(self, cdb, **words):
        return scsi.Target(Drive(data=identify(**words))).execute(bytes.fromhex(cdb), room=255)

    def test_inquiry(self):
        data = self.answer("12 00 00 00 60 00").data
        self.assertEqual(data[8:36], b"ATA     " + b"Model ".ljust(16) + b"PL0H")
        data = self.answer("12 00 00 00 60 00", w25=0x3132).data
        self.assertEqual(data[32:36], b"12  ", "words 25 and 26, unless they are blank")

    def test_capacity(self):
        self.assertEqual(self.answer("25").data, struct.pack(">II", 0xFFFFFFFF, 512))
        data = self.answer("9e 10", w106=0x6003).data
        self.assertEqual(struct.unpack_from(">QIBB", data), (4_999_999_999, 512, 0, 3))

    def test_vital_product_data(self):
        self.assertEqual(self.answer("12 01 80 00 ff 00").data[4:], b"2143".ljust(20))
        self.assertNotIn(b"\x01\x03\x00\x08", self.answer("12 01 83 00 ff 00").data)
        named = self.answer("12 01 83 00 ff 00", w87=0x4100, w108=0x5001, w109=0x2345, w110=0x6789, w111=0xABCD).data
        self.assertTrue(named.endswith(bytes.fromhex("01 03 00 08 50 01 23 45 67 89 ab cd")))
        self.assertEqual(self.answer("12 01 c0 00 ff 00").sense[1:4].hex(" "), "05 24 00")

    def test_verify_and_synchronize_cache(self):
        drive = Drive()
        target = scsi.Target(drive)
        target.execute(bytes.fromhex("2f 00 00 01 02 03 00 00 09 00"))
        target.execute(bytes.fromhex("35"))
        self.assertEqual(drive.tasks, [Task(0x42, lba=0x10203, count=9), Task(0xEA)])

    def test_an_operation_that_it_does_not_have(self):
        self.assertEqual(self.answer("2a").sense[1:4].hex(" "), "05 20 00")


class OlderCalls(unittest.TestCase):
    """HDIO_DRIVE_CMD and HDIO_DRIVE_TASK: Documentation/userspace-api/ioctl/hdio.rst of Linux."""

    def called(self, request, memory, room, **registers):
        drive = Drive(**registers)
        return drive, calls.AtaCalls(drive).call(True, request, memory, room)[1]

    def test_drive_command(self):
        drive, answer = self.called(calls.HDIO_DRIVE_CMD, bytes((0xE3, 12, 0, 0)), 4, count=7)
        self.assertEqual((drive.tasks, answer), ([Task(0xE3, 0, 12)], bytes((0x50, 0, 7, 0))))

    def test_smart_names_its_registers(self):
        drive, answer = self.called(calls.HDIO_DRIVE_CMD, bytes((0xB0, 5, 0xD5, 1)), 516, data=b"x" * 512)
        self.assertEqual(drive.tasks, [Task(0xB0, 0xD5, 1, 0xC24F05, expected=512)])
        self.assertEqual(answer[4:], b"x" * 512)

    def test_drive_task(self):
        drive, answer = self.called(calls.HDIO_DRIVE_TASK, bytes((0xB0, 0xDA, 0, 0, 0x4F, 0xC2, 0x40)), 7, lba=0x2CF400)
        self.assertEqual(drive.tasks, [Task(0xB0, 0xDA, 0, 0xC24F00, 0x40)])
        self.assertEqual(answer, bytes((0x50, 0, 0, 0, 0xF4, 0x2C, 0)))

    def test_an_identity_has_its_texts_in_order(self):
        _, answer = self.called(calls.HDIO_GET_IDENTITY, b"", 512, data=identify())
        self.assertEqual(answer[54:60], b"Model ")

    def test_an_error(self):
        with self.assertRaises(OSError):
            self.called(calls.HDIO_DRIVE_CMD, bytes((0xE3, 12, 0, 0)), 4, status=0x51, error=4)


class Library(unittest.TestCase):
    """Python as the tool: what it sees of nodes that are pretended, and of others."""
    SCRIPT = """
import fcntl, os, stat, struct, sys
for path, is_kind in (("/dev/sda", stat.S_ISBLK), ("/dev/nvme0n1", stat.S_ISBLK), ("/dev/nvme0", stat.S_ISCHR)):
    node = os.open(path, os.O_RDONLY)
    assert is_kind(os.stat(path).st_mode) and is_kind(os.fstat(node).st_mode) and os.access(path, os.R_OK)
    for number, known in ((0x80081272, is_kind == stat.S_ISBLK), (0x5401, False)):
        try:
            print(struct.unpack("Q", fcntl.ioctl(node, number, bytes(8)))[0])
            assert known, number
        except OSError as error:
            assert error.errno == 25 and not known, error
    for transfer in (lambda: os.read(node, 512), lambda: os.write(node, bytes(512))):
        try:
            transfer()
            assert False, "bytes are not moved"
        except OSError as error:
            assert error.errno == 5, error
    os.close(node)
other = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o640)
assert stat.S_IMODE(os.fstat(other).st_mode) == 0o640 & ~int(sys.argv[2], 8), oct(os.fstat(other).st_mode)
assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
assert os.write(other, b"text") == 4 and os.lseek(other, 0, os.SEEK_SET) == 0 and os.read(other, 9) == b"text"
os.fsync(other)
"""

    def test_nodes_and_files(self):
        with Nodes(os.environ["PROGRAMS"], dict.fromkeys(KINDS, ("--set", "ssd.capacity=8MiB"))) as nodes:
            umask = os.umask(0o022)
            os.umask(umask)
            file = os.path.join(nodes.folder, "file")
            ran = subprocess.run([sys.executable, "-c", self.SCRIPT, file, oct(umask)], env=nodes.environment,
                                 capture_output=True, text=True, check=False)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual([int(line) for line in ran.stdout.split()], [8 << 20] * 2)

    def test_a_drive_that_is_gone(self):
        with Nodes(os.environ["PROGRAMS"], {"ata": ("--no-such-option",)}) as nodes:
            code = "import fcntl, os; fcntl.ioctl(os.open('/dev/sda', 0), 0x80081272, bytes(8))"
            ran = subprocess.run([sys.executable, "-c", code], env=nodes.environment, capture_output=True, text=True,
                                 check=False)
        self.assertIn("Input/output error", ran.stderr)
        self.assertIn("--no-such-option", nodes.devices["ata"].fault)


if __name__ == "__main__":
    unittest.main()
