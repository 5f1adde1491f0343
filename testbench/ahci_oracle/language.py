# SPDX-License-Identifier: Apache-2.0
"""Register scripts: one statement per line (docs/ahci-oracle.md has the whole language).

parse() gives a Script of Statements with all numbers worked out but END, the drive's sectors, which differs between
controllers: numbers are Numbers with a value(sectors). Mistakes are collected; ScriptError has all of them.
"""
import dataclasses
import difflib
import pathlib
import re

from . import commands, registers

PROCEDURES = pathlib.Path(__file__).parent / "procedures"
SIZES = {"K": 1 << 10, "M": 1 << 20}
TIMES_NS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
KEYS = [field.name for field in dataclasses.fields(commands.Command) if field.name not in ("slot", "opcode", "prds")]
DEEPEST_CALL = 4
DEFAULT_LIMIT_NS = 1_000_000_000


class ScriptError(Exception):
    """What is wrong in a script: a line a mistake, `file:line: what`."""


class _Mistake(Exception):
    """What is wrong in one statement."""


@dataclasses.dataclass(frozen=True)
class Number:
    """A number; of the drive's sectors if `from_end`."""
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


def _nearest(word, known):
    near = difflib.get_close_matches(word, known, 1)
    return f"; the nearest known one is {near[0]}" if near else f"; allowed: {', '.join(known)}"


def _plain(word):
    match = re.fullmatch(r"(0x[0-9a-fA-F]+|\d+)([KM])?", word)
    if match:
        return int(match[1], 0) * SIZES.get(match[2], 1)
    if word in registers.BITS:
        return registers.BITS[word]
    if word in registers.PLACES:
        return registers.PLACES[word]
    known = [*registers.BITS, *registers.PLACES, "END"]
    raise _Mistake(f"{word!r} is no number and no name" + _nearest(word, known))


def number(text):
    """`12`, `0x1f`, `4K`, `DATA+64K`, `END-8`, `PxCMD.ST|PxCMD.FRE`, `~GHC.IE` (32 bits)."""
    if text.startswith("~"):
        return Number(~number(text[1:]).offset & 0xFFFFFFFF)
    if "|" in text:
        value = 0
        for part in text.split("|"):
            value |= number(part).offset
        return Number(value)
    parts = re.split(r"([+-])", text)
    from_end = parts[0] == "END"
    value = 0 if from_end else _plain(parts[0])
    for sign, part in zip(parts[1::2], parts[2::2]):
        value += _plain(part) if sign == "+" else -_plain(part)
    return Number(value, from_end)


def _fixed(text):
    result = number(text)
    if result.from_end:
        raise _Mistake("END is allowed as lba= only")
    if result.offset < 0:
        raise _Mistake(f"{text} is negative")
    return result.offset


def _time(text):
    match = re.fullmatch(r"(\d+)(ns|us|ms|s)", text)
    if not match:
        raise _Mistake(f"{text!r} is no time; allowed: a whole number with ns, us, ms or s")
    return int(match[1]) * TIMES_NS[match[2]]


def _register(text):
    offset = registers.register_offset(text)
    if offset is None:
        raise _Mistake(f"no register {text!r}" + _nearest(text, registers.register_names()))
    return offset


def slots(text):
    """`3`, `0-31`, `0,4-7`; `none`."""
    found = []
    for part in text.split(",") if text != "none" else ():
        first, _, last = part.partition("-")
        if not first.isdigit() or not (last or first).isdigit() or int(last or first) >= registers.SLOTS:
            raise _Mistake(f"{text!r} are no slots; allowed: as 3, 0-31 or 0,4-7")
        found += range(int(first), int(last or first) + 1)
    return found


def _ranges(texts, most):
    found = []
    for text in texts:
        first, _, last = text.partition("-")
        pair = _fixed(first), _fixed(last or first)
        if not pair[0] <= pair[1] < most:
            raise _Mistake(f"{text!r} is no range below {most}")
        found.append(pair)
    return found


def _masked(words):
    """REGISTER [& MASK] [= VALUE], and what is left."""
    operands = {"register": words[0], "offset": _register(words[0]), "mask": 0xFFFFFFFF, "value": None}
    rest = words[1:]
    if rest[:1] == ["&"] and len(rest) > 1:
        operands["mask"], rest = _fixed(rest[1]), rest[2:]
    if rest[:1] == ["="] and len(rest) > 1:
        operands["value"], rest = _fixed(rest[1]), rest[2:]
    return operands, rest


