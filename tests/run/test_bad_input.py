"""Bad input of every kind: one sentence that says where, what and what to do; exit code 2; nothing left behind."""
import gzip
import re
import resource
import subprocess

import pytest

from conftest import LOGISTIC, ROOT, call, environment, write_idx

# What is set, and what the sentence must say.
SETTINGS = [
    ("servr.rate=1", r"--set: servr\.rate: unknown key; did you mean \"server\.rate\"\?"),
    ("compressor.kk=3", r"compressor\.kk: unknown key; did you mean \"compressor\.k\"\?"),
    ("lr=0.1", r"--set: lr: unknown key; this program calls it local\.rate \(clients\) or server\.rate \(server\)$"),
    ("local.batch_size=3", r"local\.batch_size: unknown key; this program calls it local\.batch$"),
    ("local.seed=3", r"local\.seed: unknown key; \[local\] has .*; outside of this table there is seed"),
    ("checkpoint.every=3", r"checkpoint\.every: unknown key; \[checkpoint\] has .*seconds.*; outside of this table there is evaluate\.every"),
    ("method=soteria-sgd", r"method = 'soteria-sgd': expected one of .*; did you mean \"soteriafl-sgd\"\?"),
    ("mode=public", r"mode = 'public': expected one of private, authors"),
    ("rounds=0", r"rounds = 0: expected a whole number in \[1,"),
    ("rounds=2.5", r"rounds = 2\.5: expected a whole number"),
    ("rounds=1e3", r"rounds = 1000\.0: expected a whole number; write 1000$"),
    ("rounds=inf", r"rounds = inf: expected a whole number in"),
    ("rounds=1e300", r": expected a whole number in"),
    ("method=LDP-SGD", r'did you mean "ldp-sgd"\?$'),
    ("rounds=many", r"rounds = 'many': expected a whole number"),
    ("server.rate=-1", r"server\.rate = -1(\.0)?: expected a number above 0"),
    ("server.rate=nan", r"server\.rate = nan: expected a number above 0"),
    ("privacy.delta=1", r"privacy\.delta = 1: expected a number in \(0, 1\)"),
    ("clients=701", r"clients = 701: more clients than the 700 records"),
    ("local.batch=101", r"local\.batch = 101: the privacy claim is about minibatches of this size, and the smallest client has at most 100 of"),
    ("compressor.k=32", r"compressor\.k = 32: more than the d = 31 coordinates of the model"),
    ("rate=1", r"--set: rate: unknown key; did you mean \"server\.rate\", \"local\.rate\" or \"gossip\.rate\"\?"),
    ("mode=authors", r"mode = 'authors': this experiment has no authors' settings"),
    ("server.rate=inf", r"server\.rate = inf: expected a number above 0"),
    ("data.nonzeros=31", r"data\.nonzeros = 31: more than data\.features = 30"),
    ("data.features=text", r"data\.features = 'text': expected a whole number"),
    ("problem.kind=network", r"needs dense records"),
    ("data=5", r"data = 5: data is a table of settings"),
    ("start.file=small.toml", r"start\.scale = 0\.2: start\.file is set too"),
    ("start={file='nowhere.txt',scale=0.0}", r"start\.file = 'nowhere\.txt': no such file; a relative path"),
    ("wire.value=float8", r"wire\.value = 'float8': expected one of float32, float64"),
    ("name=../../../../evil", r"name = '../../../../evil': not usable in names of files, it has a slash"),
    ("name=..", r"name = '\.\.': not usable in names of files, it begins with a dot"),
    ('name="a\\nb"', r"name = .*: not usable in names of files, it has a control character"),
    ("no-equal-sign", r"--set no-equal-sign: no '=' found"),
]


@pytest.mark.parametrize("setting, pattern", SETTINGS, ids=[s for s, _ in SETTINGS])
def test_bad_setting(logistic, tmp_path, setting, pattern):
    result = call("run", logistic, "--set", setting, "--output", tmp_path / "x.h5")
    assert result.code == 2
    assert re.search(pattern, result.sentence), result.sentence
    assert result.out == ""
    assert not list(tmp_path.glob("x.h5*"))


