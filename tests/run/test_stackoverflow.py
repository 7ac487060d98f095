"""Posts of Stack Overflow as TensorFlow Federated writes them: texts of variable length, users as clients."""
import json

import h5py
import numpy as np
import pytest

from conftest import call, summary
from test_ranks import assert_same_bits

WORDS = ["the", "a", "how", "list", "pointer", "class"]
TAGS = {"java": 5, "python": 9, "c++": 7}
EXPERIMENT = """
method = "fedavg"
rounds = 3
[data]
source = "stackoverflow"
train = "train.h5"
test = "test.h5"
word_counts = "words"
tag_counts = "tags"
features = 6
classes = 3
first_users = 5
[problem]
kind = "softmax"
[local]
steps = 2
batch = 2
rate = 0.5
"""


def write_posts(path, users, posts, seed):
    rng = np.random.default_rng(seed)
    text = h5py.string_dtype("ascii")
    with h5py.File(path, "w") as file:
        for user in users:
            group = file.create_group(f"examples/{user}")
            kinds = rng.integers(0, 3, posts)
            words = [[WORDS[3 + kind]] + list(rng.choice(WORDS, 4)) + ["rare"] for kind in kinds]
            for name, values in [("tokens", [" ".join(one) for one in words]), ("title", ["how"] * posts),
                                 ("tags", [["python|new", "c++", "java|c++|x"][kind] for kind in kinds]),
                                 ("type", ["question"] * posts), ("creation_date", ["2017"] * posts)]:
                group.create_dataset(name, data=values, dtype=text)
            group.create_dataset("score", data=np.zeros(posts, np.int64))


@pytest.fixture
def posts(tmp_path):
    users = [f"{i:08d}" for i in range(7)]
    write_posts(tmp_path / "train.h5", users, 12, 1)
    write_posts(tmp_path / "test.h5", users[2:], 4, 2)
    (tmp_path / "words").write_text("".join(f"{word} {90 - i}\n" for i, word in enumerate(WORDS)))
    (tmp_path / "tags").write_text(json.dumps(TAGS))
    path = tmp_path / "e.toml"
    path.write_text(EXPERIMENT)
    return path


def test_users_are_clients_and_ranks_give_the_same_bits(posts, tmp_path):
    outputs = []
    for ranks in (None, 3):
        outputs.append(tmp_path / f"{ranks}.h5")
        result = call("run", posts, "--data-dir", tmp_path, "--output", outputs[-1], "--quiet", ranks=ranks)
        assert result.code == 0, result.err
    assert_same_bits(*outputs)
    assert summary(outputs[0])["clients"] == 5


def test_a_damaged_file_is_one_sentence(posts, tmp_path):
    content = (tmp_path / "train.h5").read_bytes()
    (tmp_path / "train.h5").write_bytes(content[:len(content) // 2])
    result = call("run", posts, "--data-dir", tmp_path, "--output", tmp_path / "r.h5", "--quiet")
    assert result.code == 2 and "train.h5" in result.sentence and "fetch it again" in result.sentence
