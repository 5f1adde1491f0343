# SPDX-License-Identifier: Apache-2.0
"""Estimates how long a run takes: from runs in the store, or roughly from the usual costs of the simulator and
its ageing."""
import math

from . import metrics

# From docs/speed.md and docs/ageing.md, rounded up: per request; per unit filled; per unit written at random
# (including the units that garbage collection moves for it).
_START, _REQUEST, _FILL, _RANDOM = 0.03, 25e-6, 75e-9, 0.95e-6
kLookedAt = 50


def seconds_a_run(checked, search):
    """(seconds, source of the number)."""
    known = [key for key in sorted(search.keys) if key in search.store][:kLookedAt]
    times = [record["seconds"] for record in map(search.store.read, known) if record]
    if times:
        return sum(times) / len(times), f"as {len(times)} that are known took"
    study = checked.study
    values = metrics.of_configuration(checked.base)
    shares = study.shares()
    seconds = _START + _REQUEST * sum(map(math.prod, zip(shares, study.rungs))) / sum(shares)
    if study.precondition:
        keys = dict(part.split("=", 1) for part in study.precondition.split(",") if "=" in part)
        units = (values.get("exported") or 0) / (values.get("firmware.unit") or 4096)
        fill, random = _share(keys.get("fill", "1")), _share(keys.get("random", "2"))
        seconds += units * fill * (_FILL + random * _RANDOM)
    return seconds, "a rough estimate from the size of the base drive"


def _share(text):
    try:
        return float(text.rstrip("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        return 1.0
