# SPDX-License-Identifier: Apache-2.0
"""The statements of NVMe scripts (docs/nvme-oracle.md has the whole language)."""
import pathlib
import re

from ..language import Language, Mistake, Number, limit_ns, nearest, time_ns
from . import commands, registers


class NvmeLanguage(Language):
    USAGES = {
        **Language.USAGES,
        "pair": "pair QUEUE ENTRIES [cq=QUEUE]",
        "pages": "pages ADDRESS ADDRESS...",
        "command": "command QUEUE OPERATION [KEY=VALUE...]",
        "ring": "ring QUEUE",
        "finish": "finish QUEUE [COUNT] [= STATUS] [within TIME]",
        "ask": "ask QUEUE OPERATION [KEY=VALUE...] [= STATUS]",
        "silent": "silent QUEUE TIME",
    }
    SEES = Language.SEES | {"finish", "ask", "silent"}

    def __init__(self):
        super().__init__(pathlib.Path(__file__).parent, registers)

    def _queue(self, text):
        queue = self.fixed(text)
        if queue >= registers.PAIRS:
            raise Mistake(f"no queue {text}; allowed: 0-{registers.PAIRS - 1}")
        return queue

    def parse_pair(self, words):
        queue, entries, *rest = words
        shared = None
        if rest:
            (setting,) = rest
            key, _, value = setting.partition("=")
            if key != "cq":
                raise Mistake(f"{setting!r}: no such setting; allowed: cq")
            shared = self._queue(value)
        count = self.fixed(entries)
        if not 2 <= count <= registers.MOST_ENTRIES:
            raise Mistake(f"found {entries} entries; allowed: 2-{registers.MOST_ENTRIES}")
        return {"queue": self._queue(queue), "entries": count, "shared": shared}

    def parse_pages(self, words):
        address, first, *others = words
        return {"address": self.fixed(address), "pages": [self.fixed(word) for word in (first, *others)]}

    def _command(self, queue, operation, settings):
        known = commands.IO if queue else commands.ADMIN
        if operation in known:
            opcode = known[operation]
        elif re.fullmatch(r"0x[0-9a-fA-F]{1,2}", operation):
            opcode = int(operation, 0)
        else:
            raise Mistake(f"no command {operation!r}" + nearest(operation, list(known)))
        lba, log_bytes, pages, fields, plain = Number(0), None, (), {}, {}
        for setting in settings:
            key, equals, value = setting.partition("=")
            if not equals or key not in commands.KEYS:
                raise Mistake(f"{setting!r}: no such setting" + nearest(key, list(commands.KEYS)))
            if key == "lba":
                lba = self.number(value)
            elif key == "bytes":
                log_bytes = self.fixed(value)
            elif key == "data":
                place, _, length = value.partition(":")
                pages = commands.consecutive(self.fixed(place), self.fixed(length))
            elif key == "prp":
                pages = tuple(self.fixed(page) for page in value.split(","))
            else:
                (fields if key in commands.FIELDS else plain)[key] = self.fixed(value)
        return {"queue": queue, "lba": lba,
                "command": commands.Command(operation, opcode, queue == 0, fields, plain, log_bytes, pages)}

    def parse_command(self, words):
        queue, operation, *settings = words
        return self._command(self._queue(queue), operation, settings)

    def parse_ring(self, words):
        (queue,) = words
        return {"queue": self._queue(queue)}

    def parse_finish(self, words):
        queue, *rest = words
        count, status = 1, None
        if rest and rest[0] not in ("=", "within"):
            count, rest = self.fixed(rest[0]), rest[1:]
        if rest[:1] == ["="] and len(rest) > 1:
            status, rest = self.fixed(rest[1]), rest[2:]
        return {"queue": self._queue(queue), "count": count, "status": status, "limit_ns": limit_ns(rest)}

    def parse_ask(self, words):
        queue, operation, *settings = words
        status = None
        if settings[-2:-1] == ["="]:
            status, settings = self.fixed(settings[-1]), settings[:-2]
        return {**self._command(self._queue(queue), operation, settings), "status": status}

    def parse_silent(self, words):
        queue, time = words
        return {"queue": self._queue(queue), "limit_ns": time_ns(time)}
