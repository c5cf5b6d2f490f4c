# SPDX-License-Identifier: GPL-2.0-only
# For ALE's M6502Low.ins (sed -E -z). What concerns the program counter and memory becomes a call of
# `core` (M6502Low.cxx), the flags N and Z become one value, and each instruction is a label that
# jumps to the next one instead of a case of one switch.
s/operandAddress = PC\+\+;\n  operand = peek\(operandAddress\);/operand = core.fetch();/g
s/(\(uint16_t\))?peek\(PC\) \| \(\(uint16_t\)peek\(PC \+ 1\) << 8\);\n  PC \+= 2;/core.fetchWord();/g
s/PC = low \| \(\(uint16_t\)peek\(PC\+\+\) << 8\);/core.jump(low | (core.fetch() << 8));/g
s/peek\(PC\+\+\)/core.fetch()/g
s/uint16_t address = PC \+ \(int8_t\)operand;\n[^;]*;\n    PC = address;/core.branch(operand);/g
s/PC = (peek\([^)]*\));\n  PC \|= \(\(uint16_t\)(peek\([^)]*\)) << 8\);/const uint16_t low = \1;\n  core.jump(low | (\2 << 8));/g
s/PC = operandAddress;/core.jump(operandAddress);/g
s/PC (>> 8|& 0x(00)?ff)\)/core.pc() \1)/g
s/mySystem->incrementCycles\(mySystemCyclesPerProcessorCycle\)/core.pass(1)/g
s/(case 0x(ad|ae|ac|2C):\n\{[^}]*)operand = peek\(operandAddress\)/\1operand = core.poll(operandAddress)/g
s/([^.a-zA-Z])(peek|poke)\(/\1core.\2(/g
s/notZ = (\w+);\n *N = \1 & 0x(00)?80;/NZ = uint8_t(\1);/g
s/notZ = \(A & operand\);\n  N = operand & 0x80;/NZ = ((A \& operand) != 0) | ((operand \& 0x80) << 8);/g
s/C = N;/C = A >> 7;/g
s/N = C;//g
s/notZ = A;/NZ = A;/g
s/if\(!notZ\)/if(!zeroIsClear())/g
s/if\(notZ\)/if(zeroIsClear())/g
s/if\((!?)N\)/if(\1negative())/g
s/\ncase 0x([0-9a-fA-F]{2}):/\nop_\L\1\E: core.lastWasRead = true;/g
s/\nbreak;/\ngoto *core.next(labels);/g
