# SPDX-License-Identifier: Apache-2.0
"""Draws scripts. A script depends only on the seed and its number.

The drive is cut into zones of ZONE sectors. Commands that are outstanding together have a zone each, so that the
order in which a drive does them is of no consequence; later ones find what earlier ones wrote.
"""
import random

ZONE = 256
SECTOR = 512
GAP_BYTE = 0xEE


class Drawing:
    """A script under construction."""

    def __init__(self, rng, title):
        self.rng = rng
        self.lines = [f"# {title}"]
        self.patterns = rng.randrange(1 << 20)

    def add(self, *lines):
        self.lines += lines

    def fill(self, place, length, write):
        """The memory of a transfer: for a write a pattern of its own, for a read a pattern that the read must
        replace."""
        if write:
            self.patterns += 1
            self.add(f"fill {place:#x} {length} pattern {self.patterns}")
        else:
            self.add(f"fill {place:#x} {length} byte {GAP_BYTE}")

    def memories(self, buffers):
        self.add(*(f"memory {place:#x} {length}" for place, length in buffers))

    def within(self, zone, sizes):
        """A range in a zone: (sectors, lba)."""
        sectors = self.rng.choice(sizes)
        return sectors, zone * ZONE + self.rng.randrange(ZONE - sectors + 1)


def beyond(rng, sizes):
    """A range with at least one sector beyond the end: (lba, count)."""
    count = rng.choice(sizes)
    return f"END-{rng.randrange(count)}" if rng.random() < 0.7 else f"END+{rng.randrange(1 << 20)}", count


class Drawer:
    """`kinds`: {name of a kind: (function of a Random and a script's name that returns its lines, weight)}."""

    def __init__(self, language, kinds):
        self.language = language
        self.kinds = kinds

    def script(self, seed, number):
        """Script number `number` of a seed."""
        rng = random.Random(f"{seed} {number}")
        kind = rng.choices(list(self.kinds), [weight for _, weight in self.kinds.values()])[0]
        name = f"drawn-{seed}-{number}-{kind}"
        return self.language.parse("\n".join(self.kinds[kind][0](rng, name)) + "\n", name)

    def scripts(self, seed, count):
        return [self.script(seed, number) for number in range(count)]