def _limit(rest):
    if not rest:
        return DEFAULT_LIMIT_NS
    if len(rest) != 2 or rest[0] != "within":
        raise _Mistake(f"found {' '.join(rest)!r}; allowed: within TIME")
    return _time(rest[1])


def _read(words):
    operands, rest = _masked(words)
    if rest:
        raise _Mistake(f"found {' '.join(rest)!r} after the value")
    return operands


def _write(words):
    register, value = words
    return {"register": register, "offset": _register(register), "value": _fixed(value)}


def _wait(words):
    operands, rest = _masked(words)
    if operands["value"] is None:
        raise _Mistake("found no value to wait for")
    return {**operands, "limit_ns": _limit(rest)}


def _interrupt(words):
    return {"limit_ns": _limit(words)}


def _line(words):
    equals, level = words
    if equals != "=" or level not in ("0", "1"):
        raise _Mistake("allowed: line = 0 or line = 1")
    return {"level": level == "1"}


def _contents(words):
    """`pattern SEED` or `byte VALUE`."""
    if len(words) != 2 or words[0] not in ("pattern", "byte"):
        raise _Mistake("allowed contents: pattern SEED, byte VALUE")
    return words[0], _fixed(words[1])


def _fill(words):
    address, length, *contents = words
    return {"address": _fixed(address), "length": _fixed(length), "contents": _contents(contents)}


def _put(words):
    address, *dwords = words
    return {"address": _fixed(address), "dwords": [_fixed(word) for word in dwords]}


def _memory(words):
    address, length = words
    return {"address": _fixed(address), "length": _fixed(length)}


def _words(words):
    address, name, *ranges = words
    return {"address": _fixed(address), "name": name, "ranges": _ranges(ranges, 256)}


def _bytes(words):
    address, name, *ranges = words
    return {"address": _fixed(address), "name": name, "ranges": _ranges(ranges, 512)}


def _fis(words):
    kind, *ranges = words
    if kind not in registers.FISES:
        raise _Mistake(f"no FIS {kind!r}" + _nearest(kind, list(registers.FISES)))
    offset, length = registers.FISES[kind]
    return {"address": registers.RECEIVED_FIS + offset, "name": f"{kind} FIS",
            "ranges": _ranges(ranges, length) or [(0, length - 1)]}


def _prds(text):
    found = []
    for entry in filter(None, text.split(",")):
        place, colon, rest = entry.partition(":")
        length, _, flag = rest.partition(":")
        if not colon or flag not in ("", "i"):
            raise _Mistake(f"{entry!r} is no PRD; allowed: ADDRESS:BYTES or ADDRESS:BYTES:i")
        found.append(commands.Prd(_fixed(place), _fixed(length), flag == "i"))
    if len(found) > registers.MOST_PRDS:
        raise _Mistake(f"{len(found)} PRDs; a command table of this oracle has {registers.MOST_PRDS}")
    return tuple(found)


