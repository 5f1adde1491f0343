# SPDX-License-Identifier: Apache-2.0
"""Register scripts: one statement per line. What all interfaces have in common; each adds its own statements.

Language.parse() gives a Script of Statements with all numbers worked out but END, the drive's sectors, which differs
between controllers: numbers are Numbers with a value(sectors). Mistakes are collected; ScriptError has all of them.
"""
import dataclasses
import difflib
import pathlib
import re

SIZES = {"K": 1 << 10, "M": 1 << 20}
TIMES_NS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
DEEPEST_CALL = 4
DEFAULT_LIMIT_NS = 1_000_000_000
MOST_BYTES = 1 << 20  # of `words` and `bytes`, from their address on


class ScriptError(Exception):
    """Mistakes in a script, one per line, as `file:line: what`."""


class Mistake(Exception):
    """A mistake in one statement."""


@dataclasses.dataclass(frozen=True)
class Number:
    """A number; if `from_end`, relative to the drive's number of sectors."""
    offset: int
    from_end: bool = False

    def value(self, sectors):
        return self.offset + (sectors if self.from_end else 0)


@dataclasses.dataclass(frozen=True)
class Statement:
    place: str   # file:line
    text: str
    verb: str
    operands: dict


@dataclasses.dataclass(frozen=True)
class Script:
    name: str
    title: str
    text: str
    statements: tuple


def nearest(word, known):
    near = difflib.get_close_matches(word, known, 1)
    return f"; the nearest known one is {near[0]}" if near else f"; allowed: {', '.join(known)}"


def time_ns(text):
    match = re.fullmatch(r"(\d+)(ns|us|ms|s)", text)
    if not match:
        raise Mistake(f"{text!r} is no time; allowed: a whole number with ns, us, ms or s")
    return int(match[1]) * TIMES_NS[match[2]]


def limit_ns(rest):
    if not rest:
        return DEFAULT_LIMIT_NS
    if len(rest) != 2 or rest[0] != "within":
        raise Mistake(f"found {' '.join(rest)!r}; allowed: within TIME")
    return time_ns(rest[1])


