# SPDX-License-Identifier: Apache-2.0
"""The tools, each with its commands."""
from . import hdparm, nvme_cli, sg3_utils, smartctl, smartd, udev

TOOLS = (smartctl.TOOL, smartd.TOOL, hdparm.TOOL, sg3_utils.TOOL, udev.TOOL, nvme_cli.TOOL)
