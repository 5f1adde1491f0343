# SPDX-License-Identifier: Apache-2.0
"""SolidTLM in Python."""
