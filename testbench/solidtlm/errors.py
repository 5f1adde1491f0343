# SPDX-License-Identifier: Apache-2.0
"""What can go wrong. Texts are those of the executables."""

kFailure, kUserError = 1, 2  # exit codes; with the second, nothing was run


class SolidtlmError(Exception):
    """Of every error of this package. `messages`: one text for each mistake."""

    def __init__(self, messages, result=None):
        self.messages = [messages] if isinstance(messages, str) else list(messages)
        self.result = result
        super().__init__("\n".join(self.messages))


class UserError(SolidtlmError, ValueError):
    """A mistake in what was asked for; nothing was simulated. All mistakes come together."""


class RunFailed(SolidtlmError, RuntimeError):
    """A run that did not end well. `result`: what it wrote nevertheless, or None."""


class MissingPackage(SolidtlmError, ImportError):
    """A Python package that this needs and that is not installed."""

    def __init__(self, what, packages, extra):
        super().__init__(f"{what} needs {', '.join(packages)}: pip install 'solidtlm[{extra}]'")
