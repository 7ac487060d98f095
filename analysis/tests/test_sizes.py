"""Sizes as people write them."""

import re

import pytest

from trilemma_analysis import RunFileError
from trilemma_analysis.model.sizes import bits_of, prefixed, size


@pytest.mark.parametrize("text, bits", [
    ("1MB", 8e6), ("1 MB", 8e6), ("2.5kB", 20e3), ("1MiB", 8 * 1024**2), ("3Mbit", 3e6), ("64KiB", 64 * 8192),
    ("100bits", 100), ("1 bit", 1), ("7B", 56), ("2bytes", 16), ("1e3 kbit", 1e6), ("0.5GB", 4e9)])
def test_sizes_are_bits(text, bits):
    assert bits_of(text) == bits


@pytest.mark.parametrize("text, words", [
    ("1mb", "'mb' is not a unit, and capitals matter; did you mean MB or Mbit?"), ("1Mb", "did you mean MB or Mbit?"),
    ("1KB", "did you mean kB?"), ("3 kbytes", "did you mean kB?"), ("3mib", "did you mean MiB or Mibit?"),
    ("8MBits", "did you mean Mbit?"), ("1XB", "'XB' is not a unit, and capitals matter; units are B (8 bits), kB"),
    ("5", "the unit is missing; units are B (8 bits), kB, MB"),
    ("MB", "is not a size; write a number and a unit"), ("-1MB", "is not a size"), ("0MB", "larger than 0"),
    ("1.2.3MB", "'1.2.3' is not a number"), ("1e999MB", "finite")])
def test_other_sizes_get_a_sentence(text, words):
    with pytest.raises(RunFileError, match=re.escape(words)) as caught:
        bits_of(text)
    assert str(caught.value).endswith((".", "?"))


def test_sizes_are_shown_as_bytes():
    assert [size(bits) for bits in (8e6, 8, 11_520, float("nan"))] == ["1 MB", "1 B", "1.44 kB", "-"]
    assert prefixed(63360) == "63.4 k"
