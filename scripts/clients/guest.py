#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Linux in QEMU on the drive at $uri: see scripts/clients/guest, which starts this.

Exit code 77: no kernel whose modules are installed, or no busybox.
"""

import os
import pathlib
import shutil
import subprocess
import sys

from filesystem import FileSystem

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "testbench/doors/guest"))
import linux_guest  # noqa: E402

SKIPPED = 77
LIMIT_S = 240
SOURCES = ["docs", "fw", "hw"]
MODULES = ("crct10dif_generic", "crc32c_generic", "crc32_generic", "virtio_pci", "virtio_blk")
DONE = "everything is there"
INIT = """#!/bin/busybox sh
/bin/busybox mkdir -p /usr/bin
/bin/busybox --install -s /usr/bin
export PATH=/usr/sbin:/sbin:/usr/bin
mount -t proc none /proc; mount -t sysfs none /sys; mount -t devtmpfs none /dev
while read -r module; do insmod /modules/$module; done < /modules/order
try() {{
    kind=$1; make=$2; check=$3
    $make /dev/vda > /dev/null && mount -t $kind -o discard /dev/vda /mnt &&
        tar -xf {archive} -C /mnt && (cd /mnt && find . -type f -exec md5sum {{}} + > /sums) &&
        cp -r /mnt/docs /mnt/copy && sync && rm -r /mnt/copy && fstrim /mnt && umount /mnt &&
        $check /dev/vda > /dev/null && mount -t $kind /dev/vda /mnt && (cd /mnt && md5sum -c -s /sums) &&
        umount /mnt && echo $kind: {done}
}}
{tries}
poweroff -f
"""


def with_libraries(program):
    """The program and the shared libraries that it needs, by their paths on this machine."""
    listed = subprocess.run(["ldd", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {pathlib.Path(word) for word in listed.split() if word.startswith("/")} | {pathlib.Path(program)}


def known_to(modules):
    """File systems whose kernel module and tools are installed."""
    files = {linux_guest.module_name(line.partition(":")[0]) for line in (modules / "modules.dep").open(encoding="ascii")}
    return [kind for kind in FileSystem.MKFS
            if kind in files and shutil.which(FileSystem.MKFS[kind][0]) and shutil.which(FileSystem.CHECK[kind][0])]


def main(scratch):
    kernel = linux_guest.kernel()
    if kernel is None or not linux_guest.BUSYBOX.exists():
        print("skipped: linux-image-amd64 or busybox-static is not installed (scripts/setup clients)")
        sys.exit(SKIPPED)
    modules = linux_guest.modules_of(kernel)
    kinds = known_to(modules)
    archive = scratch / "sources.tar"
    subprocess.run(["tar", "-C", PROJECT, "-cf", archive, *SOURCES], check=True)
    files = {archive}
    for kind in kinds:
        files |= with_libraries(shutil.which(FileSystem.MKFS[kind][0])) | with_libraries(shutil.which(FileSystem.CHECK[kind][0]))
    tries = "\n".join(f"try {kind} '{' '.join(FileSystem.MKFS[kind])}' '{' '.join(FileSystem.CHECK[kind])}'" for kind in kinds)
    image = linux_guest.initramfs(scratch, modules, MODULES + tuple(kinds),
                                  INIT.format(archive=archive, done=DONE, tries=tries), sorted(files))
    guest = subprocess.run(
        ["qemu-system-x86_64", "-M", "q35", "-accel", "tcg", "-m", "512", "-nographic", "-no-reboot", "-kernel", kernel,
         "-initrd", image, "-append", "console=ttyS0 quiet",
         "-drive", f"if=none,id=drive,format=raw,discard=unmap,file={os.environ['uri']}", "-device", "virtio-blk-pci,drive=drive"],
        check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace", timeout=LIMIT_S).stdout
    for kind in kinds:
        if f"{kind}: {DONE}" not in guest:
            sys.exit(f"{kind} failed in the guest:\n{guest}")
        print(f"{kind}: {DONE}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
