#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a test of the explorer with the Python of .venv, or says that it is not there.

    run_tests.py SOURCE MODULE [BUILD]
"""
import os
import subprocess
import sys
from pathlib import Path

SKIPPED = 77
source, module = Path(sys.argv[1]), sys.argv[2]
python = source / ".venv" / "bin" / "python"
if not python.exists() or subprocess.run([python, source / "testbench/solidtlm/explore/packages.py"], check=False).returncode:
    print("skipped: Python packages are missing (scripts/setup python)")
    sys.exit(SKIPPED)
environment = {**os.environ, "PYTHONPATH": str(source / "testbench"), "PYTHONDONTWRITEBYTECODE": "1",
               "EXPLORE_BIN": sys.argv[3] if len(sys.argv) > 3 else ""}
sys.exit(subprocess.run([python, "-m", "unittest", f"solidtlm.explore.tests.{module}"], env=environment, check=False).returncode)
