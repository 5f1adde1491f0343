#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a test of the Python package with the Python of .venv, or reports that it is missing. --plain: with this
Python and without packages, as on a machine where only the package was installed.

    run_tests.py [--plain] SOURCE MODULE BUILD
"""
import os
import subprocess
import sys
from pathlib import Path

SKIPPED = 77
plain, (source, module, build) = sys.argv[1] == "--plain", sys.argv[-3:]
package = Path(source) / "testbench" / "solidtlm"
python = Path(sys.executable) if plain else Path(source) / ".venv" / "bin" / "python"
if plain and sys.version_info < (3, 11):
    print(f"skipped: Python {sys.version.split()[0]}; the package needs 3.11")
    sys.exit(SKIPPED)
if not plain and (not python.exists() or subprocess.run([python, package / "explore" / "packages.py"],
                                                        check=False).returncode):
    print("skipped: Python packages are missing (scripts/setup python)")
    sys.exit(SKIPPED)
environment = {**os.environ, "PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1", "SOLIDTLM_BIN": build,
               "EXPLORE_BIN": build}
sys.exit(subprocess.run([python, "-m", "unittest", f"solidtlm.{module}"], env=environment, check=False).returncode)
