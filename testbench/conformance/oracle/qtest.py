# SPDX-License-Identifier: Apache-2.0
"""QEMU's qtest protocol, as far as it is needed: one line per request, one line per answer, `IRQ` lines in between.

`readl ADDRESS`, `writel ADDRESS VALUE`, `read ADDRESS BYTES`, `write ADDRESS BYTES 0xDATA`; for ours also
`clock_step NS`, for QEMU also `outl` and `irq_intercept_in`.
"""
import contextlib
import subprocess
import tempfile

MOST_BYTES = 1 << 16  # per read or write


class QtestError(Exception):
    """The program at the other end refused a request, or has ended."""


class Qtest:
    """A program that speaks qtest on its standard input and output. `lines`: levels of its interrupt lines."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.lines = {}
        self.complaints = tempfile.TemporaryFile()
        try:
            self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=self.complaints)
        except OSError as error:
            raise QtestError(f"{arguments[0]}: {error.strerror}") from error

    def ask(self, request):
        """Sends a request; returns the words of the answer after OK."""
        try:
            self.process.stdin.write(request.encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            raise self.gone(request) from None
        while line := self.process.stdout.readline():
            words = line.decode("ascii", "replace").split()
            if words[:1] == ["IRQ"] and len(words) == 3:
                self.lines[int(words[2])] = words[1] == "raise"
            elif words[:1] == ["OK"]:
                return words[1:]
            elif words:
                raise QtestError(f"{request[:60]!r}: {line.decode().strip()}")
        raise self.gone(request)

    def gone(self, request):
        code = self.process.wait()
        self.complaints.seek(0)
        said = self.complaints.read().decode("utf-8", "replace").strip()
        return QtestError(f"{self.arguments[0]} ended with code {code} at {request[:60]!r}; it said: {said or 'nothing'}")

    def number(self, request):
        return int(self.ask(request)[0], 0)

    def read(self, address, length):
        data = b""
        while len(data) < length:
            part = min(MOST_BYTES, length - len(data))
            data += bytes.fromhex(self.ask(f"read {address + len(data):#x} {part:#x}")[0].removeprefix("0x"))
        return data

    def write(self, address, data):
        for at in range(0, len(data), MOST_BYTES):
            part = data[at:at + MOST_BYTES]
            self.ask(f"write {address + at:#x} {len(part):#x} 0x{part.hex()}")

    def close(self):
        with contextlib.suppress(BrokenPipeError):  # requests that the ended program did not read are still buffered
            self.process.stdin.close()
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
        self.complaints.close()
