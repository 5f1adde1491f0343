# SPDX-License-Identifier: Apache-2.0
"""Folders that a command line names. Each is checked to be writable before anything is computed, so that no
search runs for hours and then fails.
"""
import os
import tempfile
from pathlib import Path

from .mistakes import StudyError
from .store import Store

kStore = os.environ.get("EXPLORE_STORE", "out/explore/store")


def open_store(arguments):
    """The store that --store names. Raises StudyError."""
    _prepare("--store", Path(arguments.store))
    return Store(arguments.store)


def out_folder(arguments, study, kind):
    """The folder that --out names, or one named after `kind` and the study's file. Raises StudyError."""
    folder = Path(arguments.out or f"out/{kind}/{study.path.stem}")
    _prepare("--out", folder)
    return folder


def _prepare(option, folder):
    """Creates the folder if necessary and checks that files can be written in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise StudyError([f"{option}: cannot write into {folder}: {error.strerror}"]) from error
