# SPDX-License-Identifier: Apache-2.0
"""Tables that are written during a run (docs/commands.md, docs/decisions.md). The executables write
columns of numbers (docs/commands.md, "The binary form"); for Parquet, they come through a pipe, and the table is never in
memory as a whole."""
import contextlib
import csv
import fcntl
import json
import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from .errors import RunFailed, UserError, kUserError
from .table import Table, wanted

kOptions = ("--commands", "--decisions")
_TEXTS = ("operation", "decision", "why", "area")  # columns that are not numbers
_PIPE_BYTES = 1 << 20  # a run waits less often
_READ_BYTES = 1 << 16


@contextlib.contextmanager
def as_parquet(arguments: list[str]) -> Iterator[tuple[list[str], Callable[[int], None]]]:
    """Arguments for an executable, with pipes in place of tables FILE.parquet, and a function to call with its
    exit code when it has ended: it moves the files to their places, and raises RunFailed if that fails."""
    with tempfile.TemporaryDirectory(prefix="solidtlm.") as folder, contextlib.ExitStack() as stack:
        changed, tables = list(arguments), []
        for at, each in enumerate(arguments):
            option, equals, value = each.partition("=") if "=" in each else (arguments[at - 1], "", each)
            if option in kOptions and value.endswith(".parquet"):
                tables.append(stack.enter_context(_Converted(Path(folder) / f"{option[2:]}.columns", Path(value))))
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
        with self.pipe.open("rb") as stream:
            try:
                with contextlib.suppress(OSError):  # a user who has many pipes gets no longer ones
                    fcntl.fcntl(stream, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
                columns = _columns_of(stream)
                self._begun = columns != []
                if self._begun:
                    self._write(columns, stream)
            except Exception as error:  # in another thread: finish() raises it
                self._error = error
                while stream.read(_READ_BYTES):  # lets the run continue
                    pass

    def _write(self, columns: list[dict[str, Any]], stream: BinaryIO) -> None:
        core, kinds = self._core, self._core.DataType
        schema = core.Schema([core.Field(each["name"], kinds.string() if each["texts"] else kinds.int64(), nullable=True)
                              for each in columns])
        texts = [each["texts"] and core.Array(each["texts"], kinds.string()) for each in columns]

        def array(which: int, values: memoryview) -> Any:
            if columns[which]["optional"]:
                return core.Array(_optional(values), kinds.int64())
            found = core.Array.from_buffer(values)
            return texts[which].take(found) if texts[which] else found

        batches = (core.RecordBatch([array(which, values) for which, values in enumerate(block)], schema=schema)
                   for block in _blocks(stream, len(columns)))
        self._io.write_parquet(core.RecordBatchReader.from_batches(schema, batches), str(self._part),
                               compression="zstd(1)")


def _columns_of(stream: BinaryIO) -> list[dict[str, Any]]:
    """The heading of a file of columns; empty if nothing was written."""
    return json.loads(stream.readline() or "[]")


def _blocks(stream: BinaryIO, columns: int) -> Iterator[list[memoryview]]:
    """The values of each column, some lines at a time."""
    while count := stream.read(8):
        lines = int.from_bytes(count, "little")
        values = memoryview(stream.read(8 * columns * lines)).cast("q")
        yield [values[lines * which:lines * (which + 1)] for which in range(columns)]


def _optional(values: Iterable[int]) -> list[int | None]:
    return [None if each == -1 else each for each in values]


def read(file: Path) -> Table:
    """A table that a run has written."""
    if file.suffix == ".parquet":
        found = wanted("arro3.io", "Parquet", "arrow").read_parquet(str(file)).read_all()
        return Table(columns={name: found[name].to_pylist() for name in found.column_names})
    if file.suffix == ".columns":
        with file.open("rb") as stream:
            return _table(_columns_of(stream), stream)
    with file.open(newline="") as lines:
        names, *rows = csv.reader(lines)
    columns = zip(*rows) if rows else [[]] * len(names)
    return Table(columns={name: list(values) if name in _TEXTS else [int(each) if each else None for each in values]
                          for name, values in zip(names, columns)})


def _table(columns: list[dict[str, Any]], stream: BinaryIO) -> Table:
    found: dict[str, list] = {each["name"]: [] for each in columns}
    for block in _blocks(stream, len(columns)):
        for column, values in zip(columns, block):
            texts = column["texts"]
            found[column["name"]] += ([texts[each] for each in values] if texts else
                                      _optional(values) if column["optional"] else values.tolist())
    return Table(columns=found)
