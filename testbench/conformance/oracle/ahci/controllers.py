# SPDX-License-Identifier: Apache-2.0
"""AHCI host bus adapters: QEMU's ich9-ahci, and this project's. Port 0 has a drive."""
from .. import controllers
from . import registers


class Qemu(controllers.Qemu):
    DEVICE = ("-device", "ide-hd,drive=drive,bus=ide.0")
    SLOT = (31, 2)
    BAR = 0x24  # BAR 5
    MEMORY_BYTES = registers.MEMORY_BYTES


class Ours(controllers.Ours):
    BAR_OPTION = "--abar"
