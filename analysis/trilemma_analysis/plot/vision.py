"""How far apart two colours look, with normal vision and with three kinds of colour blindness."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.colors import to_rgb

# What dichromats see of linear RGB (Machado, Oliveira and Fernandes, 2009, severity 1).
VISIONS = {
    "normal": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                            [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                              [-0.011820, 0.042940, 0.968881]]),
    "tritanopia": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                            [0.004733, 0.691367, 0.303900]]),
}
XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                [0.0193339, 0.1191920, 0.9503041]])  # of linear sRGB
WHITE = XYZ.sum(axis=1)


def contrast(colour: str) -> float:
    """Returns the contrast of a colour to white, from 1 to 21 (WCAG 2)."""
    return float(1.05 / (XYZ[1] @ _linear([colour])[0] + 0.05))


def distance(one: str, other: str, vision: str = "") -> float:
    """Returns the CIEDE2000 distance of two colours in CIELAB for one of VISIONS, by default the least of all."""
    return float(min(distances([one], [other], name)[0, 0] for name in ([vision] if vision else VISIONS)))


def distances(ones: Sequence[str], others: Sequence[str], vision: str) -> np.ndarray:
    """Returns the CIEDE2000 distances of colours (rows) from others (columns)."""
    return _ciede2000(lab(ones, vision)[:, None], lab(others, vision)[None])


def lab(colours: Sequence[str], vision: str = "normal") -> np.ndarray:
    """Returns the colours in CIELAB (D65), a row each."""
    ratio = np.clip(_linear(colours) @ VISIONS[vision].T, 0, 1) @ XYZ.T / WHITE
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)


def _linear(colours: Sequence[str]) -> np.ndarray:
    """Returns linear RGB of sRGB colours."""
    rgb = np.array([to_rgb(colour) for colour in colours])
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def _ciede2000(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Returns the colour difference of CIE 142-2001 between rows of L, a, b."""
    chroma = (np.hypot(one[..., 1], one[..., 2]) + np.hypot(two[..., 1], two[..., 2])) / 2
    stretch = 1.5 - 0.5 * np.sqrt(chroma**7 / (chroma**7 + 25.0**7))
    c1, c2 = (np.hypot(each[..., 1] * stretch, each[..., 2]) for each in (one, two))
    h1, h2 = (np.arctan2(each[..., 2], each[..., 1] * stretch) for each in (one, two))
    turn = np.where(c1 * c2 == 0, 0.0, (h2 - h1 + np.pi) % (2 * np.pi) - np.pi)
    hue = np.where(c1 * c2 == 0, h1 + h2, h1 + turn / 2)
    light, c = (one[..., 0] + two[..., 0]) / 2, (c1 + c2) / 2
    t = (1 - 0.17 * np.cos(hue - np.radians(30)) + 0.24 * np.cos(2 * hue)
         + 0.32 * np.cos(3 * hue + np.radians(6)) - 0.20 * np.cos(4 * hue - np.radians(63)))
    by_light = (two[..., 0] - one[..., 0]) / (1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2))
    by_chroma = (c2 - c1) / (1 + 0.045 * c)
    by_hue = 2 * np.sqrt(c1 * c2) * np.sin(turn / 2) / (1 + 0.015 * c * t)
    degrees = np.degrees(hue) % 360
    twist = -2 * np.sqrt(c**7 / (c**7 + 25.0**7)) * np.sin(np.radians(60 * np.exp(-((degrees - 275) / 25) ** 2)))
    return np.sqrt(np.maximum(0, by_light**2 + by_chroma**2 + by_hue**2 + twist * by_chroma * by_hue))
