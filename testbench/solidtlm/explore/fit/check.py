# SPDX-License-Identifier: Apache-2.0
"""Checks of a fit that need the executables: their options and keys. The search begins only if all are right."""
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..formula import FormulaError
from ..mistakes import StudyError, did_you_mean
from ..program import Program
from .measure import Outcome
from .paths import PathError

kMostAsked = 8  # values per parameter, including its ends


def programs_of(study, mistakes, folder):
    """The executables by name."""
    programs = {}
    for number, run in enumerate(study.runs):
        path = Path(folder) / run.executable
        if path.is_file():
            programs.setdefault(run.executable, Program(path))
            continue
        known = [each.name for each in Path(folder).glob("tb_*")]
        mistakes.add(("run", number, "executable"), f"run: no executable {path}" + did_you_mean(run.executable, known))
    if mistakes:
        raise StudyError(mistakes)
    return programs


def _asked(parameter):
    """Coordinates to try: enough to find a wrong value of a list, and both ends of a range."""
    if parameter.continuous:
        return [0.0, 1.0]
    step = max(1, -(-len(parameter.values) // kMostAsked))
    return sorted({*range(0, len(parameter.values), step), len(parameter.values) - 1})


def check_arguments(study, mistakes, measurer, programs):
    """Raises StudyError with all mistakes in options, keys and values."""
    keys = {}
    for each in programs.values():
        keys.update(each.keys())
    for each in study.parameters:
        if not each.word and not each.name.startswith("--") and each.name not in keys:
            mistakes.add(("space", each.name), f"space: {each.name}: unknown key{did_you_mean(each.name, keys)}")
    first = [_asked(each)[0] for each in study.parameters]
    asked = [(None, first)] + [(at, [*first[:at], other, *first[at + 1:]]) for at, each in enumerate(study.parameters)
                               for other in _asked(each)[1:]]
    tasks = [(at, run, Outcome(tuple(coordinates), measurer.settings(coordinates)))
             for at, coordinates in asked for run in study.runs]

    def errors(task):
        _, run, outcome = task
        return programs[run.executable].errors(measurer.arguments(outcome, run))

    seen = set()
    with ThreadPoolExecutor(2) as pool:
        for (at, run, _), found in zip(tasks, pool.map(errors, tasks)):
            for message in set(found) - seen:
                seen.add(message)
                if at is None:
                    mistakes.add(("run", study.runs.index(run)), f"{run.name}: {message}")
                elif study.parameters[at].name in message:  # others: impossible combinations, which are no mistake
                    mistakes.add(("space", study.parameters[at].name), message)
    if mistakes:
        raise StudyError(mistakes)


def check_values(study, mistakes, measurer):
    """Checks names and paths with the results of the first set. Raises StudyError."""
    outcome = measurer.evaluate([[_asked(each)[0] for each in study.parameters]])[0]
    measurer.values_of(outcome, study.measurements)
    for number, each in enumerate(study.measurements):
        try:
            measurer.value(outcome, each)
        except PathError as error:
            mistakes.add(("measurement", number, "where"), f"measurement: {each.name}: {error}")
        except FormulaError as error:
            if "has no value here" in str(error):
                mistakes.add(("measurement", number, "value"), f"measurement: {each.name}: {error}")
    if mistakes:
        raise StudyError(mistakes)
