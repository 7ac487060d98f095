"""What a run does about what it finds at its output path: every row of the tables in src/run/target_file.cpp and
target_saved.cpp, for each of the six commands."""
import hashlib
import re
import shutil

import h5py
import pytest

from conftest import NETWORK, call, write_idx
from forgeries import resum
from paused import checkpoints, half_way, paused

ASKED = ("start", "start_over", "resume", "resume_over", "extend", "extend_over")
SECRET = ["--set", "privacy.rng=chacha20"]
# What the program says, by what it does.
SAYS = {
    "write": "(?s)^(?!.*(resuming|complete already|are repeated|starting|damaged)).*run file:",
    "complete": "complete already",
    "link": "a symbolic link, through which nothing is written",
    "foreign": "there is something that is not a run file; choose another --output",
    "same": "there is a (complete|partial) run of these settings already; add --overwrite",
    "settings": r"not a run of this experiment with these settings \(seed = 2 there, 1 here\); add --overwrite",
    "width": r"written by a program with float99 numbers, this one has float\d\d; resume with the other program",
    "data": "the data files have changed since .*add --overwrite to make the run again",
    "again": "an unfinished run without a checkpoint .* rounds are repeated",
    "anyway": "no checkpoint to resume from; starting at round 0",
    "damaged": "damaged checkpoint.*; starting over",
    "resume": r"resuming after round 4 from .*x\.h5\.checkpoint-4",
    "end": r"resuming after round 3 from .*short\.h5\.checkpoint-3",
    "keep it": "checkpoint of an unfinished run of this name; add --resume to continue it, or --overwrite",
    "secret": r"\d rounds were released under a secret that no checkpoint holds any longer",
    "no whole": "damaged checkpoint.*; delete it to start over",
    "other": r"checkpoint of an experiment with other settings \(seed = 2 there, 1 here\)",
    "locked": "",
}
DOES = {"write", "complete", "again", "anyway", "damaged", "resume", "end"}


def run(folder, asked, *more):
    """Six rounds into x.h5: of the experiment, or three more for short.h5."""
    words = asked.split("_")
    command = ["run", folder / "short.h5", "--rounds-more", 3] if words[0] == "extend" else [
        "run", folder / "network.toml", "--set", "rounds=6", *more]
    command += ["--resume"] if words[0] == "resume" else []
    command += ["--overwrite"] if words[-1] == "over" else []
    return call(*command, "--data-dir", folder, "--output", folder / "x.h5")


def made(folder, name, *more, rounds=6, code=0):
    result = call("run", folder / "network.toml", "--quiet", "--data-dir", folder, "--set", f"rounds={rounds}", *more,
                  "--output", folder / name)
    assert result.code == code, result.err


def unfinished(folder, *more):
    half_way("run", folder / "network.toml", "--data-dir", folder, "--set", "rounds=6", "--set", "checkpoint.rounds=2",
             *more, "--output", folder / "x.h5", saved=2)


@pytest.fixture(scope="module")
def pieces(tmp_path_factory):
    """A folder for each state that takes a run to make, with the experiment and its first half short.h5."""
    root = tmp_path_factory.mktemp("pieces")
    base = root / "nothing"
    base.mkdir()
    (base / "network.toml").write_text(NETWORK)
    write_idx(base, seed=4)
    made(base, "other data.h5")
    write_idx(base)
    made(base, "finished.h5")
    made(base, "settings.h5", "--set", "seed=2")
    made(base, "short.h5", "--set", "checkpoint.at_end=true", rounds=3)
    for name, more in (("rounds", []), ("settings", ["--set", "seed=2"])):
        shutil.copytree(base, root / name)
        unfinished(root / name, *more)
    shutil.copytree(base, root / "secret")
    for path in checkpoints(root / "secret" / "short.h5"):
        path.unlink()
    made(root / "secret", "short.h5", *SECRET, "--set", "checkpoint.at_end=true", "--overwrite", rounds=3)
    unfinished(root / "secret", *SECRET)
    return root


