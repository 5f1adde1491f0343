# SPDX-License-Identifier: Apache-2.0
"""Draws scripts. A script depends on the seed and its number alone."""
import random


class Drawer:
    """`kinds`: {name of a kind: (function of a Random and a script's name that gives its lines, weight)}."""

    def __init__(self, language, kinds):
        self.language = language
        self.kinds = kinds

    def script(self, seed, number):
        """The `number`th drawn Script of a seed."""
        rng = random.Random(f"{seed} {number}")
        kind = rng.choices(list(self.kinds), [weight for _, weight in self.kinds.values()])[0]
        name = f"drawn-{seed}-{number}-{kind}"
        return self.language.parse("\n".join(self.kinds[kind][0](rng, name)) + "\n", name)

    def scripts(self, seed, count):
        return [self.script(seed, number) for number in range(count)]
