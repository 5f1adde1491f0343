#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a VCD file as pyvcd reads it: `var NAME`, `at TIME`, `NAME VALUE`, one per line."""
import sys

from vcd.reader import TokenKind, tokenize


def main() -> None:
    names = {}
    scopes = []
    with open(sys.argv[1], "rb") as file:
        for token in tokenize(file):
            kind = token.kind
            if kind is TokenKind.SCOPE:
                scopes.append(token.scope.ident)
            elif kind is TokenKind.UPSCOPE:
                scopes.pop()
            elif kind is TokenKind.VAR:
                names[token.var.id_code] = ".".join(scopes + [token.var.ref_str])
                print("var", names[token.var.id_code])
            elif kind is TokenKind.TIMESCALE:
                print("timescale", token.timescale.magnitude, token.timescale.unit.value)
            elif kind is TokenKind.CHANGE_TIME:
                print("at", token.time_change)
            elif kind in (TokenKind.CHANGE_SCALAR, TokenKind.CHANGE_VECTOR, TokenKind.CHANGE_STRING):
                print(names[token.data.id_code], token.data.value)


main()
