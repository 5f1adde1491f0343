# SPDX-License-Identifier: Apache-2.0
"""A drive as a file (nbdfuse), and a file system of this machine's kernel on it (through a loop device)."""

import contextlib
import os
import subprocess
import threading
import time

LIMIT_S = 60


def run(*command, check=True):
    return subprocess.run(command, check=check, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def is_mounted(path):
    """Unlike os.path.ismount(), also finds a file system that has shut down."""
    with open("/proc/self/mounts", encoding="utf-8") as mounts:
        return any(line.split()[1] == path for line in mounts)


def retry(done):
    """Repeats an action until the kernel has released a resource."""
    for _ in range(1000):
        if done():
            return
        time.sleep(0.01)
    raise RuntimeError("what a power cut left behind stays busy")


def unmount(path, *command):
    if is_mounted(path):
        retry(lambda: run(*command, path, check=False).returncode == 0)


@contextlib.contextmanager
def limited(end):
    """Calls end() if the block takes too long; end() must end the process whose output the block reads."""
    watchdog = threading.Timer(LIMIT_S, end)
    watchdog.start()
    try:
        yield
    finally:
        watchdog.cancel()


class Damaged(Exception):
    """The file system is damaged."""


class DriveFile:
    """The drive as a file."""

    def __init__(self, scratch, uri):
        self.uri = uri
        self.image = os.path.join(scratch, "image")
        self.fuse = None

    def attach(self):
        """Attaches the drive as soon as it accepts connections."""
        deadline = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline:
            with open(self.image, "wb"):
                pass
            self.fuse = subprocess.Popen(["nbdfuse", self.image, self.uri], stderr=subprocess.DEVNULL)
            while self.fuse.poll() is None and time.monotonic() < deadline:
                if is_mounted(self.image):
                    return
                time.sleep(0.005)
            time.sleep(0.02)
        raise RuntimeError("the drive takes no connections")

    def detach(self):
        if self.fuse:
            unmount(self.image, "fusermount3", "-u")
            self.fuse.kill()
            self.fuse.wait()
            self.fuse = None


class FileSystem(DriveFile):
    """A file system that is made, mounted and checked with its own tools, which must be installed."""

    MKFS = {
        "ext4": ["mkfs.ext4", "-q", "-F"],
        "xfs": ["mkfs.xfs", "-q", "-f"],
        "btrfs": ["mkfs.btrfs", "-q", "-f"],
        "f2fs": ["mkfs.f2fs", "-q", "-f"],
    }
    CHECK = {
        "ext4": ["e2fsck", "-f", "-n"],
        "xfs": ["xfs_repair", "-n"],
        "btrfs": ["btrfs", "check"],
        "f2fs": ["fsck.f2fs", "--dry-run"],
    }

    def __init__(self, kind, scratch, uri):
        super().__init__(scratch, uri)
        self.kind = kind
        self.root = os.path.join(scratch, "root")
        self.loop = None
        os.mkdir(self.root)

    def attach(self):
        super().attach()
        self.loop = subprocess.run(
            ["losetup", "--find", "--show", self.image], check=True, stdout=subprocess.PIPE, text=True
        ).stdout.strip()

    def detach(self):
        if self.loop:
            run("losetup", "-d", self.loop, check=False)
            self.loop = None
        super().detach()

    def make(self, *options):
        run(*self.MKFS[self.kind], *options, self.loop)

    def mount(self, options="defaults"):
        result = run("mount", "-t", self.kind, "-o", options, self.loop, self.root, check=False)
        if result.returncode != 0:
            raise Damaged("it cannot be mounted: " + result.stderr.strip())

    def unmount(self):
        unmount(self.root, "umount")

    def check(self):
        result = subprocess.run(
            [*self.CHECK[self.kind], self.loop], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if result.returncode != 0:
            raise Damaged("the file system is damaged:\n" + result.stdout)
