# SPDX-License-Identifier: Apache-2.0
"""Oracles: register scripts run on two controllers, this project's and QEMU's, and the differences are listed
(docs/ahci-oracle.md, docs/nvme-oracle.md). Each interface has its own folder."""
