# SPDX-License-Identifier: Apache-2.0
"""Runs one file of tests: run_tests.py SOURCE PROGRAMS TEST. Exit code 77 if the tool that it is about is not
installed."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
source, programs, test = sys.argv[1:]
sys.path.insert(0, f"{source}/testbench")
os.environ["PROGRAMS"] = programs
os.environ["PATH"] += ":/usr/sbin:/sbin"

from conformance.real_tools.cases import TOOLS  # noqa: E402

for tool in TOOLS:
    if tool.name == test and tool.missing:
        print(f"skipped: {tool.missing} is not installed (scripts/setup clients)")
        sys.exit(77)
name = f"test_{test}" if test in ("parts", "page") else f"test_tools.Tools.test_{test}"
unittest.main(None, argv=[test, f"conformance.real_tools.tests.{name}"])
