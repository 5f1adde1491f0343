# SPDX-License-Identifier: Apache-2.0
"""The SCSI commands that tools send to a SATA drive, as the host's kernel answers them (SAT-3): ATA PASS-THROUGH,
which carries the drive's own commands, the few that tools send first, answered from IDENTIFY DEVICE, VERIFY and
SYNCHRONIZE CACHE."""
import dataclasses
import struct

from .ata_drive import Task

GOOD, CHECK_CONDITION = 0x00, 0x02
NO_SENSE, RECOVERED, NOT_READY, MEDIUM_ERROR, ILLEGAL_REQUEST, ABORTED = 0x0, 0x1, 0x2, 0x3, 0x5, 0xB
PASS_THROUGH_12, PASS_THROUGH_16 = 0xA1, 0x85
PIO_OUT, UDMA_OUT, DMA = 5, 11, 6  # PROTOCOL
TO_DEVICE_PROTOCOLS = (PIO_OUT, UDMA_OUT)
PROTOCOLS = (3, 4, 5, 6, 7, 10, 11, 12)
READ_VERIFY_SECTORS_EXT, FLUSH_CACHE_EXT, IDENTIFY_DEVICE = 0x42, 0xEA, 0xEC
SECTOR = 512

# SAT-3 table "Translation of ATA errors to SCSI errors": bit of the error register, sense key, ASC, ASCQ.
ERRORS = ((0x40, MEDIUM_ERROR, 0x11, 0x00), (0x10, ILLEGAL_REQUEST, 0x21, 0x00), (0x04, ABORTED, 0x00, 0x00))


@dataclasses.dataclass(frozen=True)
class Outcome:
    status: int = GOOD
    sense: bytes = b""
    data: bytes = b""


def sense(key, code, qualifier, descriptors=b""):
    """Descriptor format (SPC-4 4.5.2)."""
    return bytes((0x72, key, code, qualifier, 0, 0, 0, len(descriptors))) + descriptors


def refuse(code=0x20):
    """Illegal request: by default, an operation code that is not supported; 24h, a field of the command."""
    return Outcome(CHECK_CONDITION, sense(ILLEGAL_REQUEST, code, 0))


def status_return(answer, extended):
    """The ATA Status Return descriptor (SAT-3 12.2.7)."""
    lba = [answer.lba >> 8 * at & 0xFF for at in range(6)]
    high = lba[3:] if extended else [0, 0, 0]
    return bytes((0x09, 0x0C, int(extended), answer.error, answer.count >> 8 if extended else 0, answer.count & 0xFF,
                  high[0], lba[0], high[1], lba[1], high[2], lba[2], answer.device, answer.status))


def pass_through(cdb):
    """(Task without data, extended, whether data go to the device, CK_COND), or None if the protocol is none of a
    drive's commands."""
    protocol, flags = cdb[1] >> 1 & 0xF, cdb[2]
    if protocol not in PROTOCOLS:
        return None
    to_device = protocol in TO_DEVICE_PROTOCOLS or protocol == DMA and not flags & 0x08
    if cdb[0] == PASS_THROUGH_12:
        feature, count, *lba, device, command = cdb[3:10]
        task = Task(command, feature, count, int.from_bytes(lba, "little"), device)
        return task, False, to_device, bool(flags & 0x20)
    extended = bool(cdb[1] & 1)
    high = (cdb[3], cdb[5], cdb[7], cdb[9], cdb[11]) if extended else (0,) * 5
    lba = bytes((cdb[8], cdb[10], cdb[12], high[2], high[3], high[4]))
    task = Task(cdb[14], high[0] << 8 | cdb[4], high[1] << 8 | cdb[6], int.from_bytes(lba, "little"), cdb[13])
    return task, extended, to_device, bool(flags & 0x20)


def outcome_of(answer, extended, check):
    if answer.failed:
        key = next((error[1:] for error in ERRORS if answer.error & error[0]), (ABORTED, 0, 0))
        return Outcome(CHECK_CONDITION, sense(*key, status_return(answer, extended)), answer.data)
    if check:  # the caller wants the registers: ATA PASS-THROUGH INFORMATION AVAILABLE
        return Outcome(CHECK_CONDITION, sense(RECOVERED, 0x00, 0x1D, status_return(answer, extended)), answer.data)
    return Outcome(data=answer.data)


