# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Completion in bash, of solidtlm and of every program. The programs themselves say what there is.

_solidtlm() {
    local program=("$1") word="$2" before="$3"
    if [[ ${1##*/} == solidtlm ]]; then
        if ((COMP_CWORD == 1)); then
            mapfile -t COMPREPLY < <(compgen -W "$("$1" --help | sed -n 's/^    \([a-z]\+\) .*/\1/p')" -- "$word")
            return
        fi
        program+=("${COMP_WORDS[1]}")
    fi
    local words=""
    case "$before" in
        --preset) words="$("${program[@]}" --list-presets | sed 's/ .*//')" ;;
        --set)
            words="$("${program[@]}" --list-keys | sed -n 's/^\([a-z][A-Za-z0-9_.]*\) = .*/\1=/p')"
            compopt -o nospace 2>/dev/null
            ;;
        *)
            # Files are bash's own.
            [[ $word == -* ]] || return
            words="$({ "${program[@]}" --help-all 2>/dev/null || "${program[@]}" --help; } | sed -n 's/^ *\(-h,\)\?\(--[a-z-]*\).*/\2/p')"
            ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
# bash-completion loads the file that is named after the command.
complete -o default -F _solidtlm "${BASH_SOURCE[0]##*/}"