def test_a_key_that_the_chosen_parts_ignore_is_refused_on_the_command_line(logistic, tmp_path):
    result = call("run", logistic, "--set", "method=ldp-sgd", "--set", "compressor.k=3")
    assert result.code == 2 and "do not read this key" in result.sentence
    assert "choose parts that use it: compressor rand-k, rand-seq-k, top-k or 3 others (" in result.sentence
    assert call("run", logistic, "--set", "method=ldp-sgd", "--output", tmp_path / "x.h5").code == 0


FILES = [
    ("rounds = \n", r"bad\.toml:1: not valid TOML"),
    ('name = "abc\nrounds = 3\n', r"bad\.toml:1: not valid TOML: a text without its closing quote, or "),
    ('rounds = 3\nname = """abc\n', r"not valid TOML: a text without its closing quote, or "),
    ("[local]\nbatch = 20\nbacth = 3\n", r"bad\.toml:3: local\.bacth: unknown key; did you mean \"local\.batch\"\?"),
    ("rouds = 3\n[local]\nbacth = 3\n", r"bad\.toml:1: rouds: unknown key; did you mean \"rounds\"\? .*bad\.toml:3: local\.bacth"),
    ("aa = 1\nbb = 1\ncc = 1\ndd = 1\nee = 1\nff = 1\n", r"bad\.toml:4: dd: unknown key; .* lists all keys\. 2 more keys are unknown$"),
    ("[methods.ldp-sdg]\nserver.rate = 1\n", r"bad\.toml:1: \[methods\.ldp-sdg\]: unknown name; did you mean \"ldp-sgd\""),
    ("[method.ldp-sgd]\nserver.rate = 1.0\n", r"bad\.toml:2: method\.ldp-sgd\.server\.rate: unknown key; did you mean \[methods\.ldp-sgd\]\?"),
    ("[mods.private]\nlocal.batch = 1\n", r"mods\.private\.local\.batch: unknown key; did you mean \[modes\.private\]\?"),
    ("[methods.ldp-sgd]\nserver.rat = 1.0\n", r"bad\.toml:2: server\.rat: unknown key; did you mean \"server\.rate\""),
    ('base = "gone.toml"\n', r"gone\.toml: no such experiment file"),
    ('base = "bad.toml"\n', r"is it circular"),
    ("", r"bad\.toml: privacy: no noise given; set privacy\.sigma"),
    ("[privacy]\nepsilon = 2.0\n", r"bad\.toml:2: privacy\.epsilon = 2\.0: needs privacy\.delta too"),
]


@pytest.mark.parametrize("text, pattern", FILES, ids=range(len(FILES)))
def test_bad_file(tmp_path, text, pattern):
    (tmp_path / "bad.toml").write_text(text)
    result = call("run", tmp_path / "bad.toml", "--output", tmp_path / "x.h5")
    assert result.code == 2
    assert re.search(pattern, result.sentence), result.sentence


@pytest.mark.parametrize("arguments, sentence", [
    (["run", "x.toml", "--outptu", "y", "--foo"], '--outptu: unknown option of `run`; did you mean "--output"?'),
    (["privacy", "epsilon", "--sigmaa=1"], '--sigmaa: unknown option of `epsilon`; did you mean "--sigma"?'),
    (["--verison"], "--verison: unknown option of `trilemma`; did you mean \"--version\"?"),
    (["run", "x.toml", "--rounds", "10"], "--rounds: unknown option of `run`; --set rounds=VALUE sets it"),
    (["run", "x.toml", "--epsilon=3"], "--epsilon: unknown option of `run`; --set privacy.epsilon=VALUE sets it"),
    (["run", "x.toml", "-o", "y.h5"], "-o: unknown option of `run`; options are written with two dashes: --output, --overwrite"),
    (["run", "x.toml", "--set", "rounds", "=3"],
     "=3: one argument too many; write settings without blanks, as KEY=VALUE"),
    (["run", "x.toml", "--set", "rounds", "=", "3"],
     "=: one argument too many; write settings without blanks, as KEY=VALUE"),
    (["privacy", "epsilon", "--delta", "1e-5", "--sampling", "poison"],
     '--sampling poison: unknown; did you mean "poisson"?'),
    (["privacy", "eps", "--sigma", "1"], 'eps: unknown command of `privacy`; did you mean "epsilon"?'),
    (["privacy", "zzz"], "zzz: unknown command of `privacy`; known are epsilon, sigma, rounds, rate, curve, delta, rdp, tuning, network"),
    (["replay", "x.h5", "y.h5"], "y.h5: one argument too many; `replay --help` lists what it takes"),
    (["run", "x.toml", "--zzzzzzzz"], "--zzzzzzzz: unknown option of `run`; its --help lists them"),
])
def test_an_unknown_option_is_told_the_right_one(arguments, sentence):
    result = call(*arguments)
    assert result.code == 2 and result.sentence == f"trilemma: {sentence}"