def _command(words):
    slot, operation, *settings = words
    chosen = slots(slot)
    if len(chosen) != 1:
        raise _Mistake("a command has one slot")
    if operation in commands.OPCODES:
        code = commands.OPCODES[operation].code
    elif re.fullmatch(r"0x[0-9a-fA-F]{1,2}", operation):
        code = int(operation, 0)
    else:
        raise _Mistake(f"no command {operation!r}" + _nearest(operation, list(commands.OPCODES)))
    lba, prds, values = Number(0), (), {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or key not in [*KEYS, "prd"]:
            raise _Mistake(f"{setting!r}: no such setting" + _nearest(key, [*KEYS, "prd"]))
        if key == "lba":
            lba = number(value)
        elif key == "prd":
            prds = _prds(value)
        else:
            values[key] = _fixed(value)
    return {"command": commands.Command(chosen[0], code, prds=prds, **values), "lba": lba}


def _issue(words):
    chosen, *queued = words
    if queued not in ([], ["queued"]):
        raise _Mistake(f"found {' '.join(queued)!r}; allowed: queued")
    return {"mask": sum(1 << slot for slot in slots(chosen)), "queued": bool(queued)}


def _finish(words):
    chosen, *rest = words
    return {"mask": sum(1 << slot for slot in slots(chosen)), "limit_ns": _limit(rest)}


def _prdbc(words):
    slot, *rest = words
    (chosen,) = slots(slot)
    if rest and (len(rest) != 2 or rest[0] != "="):
        raise _Mistake("allowed: prdbc SLOT or prdbc SLOT = BYTES")
    return {"slot": chosen, "value": _fixed(rest[1]) if rest else None}


def _run(words):
    (time,) = words
    return {"ns": _time(time)}


VERBS = {
    "read": (_read, "read REGISTER [& MASK] [= VALUE]"),
    "write": (_write, "write REGISTER VALUE"),
    "set": (_write, "set REGISTER BITS"),
    "clear": (_write, "clear REGISTER BITS"),
    "wait": (_wait, "wait REGISTER [& MASK] = VALUE [within TIME]"),
    "interrupt": (_interrupt, "interrupt [within TIME]"),
    "line": (_line, "line = 0|1"),
    "fill": (_fill, "fill ADDRESS BYTES pattern SEED|byte VALUE"),
    "put": (_put, "put ADDRESS DWORD..."),
    "memory": (_memory, "memory ADDRESS BYTES"),
    "check": (_fill, "check ADDRESS BYTES pattern SEED|byte VALUE"),
    "words": (_words, "words ADDRESS NAME RANGE..."),
    "bytes": (_bytes, "bytes ADDRESS NAME RANGE..."),
    "fis": (_fis, "fis d2h|pio-setup|dma-setup|sdb|unknown [RANGE...]"),
    "command": (_command, "command SLOT OPERATION [KEY=VALUE...]"),
    "issue": (_issue, "issue SLOTS [queued]"),
    "finish": (_finish, "finish SLOTS [within TIME]"),
    "prdbc": (_prdbc, "prdbc SLOT [= BYTES]"),
    "run": (_run, "run TIME"),
}


def _statement(place, text, mistakes):
    verb, *words = text.split()
    if verb not in VERBS:
        mistakes.append(f"{place}: no statement {verb!r}" + _nearest(verb, [*VERBS, "call"]))
        return None
    read, usage = VERBS[verb]
    try:
        return Statement(place, text, verb, read(words))
    except _Mistake as mistake:
        mistakes.append(f"{place}: {mistake}")
    except (ValueError, IndexError):
        mistakes.append(f"{place}: found {text!r}; allowed: {usage}")
    return None


def _statements(text, name, depth, mistakes):
    found = []
    for line_number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        place = f"{name}:{line_number}"
        if line.startswith("call "):
            found += _called(line.split()[1:], place, depth, mistakes)
        elif line:
            statement = _statement(place, line, mistakes)
            found += [statement] if statement else []
    return found


def _called(words, place, depth, mistakes):
    known = sorted(path.stem for path in PROCEDURES.glob("*.txt"))
    if len(words) != 1 or words[0] not in known:
        mistakes.append(f"{place}: no procedure {' '.join(words)!r}" + _nearest(" ".join(words), known))
        return []
    if depth == DEEPEST_CALL:
        mistakes.append(f"{place}: procedures call each other {DEEPEST_CALL} deep")
        return []
    text = (PROCEDURES / f"{words[0]}.txt").read_text(encoding="utf-8")
    return _statements(text, f"{place}/{words[0]}", depth + 1, mistakes)


def parse(text, name):
    """The Script. Its title is its first comment. Raises ScriptError with every mistake."""
    mistakes = []
    statements = _statements(text, name, 0, mistakes)
    if mistakes:
        raise ScriptError("\n".join(mistakes))
    if not statements:
        raise ScriptError(f"{name}: no statement in it")
    title = next((line.lstrip("# ").strip() for line in text.splitlines() if line.startswith("#")), "")
    return Script(name, title, text, tuple(statements))


def load(path):
    path = pathlib.Path(path)
    try:
        return parse(path.read_text(encoding="utf-8"), path.stem)
    except (OSError, UnicodeDecodeError) as error:
        raise ScriptError(f"{path}: {error}") from error
