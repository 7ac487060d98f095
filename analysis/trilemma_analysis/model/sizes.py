"""Sizes of messages as people write them, and as tables show them."""

from __future__ import annotations

import math
import re

from ..io.errors import RunFileError

# Bits of every unit: decimal and binary multiples of bits and bytes.
PREFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
            "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
UNITS = {prefix + unit: size * bits for unit, bits in (("bit", 1), ("bits", 1), ("B", 8))
         for prefix, size in PREFIXES.items()} | {"byte": 8, "bytes": 8}
WRITTEN = ("B (8 bits), kB, MB, GB, TB (powers of 1000), KiB, MiB, GiB, TiB (powers of 1024), "
           "and bit, kbit, Mbit, Gbit, Tbit")
SIZE = re.compile(r"\s*([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([A-Za-z]*)\s*")


def bits_of(text: str) -> float:
    """Returns the bits of a size such as 1MB (8,000,000), 64 KiB, 2.5 Mbit, 100000 bits. Raises RunFileError for other
    texts."""
    found = SIZE.fullmatch(text)
    if found is None:
        raise RunFileError(f"'{text}' is not a size; write a number and a unit, as in 1MB, 64KiB or 2.5Mbit.")
    number, unit = found.groups()
    if unit not in UNITS:
        if not unit:
            raise RunFileError(f"'{text}': the unit is missing; units are {WRITTEN}.")
        meant = _units_like(unit)
        raise RunFileError(f"'{text}': '{unit}' is not a unit, and capitals matter; "
                           + (f"did you mean {' or '.join(meant)}?" if meant else f"units are {WRITTEN}."))
    try:
        bits = float(number) * UNITS[unit]
    except ValueError:
        raise RunFileError(f"'{text}': '{number}' is not a number.") from None
    if not 0 < bits < math.inf:
        raise RunFileError(f"'{text}': a budget must be larger than 0 and finite.")
    return bits


def _units_like(unit: str) -> list[str]:
    """Returns units that differ from `unit` only in capitals, a final s or 'byte' for B; a small b may stand for bits
    too."""
    word = unit.lower()
    word = re.sub("byte$", "b", word[:-1] if word.endswith("s") else word)
    ends = {"B": "b", "bit": "bit"}
    return [prefix + name for prefix in PREFIXES for name, end in ends.items()
            if word == prefix.lower() + end or (name == "bit" and unit.endswith("b") and word == prefix.lower() + "b")]


def prefixed(value: float) -> str:
    """Returns three significant digits with a decimal prefix: 63360 is '63.4 k'."""
    power = 0
    while abs(value) >= 999.5 and power < 5:
        value /= 1000
        power += 1
    return f"{value:.3g} {'kMGTP'[power - 1]}" if power else f"{value:.3g}"


def size(bits: float) -> str:
    """Returns bits as bytes with a decimal prefix: 8,000,000 bits are '1 MB'."""
    if math.isnan(bits):
        return "-"
    words = prefixed(bits / 8).split()
    return f"{words[0]} {''.join(words[1:])}B"
