#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Clients that an NBD server must survive, on a drive that tb_disk serves: requests beyond the end, of length
# 0 and at 2^63; fast zeros where only slow ones are possible; connections that are cut within a request, or stay silent; 64 connections at once. Afterwards
# the drive must still hold the written data. The script speaks the protocol itself (NBD, doc/proto.md),
# because libraries do not send such requests.
#
#   bad-clients.py SOCKET SIZE_BYTES FAST_ZERO    # 1: the drive writes zeros by trimming, 0: it does not

import socket
import struct
import sys
import time

READ, WRITE, DISCONNECT, FLUSH, TRIM, ZEROES = 0, 1, 2, 3, 4, 6
EINVAL, ENOSPC, ENOTSUP = 22, 28, 95
NO_HOLE, FAST_ZERO = 1 << 1, 1 << 4  # flags of WRITE_ZEROES
REQUEST_MAGIC, REPLY_MAGIC = 0x25609513, 0x67446698
REFUSALS = {READ: EINVAL, WRITE: ENOSPC, TRIM: EINVAL, ZEROES: ENOSPC}  # nbdkit's choice
PAGE = 4096


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(path)
        assert self.receive(16) == b"NBDMAGICIHAVEOPT"
        self.receive(2)
        self.socket.sendall(struct.pack(">I", 3))  # fixed newstyle, no zeroes
        self.socket.sendall(b"IHAVEOPT" + struct.pack(">II", 1, 0))  # the default export
        self.size, _ = struct.unpack(">QH", self.receive(10))

    def receive(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise ConnectionError("the server has closed the connection")
            data += part
        return data

    def send(self, kind, offset, length, data=b"", flags=0):
        self.socket.sendall(struct.pack(">IHHQQI", REQUEST_MAGIC, flags, kind, 1, offset, length) + data)

    def error_of(self, kind, offset, length, data=b"", flags=0):
        """The error in the answer, 0 if there is none."""
        self.send(kind, offset, length, data, flags)
        magic, error, _ = struct.unpack(">IIQ", self.receive(16))
        assert magic == REPLY_MAGIC, hex(magic)
        if error == 0 and kind == READ:
            self.data = self.receive(length)
        return error


def insist(path, use):
    """Uses a new client and returns the outcome; tries again if the server is missing or disappears meanwhile."""
    for _ in range(600):
        try:
            client = Client(path)
            return client, use(client)
        except OSError:
            time.sleep(0.05)
    sys.exit("no server for 30 s")


def check(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: {found!r}, expected {expected!r}")


def main(path, size, fast_zero):
    pattern = bytes(i * 37 % 251 for i in range(PAGE))
    good = Client(path)
    check(good.size, size, "size of the export")
    check(good.error_of(WRITE, size - PAGE, PAGE, pattern), 0, "write to the end")

    for offset, length, what in [
        (size, PAGE, "at the end"),
        (size - 512, PAGE, "across the end"),
        (1 << 63, PAGE, "at 2^63"),
        ((1 << 64) - 512, 1024, "across 2^64"),
    ]:
        for kind, refusal in REFUSALS.items():
            data = bytes(length) if kind == WRITE else b""
            check(good.error_of(kind, offset, length, data), refusal, f"command {kind} {what}")
    for kind, refusal in REFUSALS.items():
        check(good.error_of(kind, 0, 0), refusal, f"command {kind} of length 0")
    check(good.error_of(99, 0, PAGE), EINVAL, "unknown command")

    # Whether or not the server has offered it.
    for flags, refusal in ((FAST_ZERO | NO_HOLE, ENOTSUP), (FAST_ZERO, 0 if fast_zero else ENOTSUP), (0, 0)):
        check(good.error_of(WRITE, 0, PAGE, pattern), 0, "write before zeros")
        check(good.error_of(ZEROES, 0, PAGE, flags=flags), refusal, f"zeros with flags {flags}")
        check(good.error_of(READ, 0, PAGE), 0, "read of zeros")
        check(good.data, pattern if refusal else bytes(PAGE), f"data after zeros with flags {flags}")

    silent = socket.socket(socket.AF_UNIX)
    silent.connect(path)
    noise = socket.socket(socket.AF_UNIX)
    noise.connect(path)
    noise.sendall(bytes(range(256)) * 16)

    # Many clients at once, each with outstanding requests.
    clients = [Client(path) for _ in range(64)]
    for number, client in enumerate(clients):
        client.send(WRITE, number * PAGE, PAGE, bytes([number + 1]) * PAGE)
    for client in clients:
        check(struct.unpack(">IIQ", client.receive(16))[1], 0, "write of one of 64 clients")
    for number, client in enumerate(clients):
        check(client.error_of(READ, number * PAGE, PAGE), 0, "read of one of 64 clients")
        check(client.data, bytes([number + 1]) * PAGE, "what one of 64 clients reads")

    # Byte ranges that are not whole sectors.
    check(good.error_of(WRITE, 64 * PAGE + 511, 2, b"xy"), 0, "write of two bytes")
    check(good.error_of(READ, 64 * PAGE + 510, 4), 0, "read of four bytes")
    check(good.data, b"\0xy\0", "two bytes")

    check(good.error_of(FLUSH, 0, 0), 0, "flush")
    good.send(DISCONNECT, 0, 0)

    # Cut within a request, and with outstanding answers. nbdkit 1.32 may then crash, and must come back.
    for _ in range(8):
        insist(path, lambda half: half.send(WRITE, 0, PAGE, b"half a page"))
        insist(path, lambda many: [many.send(READ, page * PAGE, PAGE) for page in range(32)])
    last, error = insist(path, lambda client: client.error_of(READ, size - PAGE, PAGE))
    check(error, 0, "read of the end")
    check(last.data, pattern, "what was written first")
    print("bad clients: survived")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3] == "1")
