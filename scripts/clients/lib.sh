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

# Ends the script, as skipped, where a program is missing.
need() {
    local program
    for program in nbdkit "$@"; do
        if ! command -v "$program" >/dev/null; then
            echo "skipped: $program is not installed (scripts/setup --clients)"
            exit "$SKIPPED"
        fi
    done
}

# Serves a drive to this script, unless that has been done.
on_a_drive() {
    if [[ -z ${uri:-} ]]; then
        (($# > 0)) || set -- --preset tiny --quiet
        exec "$BIN/tb_disk" --run "$0" "$@"
    fi
    scratch="$(mktemp -d)"
    trap 'rm -rf "$scratch"' EXIT
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
