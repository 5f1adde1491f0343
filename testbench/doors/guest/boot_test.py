# SPDX-License-Identifier: Apache-2.0
"""Third-party firmware, boot loaders and kernels on the simulated drive: boot_test.py TB_GUEST ahci|nvme GUEST.

Exit code 77: a program is not installed (scripts/setup clients).
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import typing

import linux_guest

SKIPPED = 77
LIMIT_S = 280
SECTOR = 512
PARTITION = 2048  # first sector
IMAGE_BYTES = 6 << 20
PARTITION_SECTORS = IMAGE_BYTES // SECTOR - PARTITION
FAT16, LINUX = 0x06, 0x83  # types of partitions
GREETING = "Read from the simulated drive."
GRUB = pathlib.Path("/usr/lib/grub/i386-pc")
MKE2FS = "/sbin/mke2fs"
OVMF = pathlib.Path("/usr/share/ovmf/OVMF.fd")
U_BOOT = pathlib.Path("/usr/lib/u-boot/qemu-x86_64/u-boot.rom")
QEMU = ("exec qemu-system-x86_64 -M q35,memory-backend=memory,sata=off -accel tcg -m 256M -display none -nodefaults "
        "-serial stdio -no-reboot -object memory-backend-memfd,id=memory,size=256M,share=on "
        "-device x-pci-proxy-dev,fd=$pci_fd,addr=4")

# 16-bit code at 7C00h: reads the sector of the packet at 7C80h with INT 13h, AH = 42h, to 8000h, writes its text to
# the serial port, and resets the machine.
BOOT_CODE = bytes.fromhex("31c0 8ed8 8ec0 8ed0 bc007c"      # segments and stack
                          "be807c b442 cd13 be0080"         # read
                          "ac 84c0 7406 baf803 ee ebf5"     # a character at a time, to 3F8h
                          "b0fe e664 f4 ebfd")              # reset through the keyboard controller
PACKET = bytes([16, 0, 1, 0, 0x00, 0x80, 0, 0]) + (1).to_bytes(8, "little")
SIGNATURE = b"\x55\xaa"
GRUB_SCRIPT = f"""serial --unit=0
terminal_output serial
cat (ahci0,msdos1)/hello.txt
reboot
"""
UEFI_SCRIPT = """@echo -off
fs0:
type hello.txt
cp hello.txt copy.txt
ls
type copy.txt
reset -s
"""


class Interface(typing.NamedTuple):
    """The preset of the drive, and the guests' names for its controller, the drive, and its first partition."""
    preset: str
    u_boot: str
    modules: tuple
    drive: str
    partition: str


INTERFACES = {"ahci": Interface("tiny", "scsi", ("sd_mod", "ahci"), "sda", "sda1"),
              "nvme": Interface("nvme", "nvme", ("nvme",), "nvme0n1", "nvme0n1p1")}


def need(*paths):
    for path in paths:
        if not (pathlib.Path(path).exists() or shutil.which(path)):
            print(f"skipped: {path} is not installed (scripts/setup clients)")
            sys.exit(SKIPPED)


def seabios(folder, _):
    sector = bytearray(BOOT_CODE.ljust(SECTOR, b"\0"))
    sector[0x80:0x80 + len(PACKET)] = PACKET
    sector[-2:] = SIGNATURE
    image = folder / "image"
    image.write_bytes(bytes(sector) + GREETING.encode().ljust(SECTOR, b"\0"))
    return image, QEMU, ()


def partitioned(folder, kind, loader=b""):
    """An image with one partition of `kind`, with `loader` before the partition."""
    disk = bytearray(IMAGE_BYTES)
    disk[:len(loader)] = loader
    disk[446:462] = (bytes([0x80, 0, 2, 0, kind, 0, 2, 0]) + PARTITION.to_bytes(4, "little") +
                     PARTITION_SECTORS.to_bytes(4, "little"))
    disk[510:512] = SIGNATURE
    image = folder / "image"
    image.write_bytes(disk)
    return image


def files(folder):
    """A folder with the files for the file system."""
    place = folder / "files"
    place.mkdir()
    (place / "hello.txt").write_text(GREETING + "\n", encoding="ascii")
    return place


def fat(place, sectors, contents):
    need("mformat", "mcopy")
    subprocess.run(["mformat", "-i", place, "-T", str(sectors), "-h", "16", "-s", "63", "::"], check=True)
    subprocess.run(["mcopy", "-i", place, *map(str, contents.iterdir()), "::"], check=True)