class Identity:
    """What SCSI answers need of IDENTIFY DEVICE (ACS-3 7.12.7)."""

    def __init__(self, page):
        self.page = page
        self.serial = self._text(10, 10)
        self.firmware = self._text(23, 4)
        self.model = self._text(27, 20)
        self.sectors = int.from_bytes(page[200:208], "little")

    def word(self, number):
        return struct.unpack_from("<H", self.page, 2 * number)[0]

    def _text(self, first, words):
        part = self.page[2 * first:2 * (first + words)]
        return bytes(part[at ^ 1] for at in range(len(part)))

    @property
    def readable(self):
        """The page with texts in their order, as HDIO_GET_IDENTITY has it."""
        texts = ((20, self.serial), (46, self.firmware), (54, self.model))
        page = bytearray(self.page)
        for at, text in texts:
            page[at:at + len(text)] = text
        return bytes(page)

    @property
    def world_wide_name(self):
        """8 bytes; none if the drive has none (word 87 bit 8)."""
        words = struct.pack(">4H", *(self.word(number) for number in range(108, 112)))
        return words if self.word(87) & 0x100 else b""

    @property
    def physical_exponent(self):
        return self.word(106) & 0xF if self.word(106) & 0xE000 == 0x6000 else 0


def vital_page(identity, page):
    """A page of vital product data without its header; None: there is no such page."""
    name = b"".join((b"ATA     ", identity.model, identity.serial))
    designators = bytes((0x02, 0x01, 0x00, len(name))) + name
    if identity.world_wide_name:
        designators += bytes((0x01, 0x03, 0x00, 8)) + identity.world_wide_name
    information = b"".join((bytes(4), b"SolidTLM", b"SAT             ", b"0000", b"\x34".ljust(20, b"\0"),
                            bytes((IDENTIFY_DEVICE, 0, 0, 0)), identity.page))
    rates = struct.pack(">HBB", identity.word(217), 0, identity.word(168) & 0xF).ljust(60, b"\0")
    return {0x00: bytes((0x00, 0x80, 0x83, 0x89, 0xB1)), 0x80: identity.serial, 0x83: designators, 0x89: information,
            0xB1: rates}.get(page)


class Target:
    """A SATA drive as a SCSI device."""

    def __init__(self, drive):
        self.drive = drive
        self.answers = {0x00: lambda cdb: Outcome(), 0x03: self._request_sense, 0x12: self._inquiry,
                        0x25: self._capacity_10, 0x9E: self._capacity_16, 0x2F: self._verify_10, 0x35: self._flush}

    def identity(self):
        return Identity(self.drive.execute(Task(IDENTIFY_DEVICE, expected=SECTOR)).data)

    def execute(self, cdb, data=b"", room=0):
        """`data` to the device, or at most `room` bytes from it."""
        cdb = cdb.ljust(16, b"\0")
        if cdb[0] not in (PASS_THROUGH_12, PASS_THROUGH_16):
            answer = self.answers.get(cdb[0])
            return answer(cdb) if answer else refuse()
        carried = pass_through(cdb)
        if carried is None:
            return refuse(0x24)
        task, extended, to_device, check = carried
        task = dataclasses.replace(task, data=data if to_device else b"", expected=0 if to_device else room)
        return outcome_of(self.drive.execute(task), extended, check)

    def _verify_10(self, cdb):
        lba, count = struct.unpack_from(">I1xH", cdb, 2)
        task = Task(READ_VERIFY_SECTORS_EXT, lba=lba, count=count)
        return outcome_of(self.drive.execute(task), True, False) if count else Outcome()

    def _flush(self, _):
        return outcome_of(self.drive.execute(Task(FLUSH_CACHE_EXT)), True, False)

    def _request_sense(self, _):
        return Outcome(data=sense(NO_SENSE, 0, 0))

    def _inquiry(self, cdb):
        identity = self.identity()
        if not cdb[1] & 1:
            revision = identity.firmware[4:] if identity.firmware[4:].strip() else identity.firmware[:4]
            text = b"ATA     " + identity.model[:16] + revision
            return Outcome(data=bytes((0x00, 0x00, 0x05, 0x02, 91, 0, 0, 0x02)) + text.ljust(88, b"\0"))
        body = vital_page(identity, cdb[2])
        return refuse(0x24) if body is None else Outcome(data=struct.pack(">BBH", 0, cdb[2], len(body)) + body)

    def _capacity_10(self, _):
        return Outcome(data=struct.pack(">II", min(self.identity().sectors - 1, 0xFFFFFFFF), SECTOR))

    def _capacity_16(self, cdb):
        if cdb[1] & 0x1F != 0x10:
            return refuse(0x24)
        identity = self.identity()
        return Outcome(data=struct.pack(">QIBB", identity.sectors - 1, SECTOR, 0, identity.physical_exponent).ljust(32, b"\0"))
