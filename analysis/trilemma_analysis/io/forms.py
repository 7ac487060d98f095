"""The one form in which texts, tables and figures write a kind of number."""

from __future__ import annotations

import math
from collections.abc import Callable

UNKNOWN = "-"
DIGITS_OF_EPSILON = 6
SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
# Every unit that may stand behind a number.
UNITS = ("%", "min", "h", *(unit for _, unit in SECONDS),
         *(f"{prefix}{unit}" for _, prefix in PREFIXES for unit in ("bit", "J", "B")))


def percent(share: float) -> str:
    """Returns a share from 0 to 1 in per cent with one decimal.

    >>> percent(0.8446)
    '84.5 %'
    """
    return UNKNOWN if math.isnan(share) else f"{100 * share:.1f} %"


def points(difference: float) -> str:
    """Returns a difference of two shares in percentage points, with its sign.

    >>> points(-0.017)
    '-1.7'
    """
    return UNKNOWN if math.isnan(difference) else f"{100 * difference:+.1f}"


def epsilon(value: float) -> str:
    """Returns an accounted epsilon with at most six digits, rounded up so that no text promises too much.

    >>> epsilon(0.7180713625753464), epsilon(2.0)
    ('0.718072', '2')
    """
    if math.isnan(value):
        return "not computed"
    if math.isinf(value) or value == 0:
        return f"{value:g}"
    unit = 10.0 ** (math.floor(math.log10(value)) - DIGITS_OF_EPSILON + 1)
    return f"{math.ceil(value / unit * (1 - 1e-9)) * unit:.{DIGITS_OF_EPSILON}g}"


def seconds(value: float) -> str:
    """Returns a time with three digits, in the largest of s, ms, µs and ns that leaves a digit before the point.

    >>> seconds(5e-05), seconds(13.24)
    ('50 µs', '13.2 s')
    """
    return _joined(*_seconds(value))


def duration(value: float) -> str:
    """Returns a long time in whole seconds or minutes, or in hours.

    >>> duration(41.7), duration(600), duration(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if math.isnan(value):
        return UNKNOWN
    minutes = value / 60
    return f"{value:.0f} s" if minutes < 1.5 else f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def _seconds(value: float) -> tuple[str, str]:
    """Returns digits and unit of a time."""
    if math.isnan(value) or value == 0:
        return (UNKNOWN, "") if math.isnan(value) else ("0", "s")
    factor, unit = next(((factor, unit) for factor, unit in SECONDS if abs(value) >= factor), SECONDS[-1])
    return _three(value / factor), unit


def bits(value: float) -> str:
    """Returns bits with three digits and a decimal prefix.

    >>> bits(76800), bits(1e6)
    ('76.8 kbit', '1 Mbit')
    """
    return _joined(*_with_prefix(value, "bit"))


def joules(value: float) -> str:
    """Returns an energy with three digits and a decimal prefix.

    >>> joules(0.25), joules(5.44e6)
    ('0.25 J', '5.44 MJ')
    """
    return _joined(*_with_prefix(value, "J"))


def _with_prefix(value: float, unit: str) -> tuple[str, str]:
    """Returns digits and unit of a number with a decimal prefix."""
    if math.isnan(value):
        return UNKNOWN, ""
    factor, prefix = next(((factor, prefix) for factor, prefix in PREFIXES if abs(value) >= 0.9995 * factor),
                          PREFIXES[-1])
    return _three(value / factor), f"{prefix}{unit}"


def figure(value: float) -> str:
    """Returns any other number, with four digits.

    >>> figure(0.6931471), figure(2.1e36)
    ('0.6931', '2.1e+36')
    """
    return UNKNOWN if math.isnan(value) else f"{value:.4g}"


def span(low: float, high: float, show: Callable[[float], str]) -> str:
    """Returns the ends of an interval with their unit once. Per cent signs are omitted, since the value next to the
    interval has one.

    >>> span(0.88, 0.883, percent), span(15700, 42200, bits), span(0, 42200, bits)
    ('88.0 to 88.3', '15.7 to 42.2 kbit', '0 bit to 42.2 kbit')
    """
    if math.isnan(low):
        return UNKNOWN
    (first, unit), (last, other) = (PARTS.get(show, lambda value: (show(value), ""))(end) for end in (low, high))
    return f"{_joined(first, '' if unit == other else unit)} to {_joined(last, other)}"


def share_or_figure(is_share: bool) -> Callable[[float], str]:
    """Returns the function that formats values of a metric: shares in per cent, others as `figure` does."""
    return percent if is_share else figure


def of_metric(value: float, is_share: bool) -> str:
    """Returns a value of a metric: a share in per cent, any other as `figure` formats it."""
    return share_or_figure(is_share)(value)


def signed(value: float, show: Callable[[float], str]) -> str:
    """Returns a difference with its sign, formatted by `show`. If `show` rounds it to 0, its first digit is given, so
    that the sign has a meaning.

    >>> signed(-0.00004, lambda value: f"{value:.4g}"), signed(-0.00004, "{:.1f}".format)
    ('-4e-05', '-4e-05')
    """
    size = abs(value)
    return ("-" if value < 0 else "+") + (f"{size:.1g}" if size > 0 and show(size) == show(0.0) else show(size))


def signed_points(difference: float) -> str:
    """Returns a difference of two shares in percentage points, with its sign.

    >>> signed_points(-0.0184), signed_points(-0.00004)
    ('-1.8', '-0.004')
    """
    return signed(100 * difference, "{:.1f}".format)


# Digits and unit of the forms that have a unit; an interval has per cent at the value next to it.
PARTS = {seconds: _seconds, bits: lambda value: _with_prefix(value, "bit"),
         joules: lambda value: _with_prefix(value, "J"), percent: lambda share: (f"{100 * share:.1f}", "")}


def _joined(digits: str, unit: str) -> str:
    """Returns digits and their unit."""
    return f"{digits} {unit}" if unit else digits


def _three(value: float) -> str:
    """Returns three digits, never in the form 1e+03."""
    return f"{value:.0f}" if abs(value) >= 999.5 else f"{value:.3g}"
