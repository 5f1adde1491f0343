# SPDX-License-Identifier: Apache-2.0
"""The drives: 8 MiB, with names that only these tests give."""


def options(section, model):
    settings = {"ssd.capacity": "8MiB", f"{section}.model": model, f"{section}.serial": "SN12345678",
                f"{section}.firmware_revision": "FW1.0"}
    return tuple(word for key, value in settings.items() for word in ("--set", f"{key}={value}"))


ATA = {"ata": options("sata", "Conformance SATA")}
NVME = {"nvme": options("nvme", "Conformance NVMe")}
