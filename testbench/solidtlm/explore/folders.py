# SPDX-License-Identifier: Apache-2.0
"""Folders that a command line names. Each is checked to be writable before anything is computed, so that no
search runs for hours and fails then.
"""
import os
import tempfile
from pathlib import Path

from .mistakes import StudyError
from .store import Store

kStore = os.environ.get("EXPLORE_STORE", "out/explore/store")


def open_store(arguments):
    """What --store names. Raises StudyError."""
    _prepare("--store", Path(arguments.store))
    return Store(arguments.store)


def out_folder(arguments, study, kind):
    """What --out names, or `kind` and the study's file. Raises StudyError."""
    folder = Path(arguments.out or f"out/{kind}/{study.path.stem}")
    _prepare("--out", folder)
    return folder


def _prepare(option, folder):
    """Creates it if need be and tries whether files can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise StudyError([f"{option}: cannot write into {folder}: {error.strerror}"]) from error
