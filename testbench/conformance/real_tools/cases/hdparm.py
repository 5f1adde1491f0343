# SPDX-License-Identifier: Apache-2.0
"""hdparm."""
from ..tools import Case, Pass, Tool
from . import drives

SURE = "hdparm --yes-i-know-what-i-am-doing"
STANDBY = (r"drive state is:  standby$",)
ACTIVE = (r"drive state is:  active/idle$",)
ZEROES = r"^(0000 ){7}0000$"

IDENTIFICATION = (
    Case("hdparm -I /dev/sda", 0, "names, capacity, sector sizes, form factor, 32 tags, TRIM; the checksum",
         (r"Model Number:\s+Conformance SATA\s*$", r"Serial Number:\s+SN12345678\s*$", r"Firmware Revision:\s+FIRM1\.05\s*$",
          r"LBA48  user addressable sectors:\s+16384$", r"Logical  Sector size:\s+512 bytes",
          r"Physical Sector size:\s+4096 bytes", r"Queue depth: 32", r"Nominal Media Rotation Rate: Solid State Device",
          r"\*\tGen3 signaling speed \(6\.0Gb/s\)", r"\*\tNative Command Queueing \(NCQ\)",
          r"\*\tData Set Management TRIM supported \(limit 8 blocks\)", r"\*\tDeterministic read ZEROs after TRIM",
          r"\*\tSMART feature set", r"\*\tSMART error logging",
          r"\*\tSMART self-test", r"Form Factor: 2\.5 inch", r"R/W multiple sector transfer: Max = 16\tCurrent = 16",
          r"Logical Unit WWN Device Identifier: 5[0-9a-f]{15}$", r"\*\tPower Management feature set", r"Checksum: correct")),
    Case("hdparm --Istdout /dev/sda > words && hdparm --Istdin < words", 0, "the same, from its text",
         (r"Model Number:\s+Conformance SATA\s*$", r"Checksum: correct")),
    Case("hdparm -i /dev/sda", 0, "model and serial number as the kernel has them",
         (r"Model=Conformance SATA, FwRev=FIRM1\.05, SerialNo=SN12345678$", r"LBAsects=16384$")),
    Case("hdparm -g /dev/sda", 0, "size from the block device", (r"sectors = 16384, start = 0",)),
    Case("hdparm -m /dev/sda", 0, "16 sectors in a block of READ MULTIPLE", (r"multcount     = 16 \(on\)",)),
    Case("hdparm -B /dev/sda", 0, "no advanced power management", (r"APM_level\s+= not supported",)),
    Case("hdparm -B 128 /dev/sda", 5, "so that it cannot be set", (r"HDIO_DRIVE_CMD failed: Input/output error",)),
)

CACHE = (
    Case("hdparm -W /dev/sda", 0, "write cache on", (r"write-caching =  1 \(on\)",)),
    Case("hdparm -W 0 /dev/sda", 0, "off", (r"write-caching =  0 \(off\)",)),
    Case("hdparm -W 1 /dev/sda", 0, "on again", (r"write-caching =  1 \(on\)",)),
    Case("hdparm -F /dev/sda", 0, "FLUSH CACHE EXT"),
)

POWER = (
    Case("hdparm -C /dev/sda", 0, "active", ACTIVE),
    Case("hdparm -y /dev/sda", 0, "STANDBY IMMEDIATE", (r"issuing standby command",)),
    Case("hdparm -C /dev/sda", 0, "standby", STANDBY),
    Case("hdparm --idle-immediate /dev/sda", 0, "IDLE IMMEDIATE", (r"issuing idle_immediate command",)),
    Case("hdparm -C /dev/sda", 0, "idle", (r"drive state is:  (active/idle|idle)",)),
    Case("hdparm -S 12 /dev/sda", 0, "standby after a minute", (r"setting standby to 12 \(1 minute\)",)),
    Pass(55),
    Case("hdparm -C /dev/sda", 0, "after 55 s not yet", (r"drive state is:  (active/idle|idle)",)),
    Pass(61),
    Case("hdparm -C /dev/sda", 0, "after another 61 s: in standby", STANDBY),
    Case("hdparm -S 0 /dev/sda", 0, "no timer", (r"setting standby to 0 \(off\)",)),
    Case("hdparm -Y /dev/sda", 0, "SLEEP", (r"issuing sleep command",)),
)

SECTORS = (
    Case("hdparm --read-sector 100 /dev/sda", 0, "zeroes", (r"reading sector 100: succeeded", ZEROES)),
    Case(f"{SURE} --make-bad-sector 100 /dev/sda", 0, "a pseudo-uncorrectable sector",
         (r"Corrupting sector 100 \(WRITE_UNC_EXT as pseudo\): succeeded",)),
    Case("hdparm --read-sector 100 /dev/sda", 5, "it cannot be read", (r"reading sector 100: (FAILED|SG_IO: bad)",)),
    Case("hdparm --read-sector 101 /dev/sda", 0, "its neighbour can", (r"reading sector 101: succeeded",)),
    Case(f"{SURE} --repair-sector 100 /dev/sda", 0, "writes zeroes", (r"re-writing sector 100: succeeded",)),
    Case("hdparm --read-sector 100 /dev/sda", 0, "it can be read again", (r"reading sector 100: succeeded", ZEROES)),
    Case("hdparm --please-destroy-my-drive --trim-sector-ranges 8:8 1024:64 /dev/sda", 0, "two ranges, 72 sectors",
         (r"trimming 72 sectors from 2 ranges\nsucceeded",)),
)

TOOL = Tool("hdparm", "hdparm", ("hdparm",), drives.ATA, IDENTIFICATION + CACHE + SECTORS + POWER)
