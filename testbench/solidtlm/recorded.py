# SPDX-License-Identifier: Apache-2.0
"""Tables that are written during a run (docs/commands.md, docs/decisions.md). The executables write
comma-separated values; for Parquet, the table comes through a pipe and is never in memory as a whole."""
import contextlib
import csv
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from .errors import RunFailed, UserError, kUserError
from .table import Table, wanted

kOptions = ("--commands", "--decisions")
_TEXTS = ("operation", "decision", "why", "area")  # columns that are not numbers
_ROWS_AT_ONCE = 1 << 16


@contextlib.contextmanager
def as_parquet(arguments: list[str]) -> Iterator[tuple[list[str], Callable[[int], None]]]:
    """Arguments for an executable, with pipes in place of tables FILE.parquet, and a function to call with its
    exit code when it has ended: it moves the files to their places, and raises RunFailed if that fails."""
    with tempfile.TemporaryDirectory(prefix="solidtlm.") as folder, contextlib.ExitStack() as stack:
        changed, tables = list(arguments), []
        for at, each in enumerate(arguments):
            option, equals, value = each.partition("=") if "=" in each else (arguments[at - 1], "", each)
            if option in kOptions and value.endswith(".parquet"):
                tables.append(stack.enter_context(_Converted(Path(folder) / f"{option[2:]}.csv", Path(value))))
                changed[at] = f"{option if equals else ''}{equals}{tables[-1].pipe}"

        def finish(code: int) -> None:
            for table in tables if code >= 0 and code != kUserError else []:
                table.finish()
        yield changed, finish


class _Converted:
    """A table on its way from a pipe to `file`, in a thread."""

    def __init__(self, pipe: Path, file: Path):
        self._io = wanted("arro3.io", "Parquet", "arrow")
        self._core = wanted("arro3.core", "Parquet", "arrow")
        self.pipe, self._file = pipe, file
        self._part = file.with_name(f".{file.name}.{os.getpid()}")
        self._error: Exception | None = None
        self._begun = False
        self._thread = threading.Thread(target=self._convert)

    def __enter__(self) -> "_Converted":
        try:
            self._part.touch()
        except OSError as error:
            raise UserError(f"cannot write {self._file}: {error.strerror}") from error
        os.mkfifo(self.pipe)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._join()
        self._part.unlink(missing_ok=True)

    def _join(self) -> None:
        while self._thread.is_alive():
            with contextlib.suppress(OSError):  # the executable may not have opened the pipe
                os.close(os.open(self.pipe, os.O_WRONLY | os.O_NONBLOCK))
            self._thread.join(0.05)

    def finish(self) -> None:
        self._join()
        try:
            if self._error is not None:
                raise self._error
            if self._begun:
                self._part.replace(self._file)
        except Exception as error:
            raise RunFailed(f"cannot write {self._file}: {error}") from error

    def _convert(self) -> None:
        with self.pipe.open("rb") as lines:
            try:
                heading = lines.readline().decode().rstrip("\n")
                self._begun = heading != ""
                if not self._begun:
                    return
                names = heading.split(",")
                kinds = self._core.DataType
                schema = self._core.Schema([self._core.Field(
                    name, kinds.string() if name in _TEXTS else kinds.int64(), nullable=True) for name in names])
                self._io.write_parquet(
                    self._io.read_csv(lines, schema, has_header=False, batch_size=_ROWS_AT_ONCE), str(self._part),
                    compression="zstd(3)")
            except Exception as error:  # in another thread: finish() raises it
                self._error = error
                while lines.read(_ROWS_AT_ONCE):  # lets the run continue
                    pass


def read(file: Path) -> Table:
    """A table that a run has written."""
    if file.suffix == ".parquet":
        found = wanted("arro3.io", "Parquet", "arrow").read_parquet(str(file)).read_all()
        return Table(columns={name: found[name].to_pylist() for name in found.column_names})
    with file.open(newline="") as lines:
        names, *rows = csv.reader(lines)
    columns = zip(*rows) if rows else [[]] * len(names)
    return Table(columns={name: list(values) if name in _TEXTS else [int(each) if each else None for each in values]
                          for name, values in zip(names, columns)})
