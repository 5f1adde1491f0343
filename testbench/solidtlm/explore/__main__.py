# SPDX-License-Identifier: Apache-2.0
"""Started by scripts/explore."""
import sys

from .commands import main

sys.exit(main())
