# SPDX-License-Identifier: Apache-2.0
#
# For the scripts in scripts/clients, each of which is a client of a simulated drive: started by hand it
# starts tb_disk with itself as the command; there it finds $uri. Options go to tb_disk; without any, the
# drive is a small one. $BIN is where tb_disk is, build/release/bin if not set. $scratch is a folder that goes
# away.

# shellcheck shell=bash
set -euo pipefail

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
BIN="${BIN:-$ROOT/build/release/bin}"
readonly SKIPPED=77

# Ends the script, as skipped.
skip() {
    echo "skipped: $1"
    exit "$SKIPPED"
}

# Where a program is missing.
need() {
    local program
    for program in nbdkit "$@"; do
        command -v "$program" >/dev/null || skip "$program is not installed (scripts/setup clients)"
    done
}

# Where the kernel cannot mount a drive.
need_block_device() {
    need nbdfuse fusermount3 losetup
    if ((EUID != 0)) || [[ ! -w /dev/fuse || ! -w /dev/loop-control ]]; then
        skip "only root mounts drives, where there are fuse and loop devices"
    fi
}

# Whether the kernel and the tools know a file system.
has_filesystem() {
    command -v "mkfs.$1" >/dev/null &&
        { grep -qw "$1" /proc/filesystems || modprobe -q "$1" 2>/dev/null; }
}

# Device options: 400 MiB are enough for mkfs.xfs.
# shellcheck disable=SC2034
SMALL_FOR_LINUX=(--quiet --set ssd.capacity=400MiB --set nand.geometry.channels=2 --set nand.geometry.dies=2
    --set nand.geometry.planes=2 --set nand.geometry.blocks=64 --set nand.geometry.pages=128)

# Serves a drive to this script, unless that has been done.
on_a_drive() {
    if [[ -z ${uri:-} ]]; then
        (($# > 0)) || set -- --preset tiny --quiet
        exec "$BIN/tb_disk" --run "$0" "$@"
    fi
    scratch="$(mktemp -d)"
    trap 'rm -rf "$scratch"' EXIT
}

# PROGRAM WORD...: what try() starts, on a new drive each time. A program that cuts power itself.
on_drives_that_lose_power() {
    losing_power=("$@")
    scratch="$(mktemp -d)"
    trap 'rm -rf "$scratch"' EXIT
}

# NAME OPTION... -- DEVICE OPTION...: the program with further options.
try() {
    local command=("${losing_power[@]}" --scratch "$scratch/$1")
    mkdir "$scratch/$1"
    shift
    while [[ $1 != -- ]]; do
        command+=("$1")
        shift
    done
    shift
    "$BIN/tb_disk" --quiet --after-power-cut boot "$@" --run "$(printf '%q ' "${command[@]}") --drive \$PPID"
}

# FILE BYTES: random contents, with a hole in the middle third.
make_image() {
    local file="$1" bytes="$2" third
    third=$((bytes / 3 / 4096 * 4096))
    truncate -s "$bytes" "$file"
    head -c "$third" /dev/urandom | dd of="$file" conv=notrunc status=none
    head -c $((bytes - 2 * third)) /dev/urandom |
        dd of="$file" conv=notrunc status=none oflag=seek_bytes seek=$((2 * third))
}
