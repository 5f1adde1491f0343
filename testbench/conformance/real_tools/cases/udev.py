# SPDX-License-Identifier: Apache-2.0
"""udev's ata_id, which names what is below /dev/disk/by-id."""
from ..tools import Case, Tool
from . import drives

ATA_ID = "/usr/lib/udev/ata_id"

TOOL = Tool("udev", "udev", (ATA_ID,), drives.ATA, (
    Case(f"{ATA_ID} /dev/sda", 0, "model and serial number", (r"\AConformance_SATA_SN12345678\s*\Z",)),
    Case(f"{ATA_ID} --export /dev/sda", 0,
         "a disk behind SATA that does not rotate; write cache, SMART, power management, transfer rates; world wide name",
         (r"^ID_BUS=ata$", r"^ID_TYPE=disk$", r"^ID_MODEL=Conformance_SATA$", r"^ID_REVISION=FIRM1\.05$",
          r"^ID_SERIAL_SHORT=SN12345678$", r"^ID_ATA_WRITE_CACHE_ENABLED=1$", r"^ID_ATA_FEATURE_SET_SMART_ENABLED=1$",
          r"^ID_ATA_FEATURE_SET_PM=1$", r"^ID_ATA_SATA=1$", r"^ID_ATA_SATA_SIGNAL_RATE_GEN2=1$",
          r"^ID_ATA_ROTATION_RATE_RPM=0$", r"^ID_WWN=0x5[0-9a-f]{15}$")),
))
