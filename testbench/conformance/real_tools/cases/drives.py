# SPDX-License-Identifier: Apache-2.0
"""The drives: 8 MiB, with names that only these tests give; and commands that several tools need."""


def options(section, model):
    settings = {"ssd.capacity": "8MiB", f"{section}.model": model, f"{section}.serial": "SN12345678",
                f"{section}.firmware_revision": "FIRM1.05"}
    return tuple(word for key, value in settings.items() for word in ("--set", f"{key}={value}"))


ATA = {"ata": options("sata", "Conformance SATA")}
NVME = {"nvme": options("nvme", "Conformance NVMe")}

PATTERN = bytes(range(256)) * 16
# WRITE DMA EXT and READ DMA EXT by ATA PASS-THROUGH: 8 sectors at 100, of the file `pattern`.
WRITE_8 = "sg_raw -s 4096 -i pattern /dev/sda 85 0d 06 00 00 00 08 00 64 00 00 00 00 40 35 00"
READ_8 = "sg_raw -r 4096 -o got /dev/sda 85 0d 0e 00 00 00 08 00 64 00 00 00 00 40 25 00"
