"""Sizes of messages as people write them, and as tables show them."""

from __future__ import annotations

import math
import re

from .reader import RunFileError

# Bits of every unit: decimal and binary multiples of bits and bytes.
PREFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
            "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
UNITS = {prefix + unit: size * bits for unit, bits in (("bit", 1), ("bits", 1), ("B", 8))
         for prefix, size in PREFIXES.items()} | {"byte": 8, "bytes": 8}
SIZE = re.compile(r"\s*([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([A-Za-z]*)\s*")


def bits_of(text: str) -> float:
    """The bits of a size such as 1MB (8,000,000), 64 KiB, 2.5 Mbit, 100000 bits. Raises RunFileError in words."""
    found = SIZE.fullmatch(text)
    if found is None:
        raise RunFileError(f"'{text}' is no size; write a number and a unit, as in 1MB, 64KiB, 2.5Mbit or 100000bits.")
    number, unit = found.groups()
    if unit not in UNITS:
        what = f"the unit '{unit}' is not known" if unit else "a unit is missing"
        raise RunFileError(f"'{text}': {what}; use bits, B (8 bits), kB, MB, GB (powers of 1,000), KiB, MiB, GiB "
                           "(powers of 1,024), kbit, Mbit or Gbit.")
    try:
        bits = float(number) * UNITS[unit]
    except ValueError:
        raise RunFileError(f"'{text}': '{number}' is no number.") from None
    if not 0 < bits < math.inf:
        raise RunFileError(f"'{text}': a budget must be larger than 0 and finite.")
    return bits


def prefixed(value: float) -> str:
    """Three significant digits with a decimal prefix: 63360 is '63.4 k'."""
    power = 0
    while abs(value) >= 999.5 and power < 5:
        value /= 1000
        power += 1
    return f"{value:.3g} {'kMGTP'[power - 1]}" if power else f"{value:.3g}"


def size(bits: float) -> str:
    """Bits as bytes, with a decimal prefix: 8,000,000 bits are '1 MB'."""
    if math.isnan(bits):
        return "-"
    words = prefixed(bits / 8).split()
    return f"{words[0]} {''.join(words[1:])}B"
