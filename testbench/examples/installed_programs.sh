#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What cmake --install has put into PREFIX works from elsewhere: programs, the plugin of tb_disk, manual pages,
# completion.
#
#   installed_programs.sh PREFIX

set -euo pipefail

prefix="$(mktemp -d)"
trap 'rm -rf "$prefix"' EXIT
cp -R "$1/." "$prefix"
cd "$prefix"
fail() {
    echo "error: $*" >&2
    exit 1
}

env -i bin/tb_replay --trace share/solidtlm/traces/sample.nbd.xz --config share/solidtlm/presets/tiny.toml --fit wrap --quiet
env -i bin/tb_replay --preset tiny --workload random,count=100 --quiet --out out
[[ -s out/result.json && -s out/report.html ]] || fail "no result, or no report"

if [[ -x bin/tb_disk ]] && command -v nbdinfo >/dev/null && command -v nbdkit >/dev/null; then
    # shellcheck disable=SC2016 # tb_disk's shell expands it
    bin/tb_disk --preset tiny --quiet --run 'nbdinfo --size $uri' | grep -q '^[0-9]*$' || fail "tb_disk has no plugin"
fi

for program in bin/*; do
    page="share/man/man1/${program#bin/}.1"
    [[ -s $page ]] || continue  # without Python there are none
    # A page has every option of the help, once.
    diff <("$program" --help-all | sed -n 's/^  \(-h,\)\?\(--[a-z-]*\).*/\2/p' | sort) \
        <(sed -n 's/\\-/-/g; s/^\\fB\(-h,\)\?\(--[a-z-]*\).*/\2/p' "$page" | sort) || fail "$page"
done

complete_words() {
    local COMPREPLY=() COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _solidtlm "$1" "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}"
    echo "${COMPREPLY[*]}"
}
# shellcheck disable=SC1091 # a copy of testbench/programs/cli/completion.bash
source share/bash-completion/completions/tb_replay
check_completion() {
    local expected="$1" found
    found="$(complete_words bin/tb_replay "${@:2}")"
    [[ $found == "$expected" ]] || fail "completion of ${*:2} is '$found'"
}
check_completion --queue-depth --queue-d
check_completion tiny --preset ti
check_completion nand.geometry.channels= --set nand.geometry.ch
complete -p tb_replay | grep -q _solidtlm || fail "no completion of tb_replay"
echo "all is well"