def grub(folder, _):
    need("grub-mkimage", GRUB / "boot.img")
    script, core = folder / "script", folder / "core.img"
    script.write_text(GRUB_SCRIPT, encoding="ascii")
    # GRUB's own AHCI driver, without that of the BIOS.
    subprocess.run(["grub-mkimage", "-O", "i386-pc", "-o", str(core), "-c", str(script), "-p", "/", "ahci", "part_msdos",
                    "fat", "serial", "terminal", "cat", "reboot"], check=True)
    loader = (GRUB / "boot.img").read_bytes()[:440].ljust(SECTOR, b"\0") + core.read_bytes()
    image = partitioned(folder, FAT16, loader)
    fat(f"{image}@@{PARTITION * SECTOR}", PARTITION_SECTORS, files(folder))
    return image, QEMU, ()


def ext4(folder):
    image = partitioned(folder, LINUX)
    subprocess.run([MKE2FS, "-q", "-F", "-t", "ext4", "-d", str(files(folder)), "-E", f"offset={PARTITION * SECTOR}",
                    str(image), f"{PARTITION_SECTORS // 2}k"], check=True)
    return image


def ovmf(folder, _):
    need(OVMF)
    image, contents = folder / "image", files(folder)
    image.write_bytes(bytes(IMAGE_BYTES))
    (contents / "startup.nsh").write_text(UEFI_SCRIPT, encoding="ascii")
    fat(image, IMAGE_BYTES // SECTOR, contents)  # without partitions
    return image, f"{QEMU} -bios {OVMF}", ()


def u_boot(folder, interface):
    need(U_BOOT, MKE2FS)
    # Prompts of U-Boot and the commands to type. It shows memory as hexadecimal and as text, 16 bytes per
    # line.
    bus = interface.u_boot
    dialogue = (("Hit any key", "\n"), ("=> ", "pci enum\n"), ("=> ", f"{bus} scan\n"), ("=> ", f"ls {bus} 0:1\n"),
                ("=> ", f"load {bus} 0:1 1000000 hello.txt\n"), ("=> ", "md.b 1000000 20\n"), ("=> ", "reset\n"))
    return ext4(folder), f"{QEMU} -bios {U_BOOT}", dialogue


def linux(folder, interface):
    kernel = linux_guest.kernel()
    need(kernel or "/boot/vmlinuz-*", linux_guest.BUSYBOX, MKE2FS)
    archive = linux_guest.initramfs(folder, linux_guest.modules_of(kernel), linux_guest.MODULES + interface.modules,
                                    linux_guest.init(interface.drive, interface.partition))
    return ext4(folder), f"{QEMU} -kernel {kernel} -initrd {archive} -append '{linux_guest.OPTIONS}'", ()


# Per guest: the function that makes image, command and dialogue, and the texts that the guest must print,
# each as often as listed.
GUESTS = {"grub": (grub, [GREETING]),
          "linux": (linux, [GREETING, linux_guest.WRITTEN, linux_guest.DISCARDED, linux_guest.FLUSHED]),
          "ovmf": (ovmf, [GREETING, GREETING]),
          "seabios": (seabios, [GREETING]),
          "u-boot": (u_boot, [GREETING[:16]])}


def talk(process, dialogue):
    """All output of the guest until it ends."""
    output, looked_at = "", 0
    rest = list(dialogue)
    while data := process.stdout.read1():
        output += data.decode("utf-8", "replace")
        while rest and (at := output.find(rest[0][0], looked_at)) >= 0:
            looked_at = at + len(rest[0][0])
            process.stdin.write(rest.pop(0)[1].encode())
            process.stdin.flush()
    return output


def main():
    program, interface, guest = sys.argv[1:]
    need(program, "qemu-system-x86_64")
    prepare, wanted = GUESTS[guest]
    drive = INTERFACES[interface]
    with tempfile.TemporaryDirectory(prefix=f"{interface}-guest-") as name:
        image, command, dialogue = prepare(pathlib.Path(name), drive)
        start = time.monotonic()
        process = subprocess.Popen([program, "--preset", drive.preset, "--image", str(image), "--run", command],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        watchdog = threading.Timer(LIMIT_S, process.terminate)
        watchdog.start()
        output = talk(process, dialogue)
        code = process.wait()
        watchdog.cancel()
    print(output)
    print(f"{time.monotonic() - start:.1f} s")
    missing = [text for text in wanted if output.count(text) < wanted.count(text)]
    if missing or code != 0:
        print(f"failed: exit code {code}, the guest did not say {missing}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
