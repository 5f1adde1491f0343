# SPDX-License-Identifier: Apache-2.0
"""What can be said before a search: whether the load reaches the drives, and whether runs are long enough to be judged.

From a short run of the base with each workload: the drives of the space may be faster or slower.
"""
import math
import random
import re
from dataclasses import replace

from . import metrics, units
from .checks import warm_up_of, workload_arguments
from .proposer import seed_of

kRequests = 2000   # of the short run
kDrawn = 200       # drives, of a space with more
kRounds = 3        # collection rounds that a run must measure to be judged
kNearlyFull = 0.5  # share of the queue from which bursts may fill it

_ROUND = ("drive_dies", "nand.geometry.planes", "nand.geometry.pages", "nand.geometry.page_size")
_RATE = re.compile(r"(?:^|,)\s*rate\s*=\s*([\d.]+)\s*([kM]?)\s*(?=,|$)")


def load_lines(checked):
    """A line per workload and thing to say about it."""
    for workload in checked.study.workloads:
        result = short_run(checked.program, checked.study, workload)
        lines = (queue_line(workload, result), rounds_line(checked, workload, result)) if result else ()
        for line in filter(None, lines):
            yield f"{workload.name}: {line}"


def short_run(program, study, workload):
    """Its result; None if the base alone does not run."""
    return program.sample([*study.base_arguments(), *workload_arguments(replace(workload, warm_up=0), kRequests)])


def rate_of(workload):
    """Arrivals per second of an open load with a rate, otherwise None."""
    found = _RATE.search(workload.spec) if workload.options.get("pacing") == "open" else None
    return found and float(found[1]) * {"": 1, "k": 1e3, "M": 1e6}[found[2]]


def queue_line(workload, result):
    """Little's law: what arrives in a second times the time in the drive is what is under way at a time. Nothing for
    loads without a rate."""
    rate, depth = rate_of(workload), result.get("parameters", {}).get("queue_depth")
    mean = result["host"]["latency_us"]["mean"]
    if not rate or not depth or not mean:
        return ""
    time = mean - result.get("ledger", {}).get("stages_us", {}).get("host_queue", 0.0)
    under_way = rate * time / 1e6
    text = (f"{rate:,.0f} per second x {units.shown(time)} us in the base drive = {units.shown(round(under_way, 1))} commands "
            f"under way; the host's queue holds {depth}")
    if under_way > depth:
        return (f"{text}, which limits the load to {depth / time * 1e6:,.0f} per second: raise workload.queue_depth, "
                "or the drive is too slow")
    return f"{text}: bursts will fill it" if under_way > kNearlyFull * depth else text


def rounds_line(checked, workload, result):
    """How long a collection round is (every parallel unit fills a superblock), over the drives of the space; nothing for
    loads without writes."""
    written = result["host"].get("write", {}).get("bytes", 0) / max(1, result["host"]["requests"])
    if not written:
        return ""
    rounds = sorted(each / written for each in round_bytes(checked))
    if not rounds:
        return ""
    requests = checked.study.rungs[-1]
    warm_up = warm_up_of(workload, requests, checked.study.known)
    needed = [kRounds * each + (warm_up if isinstance(warm_up, int) else each) for each in rounds]
    short = sum(each > requests for each in needed) / len(needed)
    lengths = list(dict.fromkeys(units.shown(round(each)) for each in (rounds[0], rounds[-1])))
    text = f"a collection round takes {' to '.join(lengths)} requests"
    if not short:
        return f"{text}; the last rung measures {kRounds} of every drive"
    return (f"{text}; at {100 * short:.0f} % of the drives the last rung is too short to be judged if they collect "
            f"({kRounds} rounds of the largest: {units.shown(round(needed[-1]))} requests)")


def round_bytes(checked):
    """What the host writes in a collection round, of the drives of the space or of kDrawn of them that are possible."""
    space = checked.study.space
    chance, size = random.Random(seed_of(checked.study.seed, 0)), space.size()
    found = []
    for number in range(size) if size <= kDrawn else [chance.randrange(size) for _ in range(kDrawn)]:
        configuration, _ = checked.drives.effective(space.settings(space.at(number), checked.base))
        if configuration and configuration.get("firmware.translation") == "page_map":
            numbers = metrics.of_configuration(configuration)
            found.append(math.prod(numbers[name] for name in _ROUND))
    return found
