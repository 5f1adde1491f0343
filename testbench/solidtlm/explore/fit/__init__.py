# SPDX-License-Identifier: Apache-2.0
"""Parameters from measurements: which values of what nobody tells are consistent with all that was measured."""
