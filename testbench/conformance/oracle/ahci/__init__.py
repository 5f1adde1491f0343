# SPDX-License-Identifier: Apache-2.0
"""AHCI: this project's host bus adapter and QEMU's ich9-ahci (docs/ahci-oracle.md)."""
import pathlib

from ..drawing import Drawer
from ..interface import Interface
from . import controllers, draw, registers
from .language import AhciLanguage
from .runner import AhciRun

LANGUAGE = AhciLanguage()
INTERFACE = Interface(
    name="ahci", what="our AHCI host bus adapter and QEMU's", folder=pathlib.Path(__file__).parent, language=LANGUAGE,
    run=AhciRun, drawer=Drawer(LANGUAGE, draw.KINDS), qemu=controllers.Qemu, ours=controllers.Ours, program="tb_ahci",
    options=("--preset", "tiny"),
    # ACS-3 7.12.7: words 100 to 103 of IDENTIFY DEVICE.
    identify="call start\ncommand 0 identify-device prd=DATA:512\nissue 0\nfinish 0\n",
    capacity_at=registers.DATA + 200, drawn=240)
