# SPDX-License-Identifier: Apache-2.0
"""Errors of this package. Their texts are those of the executables."""
import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_Arguments = ParamSpec("_Arguments")
_Returned = TypeVar("_Returned")

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


def public(function: Callable[_Arguments, _Returned]) -> Callable[_Arguments, _Returned]:
    """A function for users: its errors do not show the calls within this package."""
    @functools.wraps(function)
    def called(*arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Returned:
        try:
            return function(*arguments, **named)
        except SolidtlmError as error:
            raise error.with_traceback(None) from None
    return called


class MissingPackage(SolidtlmError, ImportError):
    """A Python package is needed but not installed."""

    def __init__(self, what, packages, extra):
        super().__init__(f"{what} needs {', '.join(packages)}: pip install 'solidtlm[{extra}]'")
