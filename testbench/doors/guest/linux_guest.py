# SPDX-License-Identifier: Apache-2.0
"""An initramfs for the installed kernel, and a script for its /init that tests a drive."""
import gzip
import lzma
import pathlib
import shutil
import subprocess

BUSYBOX = pathlib.Path("/bin/busybox")
# Modules of Debian's kernel, including soft dependencies: these come before the modules that need them.
MODULES = ("crct10dif_generic", "crc32c_generic", "crc64_rocksoft_generic", "ext4")
WRITTEN = "written and read again"
DISCARDED = "discarded sectors are zero"
FLUSHED = "flushed"
# Without a local APIC, timer interrupt 0 ticks, and with irqpoll each tick polls every device.
OPTIONS = "console=ttyS0 irqpoll nolapic noapic nohz=off highres=off quiet"
# Sectors from 8 MiB on are after the partition. The statistics are those of Documentation/block/stat.rst.
INIT = """#!/bin/busybox sh
for command in blkdiscard cat cmp dd insmod md5sum mount poweroff sleep sync umount; do
    alias $command="/bin/busybox $command"
done
mount -t proc none /proc; mount -t sysfs none /sys; mount -t devtmpfs none /dev
while read -r module; do insmod /modules/$module; done < /modules/order
for second in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/{partition} ] && break; sleep 1; done
mount -t ext4 /dev/{partition} /mnt && cat /mnt/hello.txt
dd if=/dev/urandom of=/mnt/random bs=4k count=200 2> /dev/null
sync
before=$(md5sum /mnt/random)
umount /mnt && mount -t ext4 /dev/{partition} /mnt && [ "$(md5sum /mnt/random)" = "$before" ] && echo {written}
umount /mnt
for reset in /sys/class/nvme/*/reset_controller; do [ -f $reset ] && echo 1 > $reset; done
from_drive() {{ dd if=/dev/{drive} bs=64k skip=128 count=1 iflag=direct 2> /dev/null; }}
dd if=/dev/urandom of=/random bs=64k count=1 2> /dev/null
dd if=/random of=/dev/{drive} bs=64k seek=128 oflag=direct 2> /dev/null
from_drive | cmp - /random && blkdiscard -o 8388608 -l 65536 /dev/{drive} &&
    from_drive | cmp -n 65536 - /dev/zero && echo {discarded}
set -- $(cat /sys/block/{drive}/stat)
echo "/sys/block/{drive}/stat: $*"
[ "${{12}}" -gt 0 ] && [ "${{16}}" -gt 0 ] && echo {flushed}
poweroff -f
"""


def init(drive, partition):
    """The script of a guest that tests a drive. `drive`, `partition`: their names in /dev."""
    return INIT.format(drive=drive, partition=partition, written=WRITTEN, discarded=DISCARDED, flushed=FLUSHED)


def kernel():
    """The newest kernel whose modules are installed, or None."""
    found = [each for each in pathlib.Path("/boot").glob("vmlinuz-*") if modules_of(each).exists()]
    return max(found, default=None)


def modules_of(image):
    return pathlib.Path("/lib/modules") / image.name.removeprefix("vmlinuz-")


def module_name(file):
    """The module's name, from name.ko or (on Debian 13) name.ko.xz."""
    return pathlib.PurePath(file).name.partition(".")[0]


def copy_module(file, folder):
    content = file.read_bytes()
    if file.suffix == ".xz":
        content = lzma.decompress(content)
    (folder / f"{module_name(file)}.ko").write_bytes(content)


def in_order(folder, wanted):
    """The files of the modules `wanted` and of those that they need, in loading order."""
    needs = {}
    for line in (folder / "modules.dep").read_text(encoding="ascii").splitlines():
        file, _, others = line.partition(":")
        needs[file] = others.split()
    order = []

    def add(file):
        for other in needs[file]:
            if other not in order:
                add(other)
        if file not in order:
            order.append(file)

    for module in wanted:
        for file in needs:
            if module_name(file) == module:
                add(file)
    return order


def initramfs(folder, modules, wanted, script, files=()):
    """An initramfs with the modules `wanted` from the folder `modules`, with /init `script`, and with `files` at
    their paths on this machine."""
    root = folder / "root"
    for each in ("bin", "modules", "proc", "sys", "dev", "mnt"):
        (root / each).mkdir(parents=True)
    shutil.copy(BUSYBOX, root / "bin")
    order = in_order(modules, wanted)
    for file in order:
        copy_module(modules / file, root / "modules")
    (root / "modules/order").write_text("".join(f"{module_name(file)}.ko\n" for file in order), encoding="ascii")
    for file in files:
        (root / file.relative_to("/")).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, root / file.relative_to("/"))
    (root / "init").write_text(script, encoding="ascii")
    (root / "init").chmod(0o755)
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    archive = subprocess.run([BUSYBOX, "cpio", "-o", "-H", "newc"], input=names.encode(), cwd=root, check=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    image = folder / "initramfs"
    image.write_bytes(gzip.compress(archive, 1))
    return image
