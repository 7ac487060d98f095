"""Damaged copies of a run file, the same ones every time: flipped bytes, wrong types, extents, links, values."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import h5py
import numpy as np

TEXT_TYPE = h5py.string_dtype()
# Values that no attribute of a run file has, or not where they are put.
ODD_VALUES = {
    "array": np.arange(5000.0), "pair": np.array([1, 2]), "empty": h5py.Empty("f8"), "text": "abc", "nothing": "",
    "integer": np.int64(7), "huge": np.uint64(2**64 - 1), "negative": np.int64(-3), "number": 0.5,
    "nan": float("nan"), "infinite": float("inf"), "complex": 1 + 2j, "flag": np.bool_(True),
    "bytes": np.bytes_(b"\xff\xfe"),
    "texts": np.array(["a", "b"], TEXT_TYPE), "compound": np.array((1, 2.0), [("a", "i4"), ("b", "f8")]),
}
ODD_TEXTS = {
    "formula": r"$\frac{$", "escape": "\x1b]0;owned\x07\x1b[31m", "lines": "a\nb\r\nc", "arabic": "\u202eabc\u2066",
    "long": "x" * 20000, "percent": "%s%n{0}{x}", "nul": "a\tb\x01", "cjk": "名前\U0001f600",
}
ODD_COLUMNS: dict[str, Callable[[int], object]] = {
    "scalar": lambda n: np.float64(1), "matrix": lambda n: np.ones((n, 2)), "none": lambda n: np.ones(0),
    "long": lambda n: np.ones(n + 5), "short": lambda n: np.ones(max(1, n - 1)),
    "text": lambda n: np.array(["a"] * n, TEXT_TYPE),
    "half": lambda n: np.ones(n, "f2"), "big-endian": lambda n: np.ones(n, ">f8"),
    "complex": lambda n: np.ones(n, "c16"),
    "flags": lambda n: np.ones(n, bool), "nan": lambda n: np.full(n, np.nan), "infinite": lambda n: np.full(n, np.inf),
    "negative": lambda n: -np.arange(n, dtype=float), "tiny": lambda n: np.full(n, 5e-324),
    "vast": lambda n: np.full(n, 1.7e308), "mixed": lambda n: np.array([1e-300, np.inf, -np.inf] * n)[:n],
    "falling": lambda n: np.arange(n, 0, -1).astype(np.uint64), "equal": lambda n: np.ones(n, np.uint64),
    "beyond": lambda n: np.full(n, 2**63, np.uint64), "compound": lambda n: np.zeros(n, [("a", "i4")]),
}


def copies(source: Path, folder: Path, flips: int, seed: int = 1) -> Iterator[Path]:
    """Writes the damaged copies one after the other; each is named by what was done to it."""
    dice = random.Random(seed)
    content = source.read_bytes()
    for i in range(flips):
        changed = bytearray(content)
        for _ in range(dice.choice((1, 1, 2, 8))):
            changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
        path = folder / f"flip-{i}.h5"
        path.write_bytes(changed)
        yield path
    for name, change in (*_attributes(source, dice), *_columns(source, dice), *_links(source, folder)):
        path = folder / f"{name}.h5"
        shutil.copy(source, path)
        with h5py.File(path, "r+") as file:
            change(file)
        yield path


Change = tuple[str, Callable[[h5py.File], None]]


def _attributes(source: Path, dice: random.Random) -> Iterator[Change]:
    with h5py.File(source) as file:
        names = [(group, name) for group in ("/", "/privacy") for name in file[group].attrs]
        texts = [(group, name) for group, name in names if isinstance(file[group].attrs[name], str)]
    for group, name in names:
        yield f"without-{group.strip('/')}-{name}", lambda file, group=group, name=name: file[group].attrs.pop(name)
        for odd in dice.sample(sorted(ODD_VALUES), 3):
            yield f"{group.strip('/')}-{name}-{odd}", _set(group, name, ODD_VALUES[odd])
    for group, name in texts:
        for odd in dice.sample(sorted(ODD_TEXTS), 2):
            prefix = "holds: " if name == "claim" else ""
            yield f"{group.strip('/')}-{name}-text-{odd}", _set(group, name, prefix + ODD_TEXTS[odd])


def _set(group: str, name: str, value: object) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        del file[group].attrs[name]
        file[group].attrs[name] = value
    return change


def _columns(source: Path, dice: random.Random) -> Iterator[Change]:
    with h5py.File(source) as file:
        names = [f"{group}/{name}" for group in ("rounds", "mpi") for name in file[group]]
        rows = len(file["rounds/round"])
    for name in names:
        for odd in dice.sample(sorted(ODD_COLUMNS), 3):
            yield f"{name.replace('/', '-')}-{odd}", _replace(name, ODD_COLUMNS[odd](rows))
    for name in ("phases/seconds", "phases/name", "model/final", "config", "starts/round", "environment/compiler"):
        for odd in ("scalar", "matrix", "none", "long", "text", "compound", "infinite", "flags"):
            yield f"{name.replace('/', '-')}-{odd}", _replace(name, ODD_COLUMNS[odd](rows))
    for name in ("rounds/objective", "phases/seconds", "model/final", "phases/name"):
        yield f"{name.replace('/', '-')}-vast-extent", _vast(name)
    for odd, words in ODD_TEXTS.items():
        yield f"config-{odd}", _replace("config", f'method = "{words}"\nname = {words}\n[server]\nrate = {words}\n')


def _replace(name: str, value: object) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        del file[name]
        file[name] = value
    return change


def _vast(name: str) -> Callable[[h5py.File], None]:
    """An extent of 10^12 values behind which nothing is stored."""
    def change(file: h5py.File) -> None:
        kind = TEXT_TYPE if name.endswith("name") else np.float64
        shape = (10**6, 10**3, 10**3) if name.endswith("seconds") else (10**12,)
        del file[name]
        file.create_dataset(name, shape, kind, maxshape=(None,) * len(shape), chunks=tuple(min(n, 100) for n in shape))
    return change


def _links(source: Path, folder: Path) -> Iterator[Change]:
    def outside(name: str) -> Callable[[h5py.File], None]:
        def change(file: h5py.File) -> None:
            del file[name]
            file[name] = h5py.ExternalLink(str(source), f"/{name}")
        return change

    def soft(name: str, target: str) -> Callable[[h5py.File], None]:
        def change(file: h5py.File) -> None:
            del file[name]
            file[name] = h5py.SoftLink(target)
        return change

    def external(file: h5py.File) -> None:
        rows = len(file["rounds/round"])
        (folder / "raw").write_bytes(np.zeros(rows).tobytes())
        del file["rounds/utility"]
        file.create_dataset("rounds/utility", (rows,), "f8", external=[(str(folder / "raw"), 0, rows * 8)])

    def virtual(file: h5py.File) -> None:
        rows = len(file["rounds/round"])
        layout = h5py.VirtualLayout((rows,), "f8")
        layout[:] = h5py.VirtualSource(str(source), "rounds/utility", (rows,))
        del file["rounds/utility"]
        file.create_virtual_dataset("rounds/utility", layout)

    for name in ("privacy", "rounds", "rounds/utility", "config", "environment", "environment/compiler", "model/final",
                 "starts/round", "phases/name"):
        yield f"{name.replace('/', '-')}-elsewhere", outside(name)
        yield f"{name.replace('/', '-')}-soft", soft(name, f"/{name}")  # leads to itself
        yield f"{name.replace('/', '-')}-root", soft(name, "/")
    yield "rounds-utility-external", external
    yield "rounds-utility-virtual", virtual
