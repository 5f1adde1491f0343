# SPDX-License-Identifier: Apache-2.0
"""Parameters from measurements: which values of unpublished parameters are consistent with all measurements."""
