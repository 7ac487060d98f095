"""Writes folders of scaling studies whose times can be checked by hand."""
import json

import h5py
import numpy as np

from conftest import PHASES, write_run

WARM = 1000.0  # seconds of the round that is warm-up
NOT_COUNTED = 50.0  # seconds of evaluation


def seconds_of(ranks, **phases):
    """Phases of three rows: the start, a round of warm-up, a round with these seconds (one number, or one by rank)."""
    seconds = np.zeros((3, ranks, len(PHASES)))
    seconds[1] = WARM
    seconds[:, :, PHASES.index("evaluate")] = NOT_COUNTED
    for name, values in phases.items():
        seconds[2, :, PHASES.index(name)] = values
    return seconds


def config_of(up, **more):
    texts = {"server_hosts": "true", "separate_wait": "false"} | more
    return (f"server_hosts = {texts['server_hosts']}\n[exchange]\nup = '{up}'\n"
            f"[timing]\nseparate_wait = {texts['separate_wait']}\n{texts.get('more', '')}")


def write_study(folder, runs, series=({"name": "strong", "kind": "strong"},), axes=(), name="made", warm_up=1):
    """`runs`: dicts of `ranks`, `phases`, and perhaps `series`, `repetition`, `values`, `clients`, `up`, `bytes_up` and
    `bytes_down` of a round, `config`, `run` (for write_run), `state` ("missing"), `cores`, `here`, `others`."""
    folder.mkdir()
    listed = []
    for i, run in enumerate(runs):
        ranks, file = run["ranks"], f"{i:012x}-r1.h5"
        listed.append({"order": i, "series": run.get("series", series[0]["name"]), "ranks": ranks,
                       "repetition": run.get("repetition", 1), "values": run.get("values", {}), "settings": {},
                       "hash": f"{i:012x}", "file": file})
        if run.get("state") == "missing":
            continue
        up, down = (8 * run.get(key, 0) for key in ("bytes_up", "bytes_down"))
        write_run(folder / file, ranks=np.int64(ranks), clients=np.int64(run.get("clients", 16)),
                  seconds=seconds_of(ranks, **run["phases"]),
                  config=config_of(run.get("up", "gather"), **run.get("config", {})),
                  mpi={"bits_up": [0, up, 2 * up], "bits_down": [0, down, 2 * down]}, **run.get("run", {}))
        record = {"cores": run.get("cores", 64), "ranks_here": run.get("here", ranks), "load_before": 0.5,
                  "load_after": 1.0, "others": run.get("others", 0.0)}
        (folder / file).with_suffix(".json").write_text(json.dumps(record))
    manifest = {"schema": "trilemma-study", "schema_version": 1, "name": name, "experiment": "made.toml",
                "warm_up": warm_up, "repetitions": 1, "order_seed": 1, "set": {},
                "axes": {axis: list(dict.fromkeys(run["values"][axis] for run in runs)) for axis in axes},
                "series": list(series), "runs": listed}
    (folder / "study.json").write_text(json.dumps(manifest))
    return folder


def write_network(folder, ranks, broadcast, gather, reduce, warning=False):
    """A calibrated network on which every call takes the same time whatever its size."""
    with h5py.File(folder / f"network-{ranks}.h5", "w") as file:
        file.attrs["schema"], file.attrs["schema_version"] = "trilemma-network", np.int64(1)
        file["facts/ranks"] = np.array([ranks])
        for name, seconds in (("broadcast", broadcast), ("gather", gather), ("reduce", reduce)):
            file[f"{name}/bytes"], file[f"{name}/median"] = np.array([8.0, 1e6]), np.array([seconds, seconds])
        if warning:
            file["facts/warning"] = "ranks share cores"
