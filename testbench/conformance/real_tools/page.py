# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/real-tools.md: between `<!-- TOOL -->` and `<!-- end -->`."""
import re

from . import tools
from .cases import TOOLS


def updated(text):
    """The page with today's tables. Raises a ValueError if it has no place for a tool's."""
    for tool in TOOLS:
        table = "\n".join(["", *tools.table(tool), ""])
        text, found = re.subn(f"(<!-- {tool.name} -->\n).*?(<!-- end -->)",
                              lambda match: match[1] + table + "\n" + match[2], text, flags=re.DOTALL)
        if found != 1:
            raise ValueError(f"found {found} places for the table of {tool.name}")
    return text
