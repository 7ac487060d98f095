"""privacy.strict: for two data sets that differ in one client, the run files differ only in released values.

Every method is tried with every compressor (scripts/test --all), or a tenth of the methods with a few of them.
"""
import h5py
import numpy as np
import pytest

from conftest import call
from extent import ALL, tenth

EXPERIMENT = """
name = "pair"
clients = 5
rounds = 3
[data]
source = "libsvm"
train = "rows.svm"
test = ""
features = 19
index_from = 1
classes = 2
scaling = "none"
[partition]
kind = "contiguous"
[problem]
kind = "logistic"
lambda = 0.2
[local]
batch = 3
steps = 2
[bound]
threshold = 0.5
[privacy]
sigma = 0.4
delta = 1e-5
strict = true
[shift]
step = 0.5
[server]
rate = 0.3
"""
RECORDS = 6  # of each client
BIASED = ("top-k", "threshold", "adaptive-threshold", "sign", "low-rank", "composition", "rand-k compressor.scaled=false")
# Compressors in other formats, with other kinds of message sizes.
VARIANTS = ("qsgd compressor.code=gamma", "qsgd compressor.code=runs", "qsgd compressor.code=rans",
            "natural-dithering compressor.code=gamma", "top-k compressor.index=fixed", "top-k compressor.index=rice",
            "rand-k compressor.scaled=false", "rand-k compressor.mask=explicit", "rand-k compressor.mask=shared",
            "identity wire.value=bfloat16", "identity wire.value=natural")
FULL, FIXED, POISSON = [], ["participation.kind=fixed-size", "participation.size=2"], [
    "participation.kind=poisson", "participation.rate=0.5"]
# Made of released models, of the machine, or of both.
RELEASED = {"model/final", "rounds/accuracy", "rounds/test_error", "rounds/consensus_error", "rounds/consensus_most"}
OF_THE_MACHINE = {"@content_sha256", "@wall_seconds", "phases/seconds", "phases/peak_memory", "checkpoints/seconds",
                  "mpi/bits_control", "mpi/seconds_under_way"}


def write(folder, one_replaced):
    """Five clients with six records each; in the second data set those of the first client are different."""
    rng = np.random.default_rng(7)
    folder.mkdir()
    lines = []
    for row in range(5 * RECORDS):
        values = rng.normal(size=19)
        if one_replaced and row < RECORDS:
            values = np.where(np.arange(19) < 3, 4.0, 0.0)
        named = " ".join(f"{i + 1}:{value:.5f}" for i, value in enumerate(values) if value != 0)
        lines.append(f"{1 if row % 2 else -1} {named}\n")
    (folder / "rows.svm").write_text("".join(lines))


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """The experiment and the folders of two neighbouring data sets."""
    folder = tmp_path_factory.mktemp("pair")
    (folder / "e.toml").write_text(EXPERIMENT)
    for name, one_replaced in (("one", False), ("other", True)):
        write(folder / name, one_replaced)
    return folder


def run(folder, data, words, ranks=None):
    """The run file, or None if the settings are refused."""
    output = folder / f"{data}.h5"
    output.unlink(missing_ok=True)
    options = [word for setting in words for word in ("--set", setting)]
    result = call("run", folder / "e.toml", "--quiet", *options, "--data-dir", folder / data, "--output", output, ranks=ranks)
    if result.code == 2:
        return None
    assert result.code == 0, (words, result.err)
    return output


def content(path):
    """Every attribute and every data set, except /environment, by path."""
    found = {}

    def add(name, thing):
        if name.startswith(("environment", "starts/environment")):
            return
        if isinstance(thing, h5py.Dataset):
            found[name] = thing[()]
        found.update({f"{name}@{key}": value for key, value in thing.attrs.items()})

    with h5py.File(path) as file:
        found.update({f"@{key}": value for key, value in file.attrs.items()})
        file.visititems(add)
    return found


def same(one, other):
    one, other = np.asarray(one), np.asarray(other)
    if one.shape != other.shape:
        return False
    return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))


def differing(one, other, released=RELEASED):
    """The differences other than released values and those of the machine."""
    one, other = content(one), content(other)
    assert one.keys() == other.keys()
    return sorted(name for name in one if name not in released | OF_THE_MACHINE and not same(one[name], other[name]))


def holds(path):
    with h5py.File(path) as file:
        return file.attrs["claim"].startswith("holds: (")


def sizes_are_released(path):
    """Where every message has its own noise, its size is made of that noise."""
    with h5py.File(path) as file:
        return file["privacy"].attrs["noise_place"] == "client"


SIZES = {"rounds/bits_up_model", "rounds/bits_up_payload", "rounds/bits_edges_model", "rounds/bits_edges_payload",
         "mpi/bits_up", "mpi/bits_up_between_nodes", "mpi/bits_neighbours"}


def compressions():
    names = [line.split()[0] for line in call("list", "compressors").out.splitlines()[1:]]
    assert len(names) >= 18
    return [*names, *VARIANTS]


# Each of another kind: equally long messages, coordinates, levels, both, and lengths that vary most with the vector.
FEW_COMPRESSIONS = ("identity", "top-k", "qsgd compressor.code=gamma", "composition", "threshold")
FEW_METHODS = ("dp-fedavg-clip", "cdp-sgd", "pmtl")


