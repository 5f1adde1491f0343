# SPDX-License-Identifier: Apache-2.0
"""scripts/explore starts this."""
import sys

from .commands import main

sys.exit(main())
