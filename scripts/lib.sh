# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the scripts share. Source it; it leaves the caller in the root of the project.

set -euo pipefail

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$ROOT"

# Build jobs: all cores unless JOBS says otherwise.
JOBS="${JOBS:-$(nproc)}"

step() { printf '\n== %s\n' "$*"; }

die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# configure PRESET [cmake options]: only when the tree was never configured, or with other options; afterwards
# ninja itself reruns CMake when a CMake file changes. With WERROR=ON warnings are errors, as in CI.
configure() {
    local preset="$1"
    shift
    set -- "-DSOLIDTLM_WERROR=${WERROR:-OFF}" "$@"
    local wanted="build/$preset/.configured-with"
    if [[ ! -f build/$preset/build.ninja ]] || [[ CMakePresets.json -nt $wanted ]] ||
         [[ "$(cat "$wanted" 2>/dev/null || true)" != "$*" ]]; then
        cmake --preset "$preset" "$@"
        printf '%s' "$*" >"$wanted"
    else
        cmake --build "build/$preset" --target build.ninja # where a CMakeLists.txt has changed
    fi
}

# build PRESET [targets]: everything when no target is named.
build() {
    local preset="$1"
    shift
    local targets=()
    if (($# > 0)); then
        targets=(--target "$@")
    fi
    cmake --build "build/$preset" -j "$JOBS" "${targets[@]}"
}

# Options of the sanitizers for the asan preset. SystemC switches stacks for its threads, which the fake stack of
# use-after-return cannot follow.
sanitizer_environment() {
    export ASAN_OPTIONS="detect_leaks=1:detect_stack_use_after_return=0:strict_string_checks=1"
    export LSAN_OPTIONS="suppressions=$ROOT/scripts/lsan.supp:print_suppressions=0"
    export UBSAN_OPTIONS="print_stacktrace=1"
}

# The project's C++ files, or those of them that are named: our_files '*.cpp' [files].
our_files() {
    local pattern="$1"
    shift
    if (($# > 0)); then
        printf '%s\n' "$@"
    else
        find fw hw platform testbench -name "$pattern" -type f | sort
    fi
}

# The commit at which the branch left origin/main (or main); on main itself, the one 20 commits ago. Nothing where the
# history does not tell: then everything counts as changed.
base_of_changes() {
    local main base=""
    for main in origin/main main; do
        if base="$(git merge-base HEAD "$main" 2>/dev/null)"; then
            break
        fi
    done
    if [[ -z $base || $base == "$(git rev-parse HEAD)" ]]; then
        base="$(git rev-parse --verify --quiet HEAD~20 || true)"
    fi
    printf '%s' "$base"
}

# changed_since COMMIT: files that changed since, committed or not, one per line.
changed_since() {
    git diff --name-only "$1"
    git ls-files --others --exclude-standard
}
