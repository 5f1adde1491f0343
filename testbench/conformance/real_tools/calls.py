# SPDX-License-Identifier: Apache-2.0
"""ioctl() calls on a device node, carried out on a simulated drive as Linux would.

A call gets the bytes that the library (device_calls.cpp) read from the caller's memory, and the number of bytes that it
will write there; it returns the result, or raises an OSError.
"""
import errno
import struct

from . import nvme_drive, scsi
from .ata_drive import Task

# Numbers of linux/fs.h, linux/hdreg.h, scsi/sg.h and linux/nvme_ioctl.h.
BLKROGET, BLKGETSIZE, BLKFLSBUF, BLKSSZGET, BLKPBSZGET, BLKGETSIZE64 = 0x125E, 0x1260, 0x1261, 0x1268, 0x127B, 0x80081272
HDIO_GETGEO, HDIO_GET_IDENTITY, HDIO_DRIVE_TASK, HDIO_DRIVE_CMD = 0x0301, 0x030D, 0x031E, 0x031F
SG_GET_VERSION_NUM, SG_IO = 0x2282, 0x2285
NVME_ID, NVME_ADMIN, NVME_IO, NVME_RESET, NVME_RESCAN = 0x4E40, 0xC0484E41, 0xC0484E43, 0x4E44, 0x4E46

SG_VERSION = 30536  # of Linux' sg driver, 3.5.36
SG_TO_DEVICE = -2
SG_HEADER = struct.Struct("<iiBBHI24xII i4x8x BBBBHHiII4x")
DRIVER_SENSE, INFO_CHECK = 0x08, 0x01
NVME_COMMAND = struct.Struct("<BBHIIIQQII6III")
SMART, SMART_LBA = 0xB0, 0xC24F00
SECTOR = 512
HEADS, SECTORS_PER_TRACK = 255, 63  # of the geometry that Linux makes up


def fail(number):
    raise OSError(number, "")


class Calls:
    """What all drives have. `drive`: the drive. `capacity()`: its sectors."""

    def __init__(self, drive):
        self.drive = drive
        self.table = {
            BLKROGET: lambda: struct.pack("<i", 0),
            BLKGETSIZE: lambda: struct.pack("<Q", self.capacity()),
            BLKGETSIZE64: lambda: struct.pack("<Q", self.capacity() * SECTOR),
            BLKSSZGET: lambda: struct.pack("<i", SECTOR),
            BLKPBSZGET: lambda: struct.pack("<i", self.physical_bytes()),
            BLKFLSBUF: lambda: b"",
            HDIO_GETGEO: self._geometry,
        }

    def _geometry(self):
        cylinders = self.capacity() // (HEADS * SECTORS_PER_TRACK)
        return struct.pack("<BBH4xQ", HEADS, SECTORS_PER_TRACK, min(cylinders, 0xFFFF), 0)

    def physical_bytes(self):
        return SECTOR

    def call(self, block, request, memory, room):
        """(result, bytes for the caller, which are padded with zeroes to `room`). `block`: of a block device's node."""
        if request not in self.table or not block:
            fail(errno.ENOTTY)
        return 0, self.table[request]()


class AtaCalls(Calls):
    def __init__(self, drive):
        super().__init__(drive)
        self.target = scsi.Target(drive)
        self.table |= {SG_GET_VERSION_NUM: lambda: struct.pack("<i", SG_VERSION),
                       HDIO_GET_IDENTITY: lambda: self.target.identity().readable}

    def capacity(self):
        return self.target.identity().sectors

    def physical_bytes(self):
        return SECTOR << self.target.identity().physical_exponent

    def call(self, block, request, memory, room):
        if request == SG_IO:
            return 0, self._sg_io(memory)
        if request == HDIO_DRIVE_CMD:
            return 0, self._drive_command(memory)
        if request == HDIO_DRIVE_TASK:
            return 0, self._drive_task(memory)
        return super().call(block, request, memory, room)

    def _sg_io(self, memory):
        header, rest = memory[:SG_HEADER.size], memory[SG_HEADER.size:]
        fields = list(SG_HEADER.unpack(header))
        direction, command_bytes, sense_bytes, pieces, length = fields[1:6]
        if pieces or not 6 <= command_bytes <= 16:
            fail(errno.EINVAL)
        to_device = direction == SG_TO_DEVICE
        outcome = self.target.execute(rest[:command_bytes], rest[command_bytes:], 0 if to_device else length)
        data = outcome.data[:length]
        failed = outcome.status != scsi.GOOD
        sense = outcome.sense[:sense_bytes]
        moved = length if to_device else len(data)
        answer = bytearray(header)
        struct.pack_into("<BBBBHHiII", answer, 64, outcome.status, outcome.status >> 1, 0, len(sense), 0,
                         DRIVER_SENSE if failed else 0, length - moved, 0, INFO_CHECK if failed else 0)
        return bytes(answer) + sense.ljust(sense_bytes, b"\0") + (b"" if to_device else data)

    def _drive_command(self, memory):
        """Command, sector number, feature, count of sectors of data; for SMART the sector number and the count are
        the registers of these names."""
        if not memory:
            return b""
        command, number, feature, count = memory
        task = Task(command, feature, count, SMART_LBA | number) if command == SMART else Task(command, feature, number)
        task = Task(task.command, task.feature, task.count, task.lba, expected=SECTOR * count)
        answer = self._end(self.drive.execute(task))
        return bytes((answer.status, answer.error, answer.count & 0xFF, count)) + answer.data

    def _drive_task(self, memory):
        command, feature, count, low, middle, high, device = memory
        answer = self._end(self.drive.execute(Task(command, feature, count, low | middle << 8 | high << 16, device)))
        lba = answer.lba.to_bytes(6, "little")
        return bytes((answer.status, answer.error, answer.count & 0xFF, *lba[:3], answer.device))

    def _end(self, answer):
        return fail(errno.EIO) if answer.failed else answer


class NvmeCalls(Calls):
    NAMESPACE = 1

    def capacity(self):
        identify = nvme_drive.Command(True, 0x06, nsid=self.NAMESPACE, expected=4096)
        return int.from_bytes(self.drive.execute(identify).data[:8], "little")

    def call(self, block, request, memory, room):
        if request in (NVME_ADMIN, NVME_IO):
            return self._command(memory, request == NVME_ADMIN)
        if block and request == NVME_ID:
            return self.NAMESPACE, b""
        if not block and request == NVME_RESET:
            self.drive.reset()
            return 0, b""
        if not block and request == NVME_RESCAN:
            return 0, b""
        return super().call(block, request, memory, room)

    def _command(self, memory, admin):
        """The status of the command is the result. Bits 1:0 of an opcode say where its data go."""
        head, data = memory[:NVME_COMMAND.size], memory[NVME_COMMAND.size:]
        opcode, flags, _, nsid, _, _, _, _, metadata, length, *dwords, _, _ = NVME_COMMAND.unpack(head)
        if flags or metadata or length > self.drive.most_bytes:
            fail(errno.EINVAL)
        answer = self.drive.execute(nvme_drive.Command(admin, opcode, nsid=nsid, dwords=tuple(dwords), data=data,
                                                       expected=length if opcode & 2 else 0))
        return answer.status, head[:-4] + struct.pack("<I", answer.result) + answer.data
