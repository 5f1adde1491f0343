# SPDX-License-Identifier: Apache-2.0
"""The AHCI oracle: register scripts against two host bus adapters, differences listed (docs/ahci-oracle.md)."""
