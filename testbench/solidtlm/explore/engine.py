# SPDX-License-Identifier: Apache-2.0
"""Runs jobs: in threads of this process (thread_engine.py), or on a Dask scheduler that runs somewhere
(dask_engine.py)."""
from .dask_engine import DaskEngine
from .thread_engine import Threads


def open_engine(jobs, scheduler=None):
    """An engine with `jobs` parallel runs here, or with the Dask scheduler at this address."""
    return Threads(jobs) if scheduler is None else DaskEngine(scheduler)
