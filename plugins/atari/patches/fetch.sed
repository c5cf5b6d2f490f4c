# SPDX-License-Identifier: GPL-2.0-only
# For ALE's M6502Low.ins (sed -E -z): reads at the program counter go through fetch, which remembers
# the page of code.
s/peek\(PC(\+\+| \+ 1|)\)/fetch(PC\1)/g
s/operandAddress = PC\+\+;\n  operand = peek\(operandAddress\);/operandAddress = PC++;\n  operand = fetch(operandAddress);/g
