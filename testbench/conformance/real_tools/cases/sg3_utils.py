# SPDX-License-Identifier: Apache-2.0
"""sg3-utils: what it finds by SCSI commands, which the host's kernel translates, and ATA commands that it carries."""
from ..tools import Case, Tool
from . import drives

IDENTIFY = "85 08 0e 00 00 00 01 00 00 00 00 00 00 00 ec 00"
SET_MULTIPLE = "85 06 00 00 00 00 08 00 00 00 00 00 00 00 c6 00"
READ_MULTIPLE = "85 09 0e 00 00 00 08 00 64 00 00 00 00 40 29 00"  # PIO, 8 sectors at 100
WRITE_SECTORS = "85 0b 06 00 00 00 08 00 64 00 00 00 00 40 34 00"
BEYOND = "85 0d 0e 00 00 00 01 00 00 00 40 00 00 40 25 00"  # READ DMA EXT at 4000h

TOOL = Tool("sg3_utils", "sg3-utils", ("sg_raw", "sg_sat_identify"), drives.ATA, (
    Case("sg_turs /dev/sda", 0, "ready"),
    Case("sg_inq /dev/sda", 0, "vendor ATA, model, firmware, serial number",
         (r"Vendor identification: ATA", r"Product identification: Conformance SATA", r"Product revision level: 1\.05$",
          r"Unit serial number:\s+SN12345678")),
    Case("sg_readcap --long /dev/sda", 0, "16,384 sectors of 512 bytes, 8 in a physical one",
         (r"Last LBA=16383 ", r"Logical block length=512 bytes", r"Logical blocks per physical block exponent=3",
          r"Device size: 8388608 bytes")),
    Case("sg_vpd --page=di /dev/sda", 0, "model and serial number", (r"Conformance SATA\s+SN12345678",)),
    Case("sg_vpd --page=bdc /dev/sda", 0, "does not rotate", (r"Non-rotating medium",)),
    Case("sg_vpd --page=ai /dev/sda", 0, "IDENTIFY DEVICE in a SCSI page",
         (r"model: Conformance SATA", r"serial number: SN12345678", r"firmware revision: FIRM1\.05")),
    Case("sg_sat_identify --hex --hex /dev/sda", 0, "IDENTIFY DEVICE, with signature A5h", (r"^ f8 .* ..a5\b|^ ?1f0 .* a5 ..",)),
    Case("sg_sat_read_gplog --log=0 /dev/sda", 0, "the directory of logs: version 1; device statistics have pages",
         (r"^ 00 +0001 ", )),
    Case("sg_sat_read_gplog --log=0x30 --page=1 /dev/sda", 0, "IDENTIFY DEVICE again: words 23 to 26 are the firmware's",
         (r"^ 10 +(0000 |2020 |\S{4} ){7}4649 ", r"^ 18 +524d 312e 3035 ")),
    Case("sg_sat_read_gplog --log=0x30 --page=2 /dev/sda", 11, "a page that the log does not have: aborted", (r"Aborted command",)),
    Case("sg_sat_phy_event /dev/sda", 0, "counters of the Phy: a COMRESET, no CRC error",
         (r"ICRC error bit set in Error register: 0$", r"FISes due to COMRESET: 1$")),
    Case("sg_sat_set_features --feature=0x82 /dev/sda", 0, "write cache off"),
    Case(f"sg_raw -r 512 -o page /dev/sda {IDENTIFY} && od -An -tx2 -j170 -N2 page", 0, "word 85 says so: bit 5 is 0",
         (r"^ ..[4-9a-f]?[0189cd].$|^ ..[0145..]",)),
    Case("sg_sat_set_features --feature=0x02 /dev/sda", 0, "on again"),
    Case(drives.WRITE_8, 0, "WRITE DMA EXT of 8 sectors", (r"SCSI Status: Good",)),
    Case(f"{drives.READ_8} && cmp got pattern", 0, "they come back", (r"SCSI Status: Good",)),
    Case(f"sg_raw /dev/sda {SET_MULTIPLE}", 0, "SET MULTIPLE MODE: 8 sectors in a block", (r"SCSI Status: Good",)),
    Case(f"sg_raw -r 4096 -o got /dev/sda {READ_MULTIPLE} && cmp got pattern", 0, "READ MULTIPLE EXT"),
    Case(f"sg_raw -s 4096 -i other /dev/sda {WRITE_SECTORS} && {drives.READ_8} && cmp got other", 0,
         "WRITE SECTORS EXT, and what READ DMA EXT finds"),
    Case("sg_sync /dev/sda", 0, "FLUSH CACHE EXT"),
    Case("sg_verify --lba=100 --count=8 /dev/sda", 0, "READ VERIFY SECTORS EXT"),
    Case(f"sg_raw -r 512 /dev/sda {BEYOND}", 22, "behind the last sector: ID NOT FOUND",
         (r"Logical block address out of range",)),
), {"pattern": drives.PATTERN, "other": drives.PATTERN[::-1]})
