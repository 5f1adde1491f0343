# SPDX-License-Identifier: Apache-2.0
"""smartctl. Bits of its exit code: 4, a command failed; 64, the error log has entries."""
from ..tools import Case, Pass, Tool
from . import drives

PASSED = r"SMART overall-health self-assessment test result: PASSED"


def attribute(number, raw):
    return rf"^ *{number} \S+ +0x\S+ +100 +100 +\S+ +\S+ +Always +- +{raw}\b"


def statistic(name, value):
    return rf"^0x\S+ +0x\S+ +\d +{value} +--- +{name}$"


ATA = (
    Case("smartctl -i /dev/sda", 0, "found to be SATA; names, capacity, sector sizes, form factor, TRIM",
         (r"^Device Model:     Conformance SATA$", r"^Serial Number:    SN12345678$", r"^LU WWN Device Id: 5 [0-9a-f]{6} [0-9a-f]{9}$",
          r"^Firmware Version: FIRM1\.05$",
          r"^User Capacity:    8,388,608 bytes", r"^Sector Sizes:     512 bytes logical, 4096 bytes physical$",
          r"^Rotation Rate:    Solid State Device$", r"^Form Factor:      2\.5 inches$", r"^TRIM Command:     Available, deterministic, zeroed$",
          r"^SATA Version is:  SATA 3\.\d, 6\.0 Gb/s \(current: 6\.0 Gb/s\)$", r"^SMART support is: Enabled$")),
    Case("smartctl -s off /dev/sda && smartctl -i /dev/sda", 0, "SMART off", (r"^SMART support is: Disabled$",)),
    Case("smartctl -s on -S on /dev/sda", 0, "SMART on, attributes are saved by themselves",
         (r"^SMART Enabled\.$", r"^SMART Attribute Autosave Enabled\.$")),
    Case("smartctl -H /dev/sda", 0, "passed", (PASSED,)),
    Case(f"for i in $(seq 20); do {drives.WRITE_8} || exit; done", 0, "20 writes of 8 sectors"),
    Case(f"for i in $(seq 11); do {drives.READ_8} || exit; done", 0, "11 reads of 8 sectors"),
    Case("smartctl -A /dev/sda", 0, "attributes: 160 sectors written, 88 read, nothing retired, no error",
         (attribute(5, 0), attribute(187, 0), attribute(241, 160), attribute(242, 88))),
    Case("smartctl -l devstat /dev/sda", 0, "device statistics: the same, in 20 and 11 commands",
         (statistic("Logical Sectors Written", 160), statistic("Number of Write Commands", 20),
          statistic("Logical Sectors Read", 88), statistic("Number of Read Commands", 11),
          statistic("Number of Reported Uncorrectable Errors", 0))),
    Case("smartctl -c /dev/sda", 0, "capabilities", (r"^SMART capabilities: ",)),
    Case("smartctl -a /dev/sda", 0, "everything that SMART has", (PASSED, r"^No Errors Logged$")),
    Case("smartctl -l scttempsts /dev/sda", 0, "SCT status: 40 °C",
         (r"^Device State: +Active \(0\)$", r"^Current Temperature: +40 Celsius$")),
    Case("smartctl -x /dev/sda", 4, "and what logs have; 4: it asks for SCT commands that are not announced",
         (PASSED, r"^No Errors Logged$", r"^Current Temperature: +40 Celsius$", r"^SCT Data Table command not supported$",
          r"\A(?s:(?! failed:).)*\Z")),
    Case("smartctl -t short /dev/sda", 0, "a self-test begins", (r"Testing has begun\.",)),
    Pass(120),
    Case("smartctl -l selftest /dev/sda", 0, "two minutes later it has ended",
         (r"^# 1  Short offline +Completed without error +00% ",)),
    Case("hdparm --yes-i-know-what-i-am-doing --make-bad-sector 100 /dev/sda > said; ! hdparm --read-sector 100 /dev/sda", 0,
         "a sector that cannot be read"),
    Case("smartctl -l error /dev/sda", 64, "the read in the error log; 64: there are errors in it",
         (r"^ATA Error Count: 1$", r"Error: UNC", r"LBA = 0x00000064 = 100$")),
    Case("smartctl -H /dev/sda", 0, "still passed", (PASSED,)),
)

NVME = (
    Case("smartctl -i /dev/nvme0", 0, "model, serial number, firmware, version",
         (r"^Model Number: +Conformance NVMe$", r"^Serial Number: +SN12345678$", r"^Firmware Version: +FIRM1\.05$",
          r"^NVMe Version: +1\.4$")),
    Case("smartctl -H /dev/nvme0n1", 0, "passed", (PASSED,)),
    Case("smartctl -A /dev/nvme0", 0, "40 °C, spare 100 %, nothing written",
         (r"^Critical Warning: +0x00$", r"^Temperature: +40 Celsius$", r"^Available Spare: +100%$", r"^Percentage Used: +0%$",
          r"^Data Units Written: +0$", r"^Media and Data Integrity Errors: +0$")),
    Case("smartctl -l error /dev/nvme0", 0, "empty", (r"^No Errors Logged$",)),
    Case("smartctl -x /dev/nvme0n1", 0, "size and utilisation, and no promise of thin provisioning; thresholds of 70 and 85 °C",
         (PASSED, r"^Namespace 1 Size/Capacity: +8,388,608 ", r"^Namespace 1 Formatted LBA Size: +512$",
          r"^Warning  Comp\. Temp\. Threshold: +70 Celsius$", r"^Critical Comp\. Temp\. Threshold: +85 Celsius$",
          r"\A(?s:(?!Thin_Prov).)*\Z")),
)

TOOL = Tool("smartctl", "smartmontools", ("smartctl", "sg_raw", "hdparm"), drives.ATA | drives.NVME, ATA + NVME,
            {"pattern": drives.PATTERN})
