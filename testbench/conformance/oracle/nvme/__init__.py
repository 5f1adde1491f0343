# SPDX-License-Identifier: Apache-2.0
"""NVMe: this project's controller and QEMU's (docs/nvme-oracle.md)."""
import pathlib

from ..drawing import Drawer
from ..interface import Interface
from . import controllers, draw, registers
from .language import NvmeLanguage
from .runner import NvmeRun

LANGUAGE = NvmeLanguage()
INTERFACE = Interface(
    name="nvme", what="our NVMe controller and QEMU's", folder=pathlib.Path(__file__).parent, language=LANGUAGE,
    run=NvmeRun, drawer=Drawer(LANGUAGE, draw.KINDS), qemu=controllers.Qemu, ours=controllers.Ours, program="tb_nvme",
    options=("--preset", "tiny", "--set", "nvme.queue_entries=2048"),
    # NSZE, the first 8 bytes of Identify Namespace.
    identify="call enable\nask 0 identify cns=0 nsid=1 data=DATA:4K = 0\n", capacity_at=registers.DATA, drawn=240)
