#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""user-mode-linux on a drive that loses power: see scripts/clients/uml, which starts this.

Linux has this machine's root folder, read-only, as its own, so that it finds Python and this file; it mounts
nothing over a folder that may hold them. It makes ext4 on the drive, works and checks what was promised as
crash.py does. Without --synced the loss has to be found, or the test would be worth nothing; with it every write
is followed by a FLUSH, and nothing may be lost.

--probe: exit code 0 if user-mode-linux runs on this machine. It does not where the registers of a process take
more room than it has set aside, as with AMX.
"""

import argparse
import os
import random
import subprocess
import sys
import time

import crash
from filesystem import DriveFile, limited, run

ROOT = "/dev/drive"  # within the guest, where only /dev can be written
INIT = """#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin TMPDIR=/dev
mount -t proc none /proc && mkdir {root}
{commands}
poweroff -f
"""
MOUNT = f"mount -t ext4 /dev/ubda {ROOT}"
READY = b"the drive is mounted"


class Guest(DriveFile):
    def __init__(self, scratch, uri, synced):
        super().__init__(scratch, uri)
        self.disk = "ubd0s" if synced else "ubd0"
        self.init = os.path.join(scratch, "init")
        self.process = None

    def boot(self, *commands):
        """Yields its output line by line."""
        with open(self.init, "w", encoding="utf-8") as file:
            file.write(INIT.format(root=ROOT, commands="\n".join(commands)))
        os.chmod(self.init, 0o755)
        self.process = subprocess.Popen(
            ["linux.uml", "mem=256M", "rootfstype=hostfs", "rootflags=/", "ro", f"{self.disk}={self.image}", f"init={self.init}",
             "con=null", "con0=null,fd:1", "quiet"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        return self.process.stdout

    def end(self):
        """Ends its processes, which form one session. They are not told of the drive's power."""
        run("pkill", "-KILL", "-s", str(self.process.pid), check=False)

    def kill(self):
        if self.process:
            self.end()
            self.process.wait()
            self.process = None

    def say(self, *commands):
        """Boots, and prints all output until it has ended."""
        lines = self.boot(*commands)
        with limited(self.end):
            said = lines.read()
        self.process.wait()
        self.process = None
        return said.decode("utf-8", "replace")


def check(row, file):
    """Within the guest: the last row found, or an error text."""
    try:
        last = crash.check_database(ROOT, row, False)
        crash.check_file(ROOT, file, last)
    except crash.Broken as broken:
        print("broken:", broken)
        return
    print("last", last)


def rounds(options, guest):
    draw = random.Random(options.seed)
    row = file = 0
    me = f"{sys.executable} {os.path.abspath(__file__)}"
    guest.attach()
    made = guest.say("mkfs.ext4 -q -F /dev/ubda", MOUNT + " && echo made", f"umount {ROOT}")
    if "made" not in made:
        sys.exit("user-mode-linux did not come up:\n" + made)
    guest.detach()
    for cut in range(options.cuts):
        guest.attach()
        work = " ".join(crash.load_command(ROOT, row + 1, False))
        lines = guest.boot(MOUNT, f"echo {READY.decode()}", work)
        with limited(guest.end):
            while (line := lines.readline()) and READY not in line:
                pass
        time.sleep(draw.uniform(0.5, 1.5))
        crash.cut_power(options.drive, draw.randrange(0, 20000))
        time.sleep(0.5)
        guest.kill()
        promised = crash.promises(lines)
        row, file = max(row, promised[0]), max(file, promised[1])
        guest.detach()
        guest.attach()
        found = guest.say(f"{MOUNT} || echo broken: it cannot be mounted",
                          f"grep -q {ROOT} /proc/mounts && {me} --check {row} {file}", f"umount {ROOT}")
        guest.detach()
        verdict = [line for line in found.splitlines() if line.startswith(("broken:", "last "))]
        if not verdict:
            sys.exit("no verdict:\n" + found)
        if verdict[0].startswith("broken:"):
            print(f"cut {cut + 1}, {row} transactions promised: {verdict[0]}")
            return crash.LOST
        row = int(verdict[0].split()[1])
    print(f"{options.cuts} cuts: {row} transactions and their files are there")
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuts", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--synced", action="store_true")
    parser.add_argument("--probe", action="store_true")
    parser.add_argument("--scratch")
    parser.add_argument("--drive", type=int, help="process of tb_disk")
    parser.add_argument("--check", type=int, nargs=2, metavar=("ROW", "FILE"))
    options = parser.parse_args()
    if options.check:
        check(*options.check)
        return
    guest = Guest(options.scratch, os.environ.get("uri"), options.synced)
    if options.probe:
        sys.exit("up" not in guest.say("echo up").split())
    try:
        code = rounds(options, guest)
    finally:
        guest.kill()
        guest.detach()
    sys.exit(code if options.synced else {0: crash.LOST, crash.LOST: 0}[code])


if __name__ == "__main__":
    main()
