"""Colours of the methods, on light and on dark ground with the contrast that lines and texts need."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence

from matplotlib.colors import to_hex, to_rgb

from ..plot import style

GROUND = {"light": "#ffffff", "dark": "#16181d"}
TEXT = 4.5  # least contrast of texts, which have the colours of their lines


def luminance(colour: str) -> float:
    """Returns the relative luminance of a colour, as WCAG 2 defines it."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Returns the contrast of two colours, from 1 to 21.

    >>> round(contrast("#ffffff", "#000000"))
    21
    """
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def readable(colour: str, ground: str) -> str:
    """Returns the colour, darker or lighter if its contrast with the ground is too low."""
    hue, light, saturation = colorsys.rgb_to_hls(*to_rgb(colour))
    step = -0.01 if luminance(ground) > 0.5 else 0.01
    while contrast(colour, ground) < TEXT and 0 <= light + step <= 1:
        light = min(1.0, max(0.0, light + step))
        colour = to_hex(colorsys.hls_to_rgb(hue, light, saturation))
    return colour


def rules(methods: Sequence[str]) -> str:
    """Returns CSS with the colour of every method, for both grounds. The method at place 2 has the class m2."""
    found = style.colours(methods, False)
    light, dark = ("".join(f".m{i}{{--c:{readable(colour, ground)}}}" for i, colour in enumerate(found))
                   for ground in GROUND.values())
    return f"{light}@media screen and (prefers-color-scheme:dark){{{dark}}}"
