# SPDX-License-Identifier: Apache-2.0
"""Mistakes in a study file: all are found at once, each with its line and the nearest valid name."""
import difflib


class Mistakes:
    """A list of messages, in the order of their lines."""

    def __init__(self, name, lines=None):
        self._name = name
        self._lines = lines
        self._found = []

    def add(self, path, text, value=None):
        """`path`: the place in the file, as a tuple of names; `value`: the value there, if the entry has
        several."""
        line = self._lines.of(path, value) if self._lines else 0
        entry = (line, text)
        if entry not in self._found:
            self._found.append(entry)

    def __bool__(self):
        return bool(self._found)

    def __iter__(self):
        for line, text in sorted(self._found, key=lambda entry: entry[0]):
            yield f"{self._name}:{line}: {text}" if line else f"{self._name}: {text}"


class StudyError(Exception):
    """A study that cannot be run. The text has one mistake per line."""

    def __init__(self, mistakes):
        self.mistakes = list(mistakes)
        super().__init__("\n".join(self.mistakes))


def did_you_mean(name, known):
    """Text to append to a message about an unknown name."""
    known = list(known)
    near = difflib.get_close_matches(name, known, 1, 0.6)
    if not near:  # a short name, or the end of a long one
        ends = {each.rsplit(".", 1)[-1]: each for each in known}
        near = [ends[each] for each in difflib.get_close_matches(name.rsplit(".", 1)[-1], ends, 1, 0.75)]
    return f"; did you mean {near[0]}?" if near else ""
