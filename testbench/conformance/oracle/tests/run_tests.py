# SPDX-License-Identifier: Apache-2.0
"""Runs one file of tests: run_tests.py SOURCE TEST. Exit code 77 if it needs QEMU and QEMU is not installed."""
import sys
import unittest

sys.dont_write_bytecode = True
source, test = sys.argv[1:]
sys.path.insert(0, f"{source}/testbench")

from conformance.oracle import controllers  # noqa: E402

if test == "test_qemu" and not controllers.qemu_is_there():
    print(f"skipped: {controllers.QEMU} is not installed (scripts/setup clients)")
    sys.exit(77)
unittest.main(f"conformance.oracle.tests.{test}", argv=[test])
