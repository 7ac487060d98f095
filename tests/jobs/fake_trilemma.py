#!/usr/bin/env python3
"""Imitates the program's contract with job scripts, without MPI and in milliseconds: exit code 85 on USR1 and TERM,
checkpoints next to the run file, --resume, the questions to a sweep, config. Settings: rounds, round_seconds,
cell_clients (a list: the axis "clients" of a sweep), stop_every (stops itself after this number of rounds), fail (exit
code), says (then, CELL is replaced by the name of the cell's files), features ("files": found in the data directory), skipped ("0": cell 0 is skipped).
The environment names cells to fail, with code 3 or that of the setting fail_code: FAKE_FAILS="3 7"."""
import hashlib
import json
import os
import re
import signal
import sys
import time
from pathlib import Path

STOP = []


def option(arguments, name, default=None):
    return arguments[arguments.index(name) + 1] if name in arguments else default


def settings(arguments, file):
    found = dict(line.split("=", 1) for line in Path(file).read_text().splitlines() if "=" in line)
    found.update(arguments[i + 1].split("=", 1) for i, word in enumerate(arguments) if word == "--set")
    return {key.strip(): value.strip() for key, value in found.items()}


def train(output, given, rank):
    output = Path(output)
    if output.exists():
        print(f"{output} is complete")
        return 0
    old = sorted(output.parent.glob(output.name + ".checkpoint-*"))
    first = int(json.loads(old[-1].read_text())["round"]) if old else 0
    if int(given.get("fail", 0)):
        name = hashlib.sha256(str(output).encode()).hexdigest()[:12]
        print(f"trilemma: {given.get('says', 'error: told to fail').replace('CELL', name)}", file=sys.stderr)
        return int(given["fail"])
    for round_ in range(first, int(given.get("rounds", 3))):
        time.sleep(float(given.get("round_seconds", 0)))
        done = round_ + 1 - first
        if done == 4 and "says_after_four_rounds" in given:
            Path(f"{given['says_after_four_rounds']}.{rank}").touch()
        if STOP or done == int(given.get("stop_every", 0)):
            if rank == 0:
                output.with_name(f"{output.name}.checkpoint-{round_ + 1:04}").write_text(
                    json.dumps({"round": round_ + 1}))
            return 85
    if rank == 0:
        starts = {"from": first, "sets": given, "arguments": sys.argv[1:],
                  "environment": {k: v for k, v in os.environ.items() if k.startswith("TRILEMMA_")}}
        output.write_text(json.dumps(starts))
        for checkpoint in old:
            checkpoint.unlink()
    return 0


def sweep(arguments, rank):
    given = settings(arguments, arguments[0])
    count = int(given["cells"])
    folder = Path(option(arguments, "--output-dir", "runs/sweeps/fake"))
    if "--count" in arguments:
        print(count)
    elif "--list" in arguments:
        axis = json.loads(given.get("cell_clients", "[]"))
        cells = [{"values": {"clients": clients}} for clients in axis] or [{"values": {}}]
        print(json.dumps({"experiment": "run.toml", "set": {}, "axes": ["clients"] if axis else [], "cells": cells}))
    elif "--status" in arguments:
        states = ["done" if (folder / f"cell-{cell}.h5").exists() else "missing" for cell in range(count)]
        states[:1] = ["skipped"] if given.get("skipped") == "0" else states[:1]
        print(json.dumps({"folder": str(folder), "cells": [{"state": state} for state in states]}))
    elif "--missing" in arguments:
        print(",".join(str(cell) for cell in range(count) if not (folder / f"cell-{cell}.h5").exists()))
    else:
        cell = int(option(arguments, "--run"))
        if str(cell) in os.environ.get("FAKE_FAILS", "").split():
            given["fail"] = given.get("fail_code", "3")
        folder.mkdir(parents=True, exist_ok=True)
        return train(folder / f"cell-{cell}.h5", given, rank)
    return 0


def config(given, data):
    if not given.get("rounds", "3").isdecimal():
        print(f"trilemma: rounds = {given['rounds']}: expected a number.", file=sys.stderr)
        return 2
    if given.get("features") == "files" and not Path(data).is_dir():
        print(f"trilemma: features: not set, but there is no {data}.", file=sys.stderr)
        return 2
    print("\n".join(f"{key} = {value}" for key, value in given.items()))
    return 0


def main():
    for number in (signal.SIGUSR1, signal.SIGTERM):
        signal.signal(number, lambda *_: STOP.append(1))
    rank = int(os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("SLURM_PROCID", "0")))
    kind, arguments = sys.argv[1], sys.argv[2:]
    if kind == "config":
        return config(settings(arguments, arguments[0]), option(arguments, "--data-dir", "data"))
    if kind == "sweep":
        if not re.search(r"^cells *=", Path(arguments[0]).read_text(), re.MULTILINE):
            print("trilemma: error: no sweep", file=sys.stderr)
            return 2
        return sweep(arguments, rank)
    return train(option(arguments, "--output"), settings(arguments, arguments[0]), rank)


if __name__ == "__main__":
    sys.exit(main())