def choices(place, all_of_them):
    """Settings of every compressor, or of a few, with a memory that accepts it."""
    memory = "residual" if place == "server" else "error-feedback"
    for compression in compressions() if all_of_them else FEW_COMPRESSIONS:
        kind, *more = compression.split()
        settings = [f"compressor.kind={kind}", *more, f"privacy.noise_at={place}"]
        if kind in ("rand-k", "top-k", "adaptive-threshold"):
            settings.append("compressor.k=6")
        if compression in BIASED or kind in BIASED:
            settings.append(f"memory.kind={memory}")
        yield settings


def compare(folder, words, ranks=None):
    """Whether there is a pair with a claim that holds, and the differences within it."""
    one, other = (run(folder, data, words, ranks) for data in ("one", "other"))
    assert (one is None) == (other is None), words
    if one is None or not holds(one):
        return 0, []
    released = RELEASED | SIZES if sizes_are_released(one) else RELEASED
    found = differing(one, other, released)
    return 1, [f"{' '.join(words)}: {found}"] if found else []


def test_nothing_differs_with_any_method_and_compressor(pair, methods):
    pairs, found = 0, []
    for method in sorted({*tenth(methods), *FEW_METHODS}):
        for bound in ([], ["bound.kind=clip-client"]):
            if bound and not method.startswith(("cdp", "ldp", "soteria", "fa", "qua", "fed", "async")):
                continue
            for place in ("server", "client"):
                for settings in choices(place, ALL):
                    count, different = compare(pair, [f"method={method}", *bound, *settings])
                    pairs += count
                    found += different
    print(f"{pairs} pairs, {len(found)} differ")
    assert not found, "\n".join(found)
    assert pairs >= (900 if ALL else 40)


@pytest.mark.parametrize("ranks", [None, 3])
def test_nothing_differs_where_clients_are_drawn(pair, methods, ranks):
    pairs, found = 0, []
    for method in tenth(methods) if ranks is None else FEW_METHODS:
        for draws in (FIXED, POISSON):
            for settings in (["compressor.kind=rand-k", "compressor.k=6"], ["compressor.kind=bernoulli"],
                             ["compressor.kind=top-k", "compressor.k=6", "compressor.index=fixed", "memory.kind=residual"]):
                more = ["server_hosts=true", "exchange.ranks_per_node=2"] if ranks else []
                count, different = compare(pair, [f"method={method}", *draws, *settings, *more], ranks)
                pairs += count
                found += different
    print(f"{pairs} pairs, {len(found)} differ")
    assert not found, "\n".join(found)
    assert pairs >= (30 if ALL and ranks is None else 6)


@pytest.mark.parametrize("draws", [FIXED, POISSON])
@pytest.mark.parametrize("place", [["server_hosts=true"], ["exchange.ranks_per_node=2"],
                                   ["exchange.up=overlap", "server_hosts=true"]])
def test_draws_that_the_claim_hides_do_not_show(pair, draws, place):
    """Runs with other seeds draw other clients, and no recorded count reveals which."""
    words = ["method=dp-fedavg-clip", "rounds=6", *draws, *place]
    with h5py.File(run(pair, "one", [*words, "privacy.strict=false"], ranks=3)) as file:
        outside = "; ".join(file["privacy"].attrs["releases_outside"])
        assert "traffic by place, which reveals the participants" in outside
        assert ("numbers of participants" in outside) == (draws is POISSON)
        assert len(set(np.diff(file["mpi/bits_up" if "server_hosts=true" in place else "mpi/bits_up_between_nodes"][:]))) > 1
    files = []
    for seed in range(1, 5):
        made = run(pair, "one", [*words, f"seed={seed}"], ranks=3)
        files.append(made.rename(pair / f"seed-{seed}.h5"))
    with h5py.File(files[0]) as file:
        assert set(file["mpi"]) == {"bits_down", "bits_evaluation"}
    apart = RELEASED | {"@seed", "@fingerprint", "config"}
    for other in files[1:]:
        assert differing(files[0], other, apart) == []


def test_what_is_recorded_without_strict_is_named(pair):
    """The sizes of messages differ, and the claim excludes them by name."""
    words = ["method=dp-fedavg-clip", "compressor.kind=threshold", "memory.kind=residual", "privacy.strict=false"]
    one, other = (run(pair, data, words) for data in ("one", "other"))
    assert "rounds/bits_up_payload" in differing(one, other)
    with h5py.File(one) as file:
        assert "sizes of messages" in "; ".join(file["privacy"].attrs["releases_outside"])
    with h5py.File(run(pair, "one", ["method=dp-fedavg-clip", "privacy.strict=false"])) as file:
        outside = "; ".join(file["privacy"].attrs["releases_outside"])
        assert "sizes of messages" not in outside and "traffic by place" not in outside
    summed = ["method=dp-fedavg-clip", "exchange.up=reduce"]
    with h5py.File(run(pair, "one", [*summed, "privacy.strict=false"])) as file:
        assert "traffic of sums" in "; ".join(file["privacy"].attrs["releases_outside"]) and "bits_up" in file["mpi"]
    with h5py.File(run(pair, "one", summed)) as file:
        assert "bits_up" not in file["mpi"] and "bits_up_payload" in file["rounds"]
    with h5py.File(run(pair, "one", [*summed, "privacy.noise_at=client"])) as file:
        assert "bits_up" in file["mpi"]
    covered = [*words[:2], "memory.kind=error-feedback", "privacy.noise_at=client", "privacy.strict=false"]
    with h5py.File(run(pair, "one", covered)) as file:
        assert "sizes of messages" not in "; ".join(file["privacy"].attrs["releases_outside"])
