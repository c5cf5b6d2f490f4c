"""Copies a shared library and hides all its symbols except those with a prefix.

usage: hide_symbols.py LIBRARY COPY PREFIX

The library itself still finds its hidden symbols. Others neither find them nor replace them, as if
it had been linked with -fvisibility=hidden. 64-bit little-endian ELF only.
"""

import struct
import sys
from pathlib import Path

SHT_DYNSYM = 11
STV_HIDDEN = 2


def sections(elf):
    """Yields (type, offset, size, link) of each section."""
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    entry, count = struct.unpack_from("<HH", elf, 0x3A)
    for i in range(count):
        fields = struct.unpack_from("<IIQQQQII", elf, table + i * entry)
        yield fields[1], fields[4], fields[5], fields[6]


def hide(elf, prefix):
    """Hides the symbols of `elf`, a bytearray. Returns their number."""
    if elf[:6] != b"\x7fELF\x02\x01":
        raise SystemExit("no 64-bit little-endian ELF")
    every = list(sections(elf))
    hidden = 0
    for kind, offset, size, link in every:
        if kind != SHT_DYNSYM:
            continue
        names = every[link][1]
        for symbol in range(offset, offset + size, 24):
            name, _, _, section = struct.unpack_from("<IBBH", elf, symbol)
            defined = section != 0
            if defined and not elf.startswith(prefix, names + name):
                elf[symbol + 5] |= STV_HIDDEN
                hidden += 1
    return hidden


def main():
    library, copy, prefix = sys.argv[1:]
    elf = bytearray(Path(library).read_bytes())
    print(f"{copy}: {hide(elf, prefix.encode())} symbols hidden")
    fresh = Path(copy + ".new")
    fresh.write_bytes(elf)
    fresh.replace(copy)  # trainings that run have the old file mapped


if __name__ == "__main__":
    main()
