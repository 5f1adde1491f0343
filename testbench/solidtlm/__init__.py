# SPDX-License-Identifier: Apache-2.0
"""SolidTLM in Python: run a simulated SSD; sweep, search and fit its parameters; look at the results.

    import solidtlm as st
    r = st.run(workload="random,read=0.7", set={"nand.geometry.channels": 4})
    r.host.latency_us.p99, r["p99"], r.ledger, r.plot()

docs/python.md says more. Nothing but the standard library is needed; pandas, Arrow and matplotlib are imported where
they are asked for.
"""
from .errors import MissingPackage, RunFailed, SolidtlmError, UserError
from .places import traces
from .reasons import Why, why
from .results import Result, load
from .runs import keys, presets, run, show_config
from .searches import Fit, Search, fit, search
from .studies import study
from .sweeps import Sweep, sweep
from .table import Table

__all__ = ["Fit", "MissingPackage", "Result", "RunFailed", "Search", "SolidtlmError", "Sweep", "Table", "UserError",
           "Why", "fit", "keys", "load", "presets", "run", "search", "show_config", "study", "sweep", "traces", "why"]
