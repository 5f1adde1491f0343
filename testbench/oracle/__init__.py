# SPDX-License-Identifier: Apache-2.0
"""Oracles: register scripts against two controllers, ours and QEMU's, differences listed (docs/ahci-oracle.md,
docs/nvme-oracle.md). What belongs to one interface is in its folder."""
