# SPDX-License-Identifier: Apache-2.0
"""Programs that send ATA, SCSI or NVMe commands to a device node, on simulated drives (docs/real-tools.md)."""
