# SPDX-License-Identifier: Apache-2.0
"""What has been decided about differences: decided.toml, a list of [[decision]].

A decision applies to a difference when all that it names applies:

    label      what was seen, with * and ?: "PxSSTS", "identify word *"; a list of them is allowed
    script     names of scripts, in the same form; all, if not named
    statement  a regular expression to be found in the statement
    bits       the differing bits are among these
    theirs_has, ours_has   of these bits
    theirs, ours   the value seen

    verdict    "theirs": QEMU is not as the clause demands; "open": the standard leaves it to the implementation;
               "limit": ours is not as the clause demands, and its documentation says so
    clause     of the standard
    text       why
    rest       true: what follows in the same script follows from this difference, and is decided with it

"theirs" never applies where ours is not as the script demands, nor does "open" where anyone is not; a "limit"
names its script.
"""
import dataclasses
import fnmatch
import pathlib
import re
import tomllib

VERDICTS = ("theirs", "open", "limit")
_KEYS = {"label", "script", "statement", "bits", "theirs_has", "ours_has", "theirs", "ours", "verdict", "clause", "text", "rest"}
_NEEDED = {"label", "verdict", "clause", "text"}


class DecisionError(Exception):
    """A mistake in a file of decisions."""


@dataclasses.dataclass(frozen=True)
class Decision:
    label: tuple
    verdict: str
    clause: str
    text: str
    script: tuple = ("*",)
    statement: str = ""
    bits: int | None = None
    theirs_has: int | None = None
    ours_has: int | None = None
    theirs: object = None
    ours: object = None
    rest: bool = False

    def applies(self, difference):
        if ("ours" in difference.wrong and self.verdict != "limit") or (self.verdict == "open" and difference.wrong):
            return False
        return (any(fnmatch.fnmatchcase(difference.label, label) for label in self.label)
                and any(fnmatch.fnmatchcase(difference.script, script) for script in self.script)
                and re.search(self.statement, difference.statement) is not None
                and (self.bits is None or (difference.bits and not difference.bits & ~self.bits))
                and (self.theirs_has is None or difference.theirs & self.bits == self.theirs_has)
                and (self.ours_has is None or difference.ours & self.bits == self.ours_has)
                and (self.theirs is None or self.theirs == difference.theirs)
                and (self.ours is None or self.ours == difference.ours))


def _decision(entry, place):
    wrong = [f"{place}: no key {key!r}; allowed: {', '.join(sorted(_KEYS))}" for key in entry.keys() - _KEYS]
    wrong += [f"{place}: needs {key!r}" for key in sorted(_NEEDED - entry.keys())]
    if entry.get("verdict", VERDICTS[0]) not in VERDICTS:
        wrong.append(f"{place}: verdict {entry['verdict']!r}; allowed: {', '.join(VERDICTS)}")
    if entry.get("verdict") == "limit" and "script" not in entry:
        wrong.append(f"{place}: a limit names its script")
    if ("theirs_has" in entry or "ours_has" in entry) and "bits" not in entry:
        wrong.append(f"{place}: theirs_has and ours_has go with bits")
    if wrong:
        raise DecisionError("\n".join(wrong))
    for key in ("label", "script"):
        if isinstance(entry.get(key), str):
            entry[key] = [entry[key]]
        if key in entry:
            entry[key] = tuple(entry[key])
    return Decision(**entry)


def read(text, name):
    try:
        entries = tomllib.loads(text).get("decision", [])
    except tomllib.TOMLDecodeError as error:
        raise DecisionError(f"{name}: {error}") from error
    return [_decision(entry, f"{name}: decision {number}") for number, entry in enumerate(entries, 1)]


def load(path):
    return read(pathlib.Path(path).read_text(encoding="utf-8"), str(path))


def decide(found, decisions):
    """[(difference, Decision or None)] for the differences of one script, in order."""
    result, rest = [], None
    for difference in found:
        decision = rest if rest and "ours" not in difference.wrong else next((one for one in decisions if one.applies(difference)), None)
        result.append((difference, decision))
        if decision is not None and decision.rest:
            rest = decision
    return result


def table(known):
    """The decisions as Markdown."""
    rows = ["| What differs | Verdict | Clause | Why |", "|---|---|---|---|"]
    for decision in known:
        labels = ", ".join(f"`{label}`" for label in decision.label)
        scripts = "" if decision.script == ("*",) else f" ({', '.join(decision.script)})"
        rows.append(f"| {labels}{scripts} | {decision.verdict} | {decision.clause} | {' '.join(decision.text.split())} |")
    return "\n".join(rows)
