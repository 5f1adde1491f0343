# SPDX-License-Identifier: Apache-2.0
"""NVMe controllers: QEMU's, and this project's. Both transfer at most 128 KiB (MDTS 5) and have queues of 2048
entries."""
from .. import controllers
from . import registers


class Qemu(controllers.Qemu):
    DEVICE = ("-device", "nvme,drive=drive,serial=oracle,mdts=5,addr=4")
    SLOT = (4, 0)
    MEMORY_BYTES = registers.MEMORY_BYTES


class Ours(controllers.Ours):
    BAR_OPTION = "--bar"
