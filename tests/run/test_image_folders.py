"""Images in folders, from file to run file: the checksum of a folder, and the same bits on any number of ranks."""
import hashlib
import zipfile

import h5py
import numpy as np
import pytest

from conftest import call
from test_ranks import assert_same_bits

Image = pytest.importorskip("PIL.Image")

EXPERIMENT = """
method = "fedavg"
rounds = 2
clients = 4
[data]
source = "tiny-imagenet"
images = "tiny"
per_class = 4
[problem]
kind = "softmax"
[local]
steps = 2
batch = 2
rate = 0.01
[evaluate]
every = 1
"""


def save(path, value, rng):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(rng.integers(value, value + 60, (64, 64, 3)).astype(np.uint8)).save(path, "JPEG")


@pytest.fixture
def tiny(tmp_path):
    rng = np.random.default_rng(1)
    folder = tmp_path / "tiny"
    for label, name in enumerate(("n01", "n02")):
        for i in range(5):
            save(folder / f"train/{name}/images/{name}_{i}.JPEG", 20 + 120 * label, rng)
    for i in range(4):
        save(folder / f"val/images/val_{i}.JPEG", 20 + 120 * (i % 2), rng)
    (folder / "wnids.txt").write_text("n01\nn02\n")
    (folder / "val/val_annotations.txt").write_text("".join(f"val_{i}.JPEG\tn0{i % 2 + 1}\t0\t0\t63\t63\n"
                                                            for i in range(4)))
    path = tmp_path / "e.toml"
    path.write_text(EXPERIMENT)
    return path


def run(file, output, *more, **options):
    result = call("run", file, "--data-dir", file.parent, "--output", output, "--quiet", *more, **options)
    assert result.code == 0, result.err
    return output


def sums(output):
    with h5py.File(output) as h5:
        return h5["environment/data_files"][()].decode()


@pytest.mark.parametrize("scaling", ["standard", "none"])
def test_ranks_that_decode_parts_give_the_same_bits(tiny, tmp_path, scaling):
    more = ["--set", f"data.scaling={scaling}"]
    alone = run(tiny, tmp_path / "1.h5", *more)
    assert_same_bits(alone, run(tiny, tmp_path / "3.h5", *more, ranks=3))


def test_the_checksum_of_a_folder_is_that_of_all_its_files(tiny, tmp_path):
    output = run(tiny, tmp_path / "r.h5")
    folder = tmp_path / "tiny"
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    lines = "".join(f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in files)
    assert sums(output) == f"{hashlib.sha256(lines.encode()).hexdigest()}  tiny/\n"
    verified = call("verify", output, "--rerun", "--data-dir", tmp_path)
    assert "the repeated run has the same" in " ".join(verified.out.split()), verified.err
    save(folder / "train/n01/images/n01_4.JPEG", 90, np.random.default_rng(2))
    changed = call("verify", output, "--rerun", "--data-dir", tmp_path)
    assert "data files have changed" in changed.err and "tiny/" in changed.err


def test_an_archive_gives_the_bits_of_the_folder(tiny, tmp_path):
    with zipfile.ZipFile(tmp_path / "tiny.zip", "w") as archive:
        for path in (tmp_path / "tiny").rglob("*"):
            archive.write(path, path.relative_to(tmp_path))
    folder = run(tiny, tmp_path / "folder.h5")
    archive = run(tiny, tmp_path / "archive.h5", "--set", "data.images=tiny.zip")
    with h5py.File(folder) as one, h5py.File(archive) as other:
        assert np.array_equal(one["model/final"][:], other["model/final"][:])


def test_a_damaged_image_is_one_sentence(tiny, tmp_path):
    image = tmp_path / "tiny/train/n02/images/n02_3.JPEG"
    image.write_bytes(image.read_bytes()[:700])
    result = call("run", tiny, "--data-dir", tmp_path, "--output", tmp_path / "r.h5", "--quiet")
    assert result.code == 2
    assert "n02_3.JPEG: cannot be decoded" in result.sentence