class Language:
    """`registers` is the interface's module with BITS, PLACES, register_offset() and register_names(); `folder` has
    its `procedures`. A derived language has a method parse_VERB(words) for each of its own statements."""

    USAGES = {
        "read": "read REGISTER [& MASK] [= VALUE]",
        "write": "write REGISTER VALUE",
        "set": "set REGISTER BITS",
        "clear": "clear REGISTER BITS",
        "wait": "wait REGISTER [& MASK] = VALUE [within TIME]",
        "interrupt": "interrupt [within TIME]",
        "line": "line = 0|1",
        "fill": "fill ADDRESS BYTES pattern SEED|byte VALUE",
        "put": "put ADDRESS DWORD...",
        "memory": "memory ADDRESS BYTES",
        "check": "check ADDRESS BYTES pattern SEED|byte VALUE",
        "words": "words ADDRESS NAME RANGE...",
        "bytes": "bytes ADDRESS NAME RANGE...",
        "run": "run TIME",
    }
    SEES = {"read", "wait", "interrupt", "line", "memory", "check", "words", "bytes"}  # statements that see something

    def __init__(self, folder, registers):
        self.procedures = pathlib.Path(folder) / "procedures"
        self.registers = registers

    def _plain(self, word):
        match = re.fullmatch(r"(0x[0-9a-fA-F]+|\d+)([KM])?", word)
        if match:
            return int(match[1], 0) * SIZES.get(match[2], 1)
        for names in self.registers.BITS, self.registers.PLACES:
            if word in names:
                return names[word]
        known = [*self.registers.BITS, *self.registers.PLACES, "END"]
        raise Mistake(f"{word!r} is no number and no name" + nearest(word, known))

    def number(self, text):
        """`12`, `0x1f`, `4K`, `DATA+64K`, `END-8`, `PxCMD.ST|PxCMD.FRE`, `~GHC.IE` (32 bits)."""
        if text.startswith("~"):
            return Number(~self.number(text[1:]).offset & 0xFFFFFFFF)
        if "|" in text:
            value = 0
            for part in text.split("|"):
                value |= self.number(part).offset
            return Number(value)
        parts = re.split(r"([+-])", text)
        from_end = parts[0] == "END"
        value = 0 if from_end else self._plain(parts[0])
        for sign, part in zip(parts[1::2], parts[2::2]):
            value += self._plain(part) if sign == "+" else -self._plain(part)
        return Number(value, from_end)

    def fixed(self, text):
        result = self.number(text)
        if result.from_end:
            raise Mistake("END is allowed as lba= only")
        if result.offset < 0:
            raise Mistake(f"{text} is negative")
        return result.offset

    def register(self, text):
        offset = self.registers.register_offset(text)
        if offset is None:
            raise Mistake(f"no register {text!r}" + nearest(text, self.registers.register_names()))
        return offset

    def ranges(self, texts, most):
        found = []
        for text in texts:
            first, _, last = text.partition("-")
            pair = self.fixed(first), self.fixed(last or first)
            if not pair[0] <= pair[1] < most:
                raise Mistake(f"{text!r} is no range below {most}")
            found.append(pair)
        return found

    def _masked(self, words):
        """Reads REGISTER [& MASK] [= VALUE]; returns it and the remaining words."""
        operands = {"register": words[0], "offset": self.register(words[0]), "mask": 0xFFFFFFFF, "value": None}
        rest = words[1:]
        if rest[:1] == ["&"] and len(rest) > 1:
            operands["mask"], rest = self.fixed(rest[1]), rest[2:]
        if rest[:1] == ["="] and len(rest) > 1:
            operands["value"], rest = self.fixed(rest[1]), rest[2:]
        return operands, rest

    def parse_read(self, words):
        operands, rest = self._masked(words)
        if rest:
            raise Mistake(f"found {' '.join(rest)!r} after the value")
        return operands

    def parse_write(self, words):
        register, value = words
        return {"register": register, "offset": self.register(register), "value": self.fixed(value)}

    parse_set = parse_clear = parse_write

    def parse_wait(self, words):
        operands, rest = self._masked(words)
        if operands["value"] is None:
            raise Mistake("found no value to wait for")
        return {**operands, "limit_ns": limit_ns(rest)}

    def parse_interrupt(self, words):
        return {"limit_ns": limit_ns(words)}

    def parse_line(self, words):
        equals, level = words
        if equals != "=" or level not in ("0", "1"):
            raise Mistake("allowed: line = 0 or line = 1")
        return {"level": level == "1"}

    def contents(self, words):
        """`pattern SEED` or `byte VALUE`."""
        if len(words) != 2 or words[0] not in ("pattern", "byte"):
            raise Mistake("allowed contents: pattern SEED, byte VALUE")
        return words[0], self.fixed(words[1])

    def parse_fill(self, words):
        address, length, *contents = words
        return {"address": self.fixed(address), "length": self.fixed(length), "contents": self.contents(contents)}

    parse_check = parse_fill

    def parse_put(self, words):
        address, *dwords = words
        return {"address": self.fixed(address), "dwords": [self.fixed(word) for word in dwords]}

    def parse_memory(self, words):
        address, length = words
        return {"address": self.fixed(address), "length": self.fixed(length)}

    def parse_words(self, words):
        address, name, first, *others = words
        return {"address": self.fixed(address), "name": name, "ranges": self.ranges([first, *others], MOST_BYTES // 2)}

    def parse_bytes(self, words):
        address, name, first, *others = words
        return {"address": self.fixed(address), "name": name, "ranges": self.ranges([first, *others], MOST_BYTES)}

    def parse_run(self, words):
        (time,) = words
        return {"ns": time_ns(time)}

    def _statement(self, place, text, mistakes):
        verb, *words = text.split()
        if verb not in self.USAGES:
            mistakes.append(f"{place}: no statement {verb!r}" + nearest(verb, [*self.USAGES, "call"]))
            return None
        try:
            return Statement(place, text, verb, getattr(self, f"parse_{verb}")(words))
        except Mistake as mistake:
            mistakes.append(f"{place}: {mistake}")
        except (ValueError, IndexError):
            mistakes.append(f"{place}: found {text!r}; allowed: {self.USAGES[verb]}")
        return None

    def _statements(self, text, name, depth, mistakes):
        found = []
        for line_number, line in enumerate(text.splitlines(), 1):
            line = line.partition("#")[0].strip()
            place = f"{name}:{line_number}"
            if line.startswith("call "):
                found += self._called(line.split()[1:], place, depth, mistakes)
            elif line:
                statement = self._statement(place, line, mistakes)
                found += [statement] if statement else []
        return found

    def _called(self, words, place, depth, mistakes):
        known = sorted(path.stem for path in self.procedures.glob("*.txt"))
        if len(words) != 1 or words[0] not in known:
            mistakes.append(f"{place}: no procedure {' '.join(words)!r}" + nearest(" ".join(words), known))
            return []
        if depth == DEEPEST_CALL:
            mistakes.append(f"{place}: procedures call each other {DEEPEST_CALL} deep")
            return []
        text = (self.procedures / f"{words[0]}.txt").read_text(encoding="utf-8")
        return self._statements(text, f"{place}/{words[0]}", depth + 1, mistakes)

    def parse(self, text, name):
        """The Script. Its title is its first comment. Raises ScriptError with every mistake."""
        mistakes = []
        statements = self._statements(text, name, 0, mistakes)
        if mistakes:
            raise ScriptError("\n".join(mistakes))
        if not statements:
            raise ScriptError(f"{name}: no statement in it")
        title = next((line.lstrip("# ").strip() for line in text.splitlines() if line.startswith("#")), "")
        return Script(name, title, text, tuple(statements))

    def load(self, path):
        path = pathlib.Path(path)
        try:
            return self.parse(path.read_text(encoding="utf-8"), path.stem)
        except (OSError, UnicodeDecodeError) as error:
            raise ScriptError(f"{path}: {error}") from error
