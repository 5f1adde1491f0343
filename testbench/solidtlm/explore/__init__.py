# SPDX-License-Identifier: Apache-2.0
"""The explorer: which drive is best? docs/explorer.md."""
