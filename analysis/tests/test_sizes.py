"""Sizes as people write them."""

import pytest

from trilemma_analysis import RunFileError
from trilemma_analysis.sizes import bits_of, prefixed, size


@pytest.mark.parametrize("text, bits", [
    ("1MB", 8e6), ("1 MB", 8e6), ("2.5kB", 20e3), ("1MiB", 8 * 1024**2), ("3Mbit", 3e6), ("64KiB", 64 * 8192),
    ("100bits", 100), ("1 bit", 1), ("7B", 56), ("2bytes", 16), ("1e3 kbit", 1e6), ("0.5GB", 4e9)])
def test_sizes_are_bits(text, bits):
    assert bits_of(text) == bits


@pytest.mark.parametrize("text, words", [
    ("1mb", "the unit 'mb' is not known; use bits, B"), ("5", "a unit is missing"), ("1Mb", "the unit 'Mb'"),
    ("MB", "is no size; write a number and a unit"), ("-1MB", "is no size"), ("0MB", "larger than 0"),
    ("1.2.3MB", "'1.2.3' is no number"), ("1e999MB", "finite")])
def test_other_sizes_get_a_sentence(text, words):
    with pytest.raises(RunFileError, match=words.replace(".", r"\.")) as caught:
        bits_of(text)
    assert str(caught.value).endswith(".")


def test_sizes_are_shown_as_bytes():
    assert [size(bits) for bits in (8e6, 8, 11_520, float("nan"))] == ["1 MB", "1 B", "1.44 kB", "-"]
    assert prefixed(63360) == "63.4 k"
