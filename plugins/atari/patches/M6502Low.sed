# SPDX-License-Identifier: GPL-2.0-only
# For ALE's M6502Low.ins (sed -E -z). Reads at the program counter go through fetch, which remembers
# the page of code; absolute loads and BIT through poll, which knows loops that wait; and each
# instruction is a label that jumps to the next one instead of a case of one switch.
s/peek\(PC(\+\+| \+ 1|)\)/fetch(PC\1)/g
s/operandAddress = PC\+\+;\n  operand = peek\(operandAddress\);/operandAddress = PC++;\n  operand = fetch(operandAddress);/g
s/(case 0x(ad|ae|ac|2C):\n\{[^}]*)operand = peek\(operandAddress\)/\1operand = poll(operandAddress)/g
s/\ncase 0x([0-9a-fA-F]{2}):/\nop_\L\1:/g
s/\nbreak;/\ngoto *next();/g
