# SPDX-License-Identifier: Apache-2.0
"""Errors of this package. Their texts are those of the executables."""

kFailure, kUserError = 1, 2  # exit codes; with the second, nothing was run


class SolidtlmError(Exception):
    """Base class of all errors of this package. `messages`: one text per mistake."""

    def __init__(self, messages, result=None):
        self.messages = [messages] if isinstance(messages, str) else list(messages)
        self.result = result
        super().__init__("\n".join(self.messages))


class UserError(SolidtlmError, ValueError):
    """Mistakes in the request, all together; nothing was simulated."""


class RunFailed(SolidtlmError, RuntimeError):
    """A run that failed. `result`: what it wrote despite that, or None."""


class MissingPackage(SolidtlmError, ImportError):
    """A Python package is needed but not installed."""

    def __init__(self, what, packages, extra):
        super().__init__(f"{what} needs {', '.join(packages)}: pip install 'solidtlm[{extra}]'")
