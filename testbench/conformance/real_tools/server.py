# SPDX-License-Identifier: Apache-2.0
"""Servers of pretended device nodes, and the environment in which programs see them (device_calls.cpp)."""
import contextlib
import errno
import os
import pathlib
import socketserver
import struct
import sys
import tempfile
import threading
import typing

from conformance.oracle.qtest import QtestError

from . import calls
from .ata_drive import AtaDrive
from .nvme_drive import NvmeDrive

HEADER = struct.Struct("<III")
LIBRARY = "libsolidtlm_device_calls.so"
SMALL = ("--preset", "tiny")
POLL_S = 0.05  # for the end of a server


class Kind(typing.NamedTuple):
    program: str
    drive: type
    calls: type
    nodes: tuple  # kind and path


KINDS = {
    "ata": Kind("tb_ahci", AtaDrive, calls.AtaCalls, (("b", "/dev/sda"),)),
    "nvme": Kind("tb_nvme", NvmeDrive, calls.NvmeCalls, (("c", "/dev/nvme0"), ("b", "/dev/nvme0n1"))),
}


class Device:
    """A simulated drive, which is started when it is first needed."""

    def __init__(self, kind, programs, options=()):
        self.kind = KINDS[kind]
        self.command = pathlib.Path(programs) / self.kind.program, (*SMALL, *options)
        self.lock = threading.Lock()
        self.calls = None
        self.fault = ""  # why it answers no longer

    def _drive(self):
        if self.calls is None:
            self.calls = self.kind.calls(self.kind.drive(*self.command))
            self.calls.drive.start()
        return self.calls.drive

    def call(self, block, request, memory, room):
        with self.lock:
            if self.fault:
                return -errno.EIO, b""
            try:
                self._drive()
                result, written = self.calls.call(block, request, memory, room)
            except OSError as error:
                return -error.errno, b""
            except QtestError as error:
                self.fault = str(error)
                print(f"simulated drive: {error}", file=sys.stderr)
                return -errno.EIO, b""
            return result, written

    def advance(self, seconds):
        with self.lock:
            self._drive().advance(round(seconds * 1_000_000_000))

    def close(self):
        with self.lock:
            if self.calls is not None:
                self.calls.drive.close()


class Connection(socketserver.StreamRequestHandler):
    """One open() of a node."""

    def handle(self):
        with contextlib.suppress(ConnectionError):
            while header := self.rfile.read(HEADER.size):
                request, length, room = HEADER.unpack(header)
                result, written = self.server.device.call(self.server.block, request, self.rfile.read(length), room)
                self.wfile.write(struct.pack("<i", result) + written[:room].ljust(room, b"\0"))


class Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, path, device, block):
        super().__init__(str(path), Connection)
        self.device = device
        self.block = block


class Nodes:
    """A context in which programs with `environment` see the nodes of drives. `drives`: {kind: options}."""

    def __init__(self, programs, drives):
        self.programs = pathlib.Path(programs)
        self.drives = drives

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        self.folder = folder = pathlib.Path(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="solidtlm-")))
        self.devices, lines = {}, []
        for kind, options in self.drives.items():
            device = self.devices[kind] = Device(kind, self.programs, options)
            self.stack.callback(device.close)
            for form, path in device.kind.nodes:
                socket = folder / pathlib.Path(path).name
                server = Server(socket, device, form == "b")
                self.stack.callback(server.server_close)
                threading.Thread(target=server.serve_forever, args=(POLL_S,), daemon=True).start()
                self.stack.callback(server.shutdown)
                lines.append(f"{form} {path} {socket}")
        library = str(self.programs / LIBRARY)
        self.environment = {**os.environ, "SOLIDTLM_DEVICES": "\n".join(lines),
                            "LD_PRELOAD": " ".join(filter(None, (library, os.environ.get("LD_PRELOAD"))))}
        return self

    def __exit__(self, *_):
        self.stack.close()
