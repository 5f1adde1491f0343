# SPDX-License-Identifier: Apache-2.0
"""Numbers of a result by path: `host.iops`, `points[load=webvm,system=online].derived.write_mean_us`.

Of a list of tables, `[KEY=VALUE,...]` takes the one whose entries, or whose `parameters`, are these.
"""
import re

_SEGMENT = re.compile(r"([^.\[\]]+)(?:\[([^\]]*)\])?(?:\.|$)")


class PathError(Exception):
    """A path that cannot be read, or that leads to no number."""


def segments(text):
    """[(name, {key: value} or None)]."""
    found, at = [], 0
    while at < len(text):
        match = _SEGMENT.match(text, at)
        if not match:
            raise PathError(f"{text}: cannot be read; allowed: names with dots, of a list NAME[KEY=VALUE,...]")
        chosen = None
        if match[2] is not None:
            pairs = [each.partition("=") for each in match[2].split(",")]
            if not all(name.strip() and equals for name, equals, _ in pairs):
                raise PathError(f"{text}: [{match[2]}] has something other than KEY=VALUE")
            chosen = {name.strip(): value.strip() for name, _, value in pairs}
        found.append((match[1], chosen))
        at = match.end()
    if not found or text.endswith("."):
        raise PathError(f"{text!r}: cannot be read; allowed: names with dots")
    return found


def _text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def _choose(path, name, value, chosen):
    if not isinstance(value, list):
        raise PathError(f"{path}: {name} is no list")
    matches = [each for each in value if isinstance(each, dict)
               and all(_text({**each, **each.get("parameters", {})}.get(key)) == wanted
                       for key, wanted in chosen.items())]
    if len(matches) != 1:
        raise PathError(f"{path}: {len(matches)} of {len(value)} {name} are like that; allowed: one")
    return matches[0]


def _at(result, path):
    value = result
    for name, chosen in segments(path):
        if not isinstance(value, dict) or name not in value:
            raise PathError(f"{path}: there is no {name}")
        value = value[name] if chosen is None else _choose(path, name, value[name], chosen)
    return value


def text_at(result, path):
    """The text there; empty if there is none."""
    try:
        value = _at(result, path)
    except PathError:
        return ""
    return value if isinstance(value, str) else ""


def number_at(result, path):
    value = _at(result, path)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise PathError(f"{path} is no number")
    return value