def state(folder):
    """The files there, by digest."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir() if path.is_file()}


def check(made_folder, tmp_path, expected, *more):
    """Each command in a copy of the folder does what is expected, and changes nothing where it refuses."""
    for asked, action in zip(ASKED, expected, strict=True):
        folder = tmp_path / asked
        shutil.copytree(made_folder, folder, symlinks=True)
        before = state(folder)
        result = run(folder, asked, *more)
        said = result.out + result.err
        assert (result.code == 0) == (action in DOES), (asked, action, said)
        assert re.search(SAYS[action], said), (asked, action, said)
        if action not in DOES:
            assert result.code == 2 and state(folder) == before, (asked, said)


def in_folder(tmp_path, pieces, name="nothing"):
    return shutil.copytree(pieces / name, tmp_path / "made")


# What has the name of the run file. short.h5 has kept its end, from which it is extended.
FILES = {
    "nothing": ["write", "write", "anyway", "write", "end", "end"],
    "link": ["link"] * 6,
    "foreign": ["foreign"] * 6,
    "finished": ["same", "write", "complete", "complete", "complete", "complete"],
    "other width": ["same", "write", "width", "width", "width", "width"],
    "other data": ["same", "write", "data", "write", "data", "end"],
    "unfinished": ["same", "write", "same", "write", "same", "end"],
    "settings": ["settings", "write", "settings", "write", "settings", "end"],
}


@pytest.mark.parametrize("found", FILES)
def test_what_has_the_name_of_the_run_file(pieces, tmp_path, found):
    folder = in_folder(tmp_path, pieces)
    file = folder / "x.h5"
    if found == "link":
        file.symlink_to(folder / "finished.h5")
    elif found == "foreign":
        file.write_bytes(b"not HDF5")
    elif found == "unfinished":
        shutil.copy(pieces / "rounds" / "x.h5.partial", file)
    elif found != "nothing":
        shutil.copy(folder / f"{'finished' if found == 'other width' else found}.h5", file)
    if found == "other width":
        with h5py.File(file, "r+") as h5:
            h5["environment/real"][()] = "float99"
    check(folder, tmp_path, FILES[found])


# What an unfinished run has saved. Without the end of short.h5 its rounds are made again.
SAVED = {
    "rounds": ["again", "write", "again", "write", "end", "end"],
    "secret": ["again", "write", "secret", "write", "secret", "end"],
    "checkpoint": ["keep it", "write", "resume", "resume", "resume", "resume"],
    "damaged": ["keep it", "write", "no whole", "damaged", "no whole", "damaged"],
    "settings": ["keep it", "write", "other", "other", "other", "end"],
    "other width": ["keep it", "write", "width", "width", "width", "width"],
}


@pytest.mark.parametrize("found", SAVED)
def test_what_an_unfinished_run_has_saved(pieces, tmp_path, found):
    folder = in_folder(tmp_path, pieces, {"secret": "secret", "settings": "settings"}.get(found, "rounds"))
    saved = checkpoints(folder / "x.h5")
    assert len(saved) == 2
    if found in ("damaged", "other width"):
        with h5py.File(saved.pop(), "r+") as h5:
            head = bytes(h5["head"][:])
            end = head.index(b"float") + len("float")
            h5["head"][end:end + 2] = list(b"99")
            if found == "other width":
                resum(h5)
    if found in ("rounds", "secret", "damaged", "other width"):
        for path in saved:
            path.unlink()
    check(folder, tmp_path, SAVED[found], *(SECRET if found == "secret" else []))


def test_a_file_that_is_being_written(pieces, tmp_path):
    """Nothing is said about its rounds; that another process writes it is the run file's to refuse."""
    folder = in_folder(tmp_path, pieces)
    with paused("run", folder / "network.toml", "--data-dir", folder, "--set", "rounds=6", "--set", "checkpoint.rounds=2",
              "--output", folder / "x.h5"):
        for path in checkpoints(folder / "x.h5"):
            path.unlink()
        for asked in ("start", "start_over"):
            result = run(folder, asked)
            assert result.code == 2 and "x.h5.partial" in result.sentence and "are repeated" not in result.err, result.err


def test_a_finished_run_without_its_end(pieces, tmp_path):
    """Its rounds are made again, unless their noise came from a secret."""
    for name, code, says in (("nothing", 0, "its 3 rounds are repeated first, with the same noise"),
                             ("secret", 2, "its noise came from a secret that is gone with its last checkpoint")):
        folder = shutil.copytree(pieces / name, tmp_path / name)
        for path in (*checkpoints(folder / "short.h5"), *folder.glob("x.h5*")):
            path.unlink()
        for asked in ("extend", "extend_over"):
            result = run(folder, asked)
            assert result.code == code and says in result.err, (name, asked, result.err)
            for path in folder.glob("x.h5*"):
                path.unlink()
