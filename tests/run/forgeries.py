"""Damaged and forged run files and checkpoints, from seeds."""
import hashlib
import struct

import h5py
import numpy as np

SETS = ("head", "run_file", "clients", "client_ends", "common", "server")


def sum_set(file):
    """Name of the data set that holds the checksum; it ends in the version."""
    return next(name for name in file if name.startswith("sha256_of_version_"))


def objects(file):
    """Names of all groups and data sets."""
    names = ["/"]
    file.visit(names.append)
    return names


def damage_bytes(path, rng):
    """Bytes changed, zeroed, exchanged or cut off."""
    data = bytearray(path.read_bytes())
    kind, at = rng.integers(5), int(rng.integers(len(data)))
    if kind == 0:
        del data[at:]
    elif kind == 1:
        data[at:at + 1000] = bytes(len(data[at:at + 1000]))
    elif kind == 2:
        data[at // 8 * 8:at // 8 * 8 + 8] = struct.pack("<Q", int(rng.choice([2**63, 2**32, 2**56, 0, 2**64 - 1])))
    else:
        for place in rng.integers(len(data), size=int(rng.integers(1, 6))):
            data[place] = int(rng.integers(256))
    path.write_bytes(data)


ODD = (np.arange(5000.0), np.full(12, 3.5e-310), "", "\x1b[2J\x1b[31mred", "x" * 60000, np.nan, -1.0, np.int64(2**62),
       h5py.Empty("f8"), np.array([], "f8"), np.bytes_(b"fixed"), True, np.array(["a", "b"], object), 1 + 2j)


def odd_attribute(path, rng):
    with h5py.File(path, "r+") as file:
        owner = file[rng.choice(["/", "/privacy", "/partition"])]
        owner.attrs[rng.choice(sorted(owner.attrs))] = ODD[rng.integers(len(ODD))]


def lost_attribute(path, rng):
    with h5py.File(path, "r+") as file:
        owner = file[rng.choice(["/", "/privacy"])]
        del owner.attrs[rng.choice(sorted(owner.attrs))]


def odd_member(path, rng):
    """Something else under the name of a group or a data set."""
    with h5py.File(path, "r+") as file:
        name = rng.choice(objects(file)[1:])
        del file[name]
        make = (lambda: None,
                lambda: file.__setitem__(name, h5py.ExternalLink("elsewhere.h5", "/x")),
                lambda: file.__setitem__(name, h5py.SoftLink("/config")),
                lambda: file.__setitem__(name, file["/"]),
                lambda: file.create_dataset(name, (0, 2**32, 2**32), "f8", chunks=(1, 1, 1)),
                lambda: file.create_dataset(name, (400_000_000,), "f8", chunks=(1024,)),
                lambda: file.create_dataset(name, (2**61, 8), "f8", chunks=(16, 8)),
                lambda: file.create_dataset(name, (3, 3), "f8", data=np.ones((3, 3))),
                lambda: file.create_dataset(name, (100,), h5py.string_dtype()),
                lambda: file.create_dataset(name, (10,), "f8", external=[("/dev/zero", 0, h5py.h5f.UNLIMITED)]),
                lambda: file.create_dataset(name, (10,), "f8", compression="lzf"))
        make[rng.integers(len(make))]()


def odd_extent(path, rng):
    with h5py.File(path, "r+") as file:
        name = rng.choice([n for n in objects(file) if isinstance(file[n], h5py.Dataset) and file[n].chunks])
        shape = list(file[name].shape)
        shape[rng.integers(len(shape))] = int(rng.choice([0, 3, 2**20, 2**40, 2**62]))
        file[name].resize(shape)


def other_values(path, rng):
    with h5py.File(path, "r+") as file:
        name = rng.choice([n for n in objects(file) if n.startswith(("rounds/", "mpi/", "model/"))])
        file[name][...] = file[name][...] + 1


RUN_WAYS = (damage_bytes, damage_bytes, odd_attribute, odd_attribute, lost_attribute, odd_member, odd_member, odd_extent,
            other_values)


def forge_run(path, seed):
    """Changes a run file in place; returns what was done."""
    rng = np.random.default_rng(seed)
    way = RUN_WAYS[rng.integers(len(RUN_WAYS))]
    way(path, rng)
    return way.__name__


def resum(file):
    """Writes the checksum that the content of a checkpoint now has."""
    total = hashlib.sha256()
    for name in SETS:
        data = file[name][...].tobytes()
        total.update(data + struct.pack("<Q", len(data)))
    file[sum_set(file)][...] = np.frombuffer(total.hexdigest().encode(), np.uint8)


def rewrite(file, name, data):
    file[name].resize((len(data),))
    file[name][...] = np.frombuffer(bytes(data), np.uint8)


def forged_set(path, rng):
    """Content that no run has written, with a checksum that fits."""
    with h5py.File(path, "r+") as file:
        name = SETS[rng.integers(len(SETS))]
        data = bytearray(file[name][...].tobytes())
        kind, at = rng.integers(4), int(rng.integers(max(1, len(data))))
        if kind == 0:
            del data[at:]
        elif kind == 1 and data:
            data[at // 8 * 8:at // 8 * 8 + 8] = struct.pack("<Q", 2**62)
        elif kind == 2 and data:
            data[at] ^= 0xFF
        else:
            data += bytes(64)
        rewrite(file, name, data)
        resum(file)


def lost_set(path, rng):
    with h5py.File(path, "r+") as file:
        del file[rng.choice([*SETS, sum_set(file)])]


def odd_version(path, rng):
    with h5py.File(path, "r+") as file:
        file.attrs["schema_version"] = ODD[rng.integers(len(ODD))]


CHECKPOINT_WAYS = (damage_bytes, damage_bytes, damage_bytes, odd_extent, forged_set, forged_set, lost_set, odd_version,
                   odd_member)


def forge_checkpoint(path, seed):
    """Changes a checkpoint in place; returns what was done."""
    rng = np.random.default_rng(seed)
    way = CHECKPOINT_WAYS[rng.integers(len(CHECKPOINT_WAYS))]
    way(path, rng)
    return way.__name__
