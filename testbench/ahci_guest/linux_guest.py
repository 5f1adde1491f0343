# SPDX-License-Identifier: Apache-2.0
"""An initramfs for the kernel that is installed. Its own /init mounts the drive's first partition, writes and reads."""
import gzip
import lzma
import pathlib
import shutil
import subprocess

BUSYBOX = pathlib.Path("/bin/busybox")
# What Debian's kernel has as modules, soft dependencies too: they come before what wants them.
MODULES = ("crct10dif_generic", "crc32c_generic", "sd_mod", "ahci", "ext4")
WRITTEN = "written and read again"
# Without a local APIC timer interrupt 0 ticks, and with irqpoll each tick looks at every device.
OPTIONS = "console=ttyS0 irqpoll nolapic noapic nohz=off highres=off quiet"
INIT = f"""#!/bin/busybox sh
for command in mount umount cat dd md5sum sleep sync poweroff insmod; do alias $command="/bin/busybox $command"; done
mount -t proc none /proc; mount -t sysfs none /sys; mount -t devtmpfs none /dev
while read -r module; do insmod /modules/$module; done < /modules/order
for second in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/sda1 ] && break; sleep 1; done
mount -t ext4 /dev/sda1 /mnt && cat /mnt/hello.txt
dd if=/dev/urandom of=/mnt/random bs=4k count=200 2> /dev/null
before=$(md5sum /mnt/random)
umount /mnt && mount -t ext4 /dev/sda1 /mnt && [ "$(md5sum /mnt/random)" = "$before" ] && echo {WRITTEN}
umount /mnt
poweroff -f
"""


def kernel():
    """The newest one whose modules are installed, or None."""
    found = [each for each in pathlib.Path("/boot").glob("vmlinuz-*") if modules_of(each).exists()]
    return max(found, default=None)


def modules_of(image):
    return pathlib.Path("/lib/modules") / image.name.removeprefix("vmlinuz-")


def module_name(file):
    """Of name.ko or, as Debian 13 has them, name.ko.xz."""
    return pathlib.PurePath(file).name.partition(".")[0]


def copy_module(file, folder):
    content = file.read_bytes()
    if file.suffix == ".xz":
        content = lzma.decompress(content)
    (folder / f"{module_name(file)}.ko").write_bytes(content)


def in_order(folder, wanted):
    """The files of the modules `wanted` and of what they need, those first that others need."""
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


def initramfs(folder, modules, wanted=MODULES, init=INIT, files=()):
    """With the modules `wanted` out of the folder `modules`, and `files` where they lie here."""
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
    (root / "init").write_text(init, encoding="ascii")
    (root / "init").chmod(0o755)
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    archive = subprocess.run([BUSYBOX, "cpio", "-o", "-H", "newc"], input=names.encode(), cwd=root, check=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    image = folder / "initramfs"
    image.write_bytes(gzip.compress(archive, 1))
    return image
