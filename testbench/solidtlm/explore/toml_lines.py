# SPDX-License-Identifier: Apache-2.0
"""Finds the line of an entry in a TOML file. tomllib reads files but does not report lines."""
import re

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""^\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*=""")
_PART = re.compile(r""""([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+)""")


def _parts(text):
    """The names of a dotted key. A quoted name with dots counts as several."""
    return tuple(name for match in _PART.finditer(text) for name in (match[1] or match[2] or match[3] or "").split("."))


def _plain(path):
    return tuple(part for each in path for part in (each.split(".") if isinstance(each, str) else (each,)))


def _depth(text):
    """How many more brackets a line opens than it closes, outside strings."""
    bare = re.sub(r"\"(\\.|[^\"\\])*\"|'[^']*'|#.*$", "", text)
    return sum(bare.count(each) for each in "[{") - sum(bare.count(each) for each in "]}")


class Lines:
    """Lines of tables and keys. A path is a tuple of names and, in an array of tables, numbers."""

    def __init__(self, text):
        self._text = text.splitlines()
        self._places = {(): 0}
        self._ends = {}
        counts = {}
        table = ()
        open_key, depth = None, 0
        for number, line in enumerate(self._text, 1):
            if depth > 0:
                depth += _depth(line)
                self._ends[open_key] = number
                continue
            header = _HEADER.match(line)
            key = None if header else _KEY.match(line)
            if header:
                table = _parts(header[2])
                if header[1] == "[[":
                    counts[table] = counts.get(table, -1) + 1
                    table += (counts[table],)
                self._note(table, number)
            elif key:
                open_key = table + _parts(key[1])
                self._note(open_key, number)
                depth = _depth(line[key.end():])

    def _note(self, path, number):
        for length in range(1, len(path) + 1):
            self._places.setdefault(path[:length], number)
        self._ends[path] = number

    def of(self, path, value=None):
        """The line of `path`, or of the entry that contains it; the line of `value` if the entry has several
        lines."""
        path = _plain(path)
        while path not in self._places:
            path = path[:-1]
        begin = self._places[path]
        if value is not None:
            for number in range(begin, self._ends.get(path, begin) + 1):
                if number and str(value) in self._text[number - 1]:
                    return number
        return begin
