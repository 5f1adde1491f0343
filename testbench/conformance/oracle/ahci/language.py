# SPDX-License-Identifier: Apache-2.0
"""The statements of AHCI scripts (docs/ahci-oracle.md has the whole language)."""
import dataclasses
import pathlib
import re

from ..language import Language, Mistake, Number, limit_ns, nearest
from . import commands, registers

KEYS = [field.name for field in dataclasses.fields(commands.Command) if field.name not in ("slot", "opcode", "prds")]


def slots(text):
    """`3`, `0-31`, `0,4-7`; `none`."""
    found = []
    for part in text.split(",") if text != "none" else ():
        first, _, last = part.partition("-")
        if not first.isdigit() or not (last or first).isdigit() or int(last or first) >= registers.SLOTS:
            raise Mistake(f"{text!r} are no slots; allowed: as 3, 0-31 or 0,4-7")
        found += range(int(first), int(last or first) + 1)
    return found


class AhciLanguage(Language):
    USAGES = {
        **Language.USAGES,
        "fis": "fis d2h|pio-setup|dma-setup|sdb|unknown [RANGE...]",
        "command": "command SLOT OPERATION [KEY=VALUE...]",
        "issue": "issue SLOTS [queued]",
        "finish": "finish SLOTS [within TIME]",
        "prdbc": "prdbc SLOT [= BYTES]",
    }
    SEES = Language.SEES | {"fis", "finish", "prdbc"}

    def __init__(self):
        super().__init__(pathlib.Path(__file__).parent, registers)

    def parse_fis(self, words):
        kind, *ranges = words
        if kind not in registers.FISES:
            raise Mistake(f"no FIS {kind!r}" + nearest(kind, list(registers.FISES)))
        offset, length = registers.FISES[kind]
        return {"address": registers.RECEIVED_FIS + offset, "name": f"{kind} FIS",
                "ranges": self.ranges(ranges, length) or [(0, length - 1)]}

    def _prds(self, text):
        found = []
        for entry in filter(None, text.split(",")):
            place, colon, rest = entry.partition(":")
            length, _, flag = rest.partition(":")
            if not colon or flag not in ("", "i"):
                raise Mistake(f"{entry!r} is no PRD; allowed: ADDRESS:BYTES or ADDRESS:BYTES:i")
            found.append(commands.Prd(self.fixed(place), self.fixed(length), flag == "i"))
        if len(found) > registers.MOST_PRDS:
            raise Mistake(f"{len(found)} PRDs; a command table of this oracle has {registers.MOST_PRDS}")
        return tuple(found)

    def parse_command(self, words):
        slot, operation, *settings = words
        chosen = slots(slot)
        if len(chosen) != 1:
            raise Mistake("a command has one slot")
        if operation in commands.OPCODES:
            code = commands.OPCODES[operation].code
        elif re.fullmatch(r"0x[0-9a-fA-F]{1,2}", operation):
            code = int(operation, 0)
        else:
            raise Mistake(f"no command {operation!r}" + nearest(operation, list(commands.OPCODES)))
        lba, prds, values = Number(0), (), {}
        for setting in settings:
            key, equals, value = setting.partition("=")
            if not equals or key not in [*KEYS, "prd"]:
                raise Mistake(f"{setting!r}: no such setting" + nearest(key, [*KEYS, "prd"]))
            if key == "lba":
                lba = self.number(value)
            elif key == "prd":
                prds = self._prds(value)
            else:
                values[key] = self.fixed(value)
        return {"command": commands.Command(chosen[0], code, prds=prds, **values), "lba": lba}

    def parse_issue(self, words):
        chosen, *queued = words
        if queued not in ([], ["queued"]):
            raise Mistake(f"found {' '.join(queued)!r}; allowed: queued")
        return {"mask": sum(1 << slot for slot in slots(chosen)), "queued": bool(queued)}

    def parse_finish(self, words):
        chosen, *rest = words
        return {"mask": sum(1 << slot for slot in slots(chosen)), "limit_ns": limit_ns(rest)}

    def parse_prdbc(self, words):
        slot, *rest = words
        (chosen,) = slots(slot)
        if rest and (len(rest) != 2 or rest[0] != "="):
            raise Mistake("allowed: prdbc SLOT or prdbc SLOT = BYTES")
        return {"slot": chosen, "value": self.fixed(rest[1]) if rest else None}
