# SPDX-License-Identifier: Apache-2.0
"""Runs the statements of NVMe scripts, as a driver with queues in memory that knows which commands are
outstanding."""
import dataclasses
import struct

from .. import runner
from ..language import DEFAULT_LIMIT_NS
from . import commands, registers

CODE = 0x7FF  # status code and its type
DNR = 14      # bit of the status


@dataclasses.dataclass
class Submission:
    entries: int
    completion: int  # its completion queue
    tail: int = 0


@dataclasses.dataclass
class Completion:
    entries: int
    head: int = 0
    phase: int = 1


@dataclasses.dataclass(frozen=True)
class Answer:
    result: int
    head: int
    queue: int
    cid: int
    status: int


class NvmeRun(runner.Run):
    def __init__(self, controller):
        super().__init__(controller)
        self.submissions = {}
        self.completions = {}
        self.outstanding = {}  # (queue, cid): operation
        self.commands = 0

    def do_pair(self, queue, entries, shared):
        completion = queue if shared is None else shared
        self.submissions[queue] = Submission(entries, completion)
        self.controller.write(registers.submission(queue), bytes(entries * registers.SQE_BYTES))
        if shared is None:
            self.completions[queue] = Completion(entries)
            self.controller.write(registers.completion(queue), bytes(entries * registers.CQE_BYTES))
        self.outstanding = {key: one for key, one in self.outstanding.items() if key[0] != queue and queue != 0}

    def do_pages(self, address, pages):
        self.controller.write(address, struct.pack(f"<{len(pages)}Q", *pages))

    def _defaults(self, command):
        """Values that a careful driver gives when it creates a queue described by `pair`: (fields, PRP1)."""
        queue = command.fields.get("qid", 0)
        pair = self.submissions.get(queue)
        if not command.admin or pair is None:
            return {}, 0
        if command.operation == "create-sq":
            return {"size": pair.entries, "pc": 1, "cqid": pair.completion}, registers.submission(queue)
        if command.operation == "create-cq":
            return {"size": pair.entries, "pc": 1, "ien": 1}, registers.completion(queue)
        return {}, 0

    def do_command(self, queue, lba, command):
        pair = self.submissions[queue]
        self.commands += 1
        cid = command.plain.get("cid", self.commands)
        defaults, prp1 = self._defaults(command)
        place = command.plain.get("list", registers.LISTS + self.commands % registers.LIST_COUNT * registers.LIST_BYTES)
        prps, lists = commands.prps(command.pages or (prp1,), place)
        for address, data in lists:
            self.controller.write(address, data)
        entry = command.entry(cid, prps, command.dwords(lba.value(self.controller.sectors), defaults))
        self.controller.write(registers.submission(queue) + pair.tail * registers.SQE_BYTES, entry)
        pair.tail = (pair.tail + 1) % pair.entries
        self.outstanding[queue, cid] = command.operation

    def do_ring(self, queue):
        self.controller.write_register(registers.tail_doorbell(queue), self.submissions[queue].tail)

    def _peek(self, queue):
        """The next Answer of a completion queue, or None."""
        completions = self.completions[queue]
        address = registers.completion(queue) + completions.head * registers.CQE_BYTES
        result, _, head, submission, cid, status = struct.unpack("<IIHHHH", self.controller.read(address, 16))
        return Answer(result, head, submission, cid, status >> 1) if status & 1 == completions.phase else None

    def take(self, queue, limit_ns):
        """The next Answer of a completion queue, None after `limit_ns`."""
        if not self.controller.wait_until(lambda: self._peek(queue) is not None, limit_ns):
            return None
        answer, completions = self._peek(queue), self.completions[queue]
        completions.head = (completions.head + 1) % completions.entries
        completions.phase ^= completions.head == 0
        self.controller.write_register(registers.head_doorbell(queue), completions.head)
        return answer

    def do_finish(self, queue, count, status, limit_ns):
        """Commands end in any order; they are observed in the order of their queues and identifiers."""
        answers = []
        while len(answers) < count and (answer := self.take(queue, limit_ns)) is not None:
            answers.append(answer)
        for answer in sorted(answers, key=lambda one: (one.queue, one.cid)):
            name = self.outstanding.pop((answer.queue, answer.cid), "unknown command")
            self.see(f"{name} status", answer.status & CODE, status)
            self.see(f"{name} DNR", answer.status >> DNR & 1)
            self.see(f"{name} result", answer.result)
        for _ in range(count - len(answers)):
            for what in ("status", "DNR", "result"):
                self.see(f"missing {what}", None, status if what == "status" else None)
        self.see("SQHD", self._head(answers) if len(answers) == count else None)

    def _head(self, answers):
        """The head of the submission queue, if the queue exists and all its commands have ended."""
        queues = {answer.queue for answer in answers}
        if len(queues) != 1 or any(key[0] in queues for key in self.outstanding):
            return None
        return answers[-1].head

    def do_ask(self, queue, lba, command, status):
        self.do_command(queue, lba, command)
        self.do_ring(queue)
        self.do_finish(self.submissions[queue].completion, 1, status, DEFAULT_LIMIT_NS)

    def do_silent(self, queue, limit_ns):
        self.see("completion", self.controller.wait_until(lambda: self._peek(queue) is not None, limit_ns), False)