def test_missing_experiment_file(tmp_path):
    result = call("run", tmp_path / "none.toml")
    assert result.code == 2 and "no such experiment file" in result.sentence


GOOD = "-1 1:1 3:1 \n+1 2:1 30:0.5 \n-1 5:1 \n+1 4:2\n"
LIBSVM = [
    ("empty", "", r"the file is empty"),
    ("nan", GOOD + "-1 3:nan\n", r"bad:5: a feature value is nan; only finite numbers"),
    ("infinite", GOOD + "-1 3:inf\n", r"bad:5: a feature value is inf"),
    ("zero", GOOD + "-1 0:1\n", r"bad:5: feature index 0, so indices start at 0 here, and index 30 in line 2 is above data\.features = 30 .*"
     r"data\.index_from = 1"),
    ("unsorted", GOOD + "-1 4:1 3:1\n", r"bad:5: feature index 3 follows 4; indices must ascend"),
    ("above", GOOD + "-1 31:1\n", r"bad:5: feature index 31 is above data\.features = 30"),
    ("labels", GOOD + "3 1:1\n", r"bad: 3 different labels \(-1, 1, 3\), but data.classes = 2; fix what is mistyped \(the rarest is .*or set data.classes = 3"),
    ("one-label", "-1 1:1\n-1 2:1\n", r"all records have the label -1"),
    ("garbage", "<html>\n", r"bad: a web page, not LIBSVM text"),
    ("words", "hello world\n", r"bad:1: expected a label, found \"hello world\""),
    ("pair", GOOD + "-1 3 4:1\n", r"bad:5: expected index:value"),
]


@pytest.mark.parametrize("content, pattern", [row[1:] for row in LIBSVM], ids=[row[0] for row in LIBSVM])
def test_bad_libsvm(tmp_path, content, pattern):
    (tmp_path / "bad").write_text(content)
    (tmp_path / "e.toml").write_text(LOGISTIC.split("[data]")[0] + '[data]\nsource = "libsvm"\ntrain = "bad"\n'
                                     'test = ""\nfeatures = 30\n[privacy]\nsigma = 0.1\n')
    result = call("run", tmp_path / "e.toml", "--data-dir", tmp_path, "--output", tmp_path / "x.h5")
    assert result.code == 2
    assert re.search(pattern, result.sentence), result.sentence
    assert not list(tmp_path.glob("x.h5*"))


