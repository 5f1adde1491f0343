# SPDX-License-Identifier: Apache-2.0
"""smartd, which monitors drives: it checks both once."""
from ..tools import Case, Tool
from . import drives

CONFIGURATION = b"/dev/sda -d sat -a -S on\n/dev/nvme0 -d nvme -a\n"

TOOL = Tool("smartd", "smartmontools", ("smartd",), drives.ATA | drives.NVME, (
    Case("smartd -q onecheck -c smartd.conf -s '' -A ''", 0,
         "both drives are found, taken and checked; attributes are saved by the drive itself",
         (r"/dev/sda \[SAT\], Conformance SATA, S/N:SN12345678, WWN:5-\S+, FW:FIRM1\.05, 8\.38 MB",
          r"/dev/sda \[SAT\], enabled SMART Attribute Autosave\.",
          r'/dev/sda \[SAT\], is SMART capable\. Adding to "monitor" list\.',
          r"/dev/nvme0, Conformance NVMe, S/N:SN12345678, FW:FIRM1\.05",
          r'/dev/nvme0, is SMART capable\. Adding to "monitor" list\.',
          r"Monitoring 1 ATA/SATA, 0 SCSI/SAS and 1 NVMe devices", r"All devices successfully checked once\.")),
), {"smartd.conf": CONFIGURATION})