def damage_truncate(folder):
    data = (folder / "images.gz").read_bytes()
    (folder / "images.gz").write_bytes(data[: len(data) // 2])


def damage_magic(folder):
    (folder / "images.gz").write_bytes((folder / "labels.gz").read_bytes())


def damage_count(folder):
    other = folder / "other"
    other.mkdir()
    write_idx(other, images=402)
    (other / "labels.gz").rename(folder / "labels.gz")


def damage_label(folder):
    raw = bytearray(gzip.decompress((folder / "labels.gz").read_bytes()))
    raw[-1] = 9
    (folder / "labels.gz").write_bytes(gzip.compress(bytes(raw)))


IDX = [
    (damage_truncate, r"images\.gz: (the file ends too early|cannot be inflated)"),
    (damage_magic, r"images\.gz: magic number 0x00000801, but IDX images have 0x00000803"),
    (damage_count, r"labels\.gz: 402 labels for the 403 images"),
    (damage_label, r"labels\.gz: labels 0 to 2, 9 .* data\.classes = 3; label 9 \(.* 402 of "),
    (lambda folder: (folder / "images.gz").unlink(), r"images\.gz: no such data file; `scripts/get-data`"),
    (lambda folder: (folder / "images.gz").write_bytes(b""), r"images\.gz: the file ends too early"),
]


@pytest.mark.parametrize("damage, pattern", IDX, ids=range(len(IDX)))
def test_bad_idx(network, tmp_path, damage, pattern):
    damage(tmp_path)
    result = call("run", network, "--data-dir", tmp_path, "--output", tmp_path / "x.h5")
    assert result.code == 2
    assert re.search(pattern, result.sentence), result.sentence


@pytest.mark.parametrize("setting, pattern", [("rounds=0", "rounds = 0"), ("data.source=libsvm", "no such data file")])
def test_one_sentence_from_many_ranks(logistic, tmp_path, setting, pattern):
    result = call("run", logistic, "--set", setting, "--output", tmp_path / "x.h5", ranks=3)
    assert result.code == 2 and pattern in result.sentence


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


def test_a_file_larger_than_the_memory_is_named(tmp_path):
    """Without MPI, whose start takes more than the limit; the file has holes and takes no room."""
    if call("list", preexec_fn=limit_memory).code != 0:
        pytest.skip("the program does not start with so little memory")
    with open(tmp_path / "large.bin", "wb") as file:
        file.truncate(3073 * 1_000_000)
    (tmp_path / "e.toml").write_text('method = "gd"\n[data]\nsource = "cifar"\ntrain = "large.bin"\ntest = []\n')
    result = call("partition", tmp_path / "e.toml", "--data-dir", tmp_path, preexec_fn=limit_memory)
    assert result.code == 2
    assert re.search(r"large\.bin: not enough memory for its records", result.sentence)


def test_training_on_the_test_file_is_remarked_upon(network, tmp_path):
    result = call("run", network, "--data-dir", tmp_path, "--output", tmp_path / "x.h5")
    assert result.code == 0
    assert "note: " + str(tmp_path / "images.gz") + " is a training file and a test file" in result.err


def test_wrong_arguments():
    assert call("run").code == 2
    assert call("fly").code == 2
    assert "wheels-of-fire: no such family of parts; known are methods, " in call("list", "wheels-of-fire").sentence
    assert call("show", "/nonexistent.h5").code == 2
    for arguments in (["--help"], ["run", "--help"], ["show", "--help"], ["list", "--help"], ["config", "--help"],
                      ["--version"]):
        assert call(*arguments).code == 0


@pytest.mark.parametrize("given, meant", [("compressor", "compressors"), ("method", "methods")])
def test_a_family_in_the_singular_is_corrected(given, meant):
    result = call("list", given)
    assert result.code == 2 and f'{given}: no such family of parts; did you mean "{meant}"?' in result.sentence


@pytest.mark.parametrize("command, kind", [("show", "a run file"), ("verify", "a run file"),
                                           ("config", "an experiment file")])
def test_a_folder_in_place_of_a_file_is_called_one(tmp_path, command, kind):
    result = call(command, tmp_path)
    assert result.code == 2 and f"{tmp_path}: a folder; name {kind} in it" in result.sentence


def test_a_mistyped_command_is_told_the_right_one():
    result = call("runn", "x.toml")
    assert result.code == 2 and result.sentence == 'trilemma: runn: unknown command; did you mean "run"?'


def test_commands_of_the_analysis_are_told_where_they_are():
    shown = subprocess.run([ROOT / "scripts/python", "-m", "trilemma_analysis", "--help"], text=True, capture_output=True,
                           env=environment(PYTHONPATH=str(ROOT / "analysis"), TRILEMMA_PYTHON_MODULES="h5py matplotlib pandas scipy"))
    commands = re.findall(r"^    ([a-z]+)\b", shown.stdout, re.MULTILINE)
    assert "best" in commands and "sweep" in commands
    for command in set(commands) - {"sweep"}:  # which the program has too
        assert call(command).sentence == f"trilemma: {command}: unknown command; that is `scripts/python -m " \
            f"trilemma_analysis {command}`, with analysis in PYTHONPATH"
