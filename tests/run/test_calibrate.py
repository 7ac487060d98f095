"""`trilemma calibrate` and `predict`: what a network takes, and what runs would take on it."""
import json
import shutil

import h5py
import numpy as np
import pytest

from conftest import LOGISTIC, call

OPERATIONS = ["point_to_point", "broadcast", "gather", "reduce"]


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """A network file of two ranks on this machine."""
    file = tmp_path_factory.mktemp("network") / "n.h5"
    result = call("calibrate", "--largest", "64kB", "--seconds", "0.02", "--output", file, ranks=2)
    assert result.code == 0, result.err
    return file, result


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Runs of two compressors."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "x.toml").write_text(LOGISTIC)
    files = [folder / "identity.h5", folder / "rand-k.h5"]
    for file in files:
        assert call("run", folder / "x.toml", "--set", f"compressor.kind={file.stem}", "--output", file, "--quiet").code == 0
    return files


def test_times_come_with_intervals_samples_and_a_fit(network):
    file, result = network
    for word in OPERATIONS + ["interval of 95 %", "2 ranks on 1 host", "memory of all ranks together: "]:
        assert word in result.out
    with h5py.File(file) as h5:
        assert h5.attrs["schema"] == "trilemma-network"
        assert h5["facts/ranks"][0] == 2
        assert 1e8 < h5["facts/memory_bandwidth"][0] < 1e13 and h5["facts/memory_bandwidth"].attrs["units"] == "byte/s"
        for operation in OPERATIONS:
            table = {name: column[:] for name, column in h5[operation].items()}
            assert list(table["bytes"]) == [8, 32, 128, 512, 2048, 8192, 32768, 64000]
            assert (table["repetitions"] >= 6).all()
            assert (table["low"] <= table["median"]).all() and (table["median"] <= table["high"]).all()
            assert (table["low"] > 0).all()
            samples = h5[f"{operation}_samples/seconds"][:]
            of = h5[f"{operation}_samples/bytes"][:]
            for size, count, median in zip(table["bytes"], table["repetitions"], table["median"]):
                assert (of == size).sum() == count
                assert np.median(samples[of == size]) == pytest.approx(median)
            assert h5[f"facts/{operation}_latency"].attrs["units"] == "s"
            errors = []
            for start, end, latency, beta, error in zip(*(h5[f"{operation}_fit/{name}"][:] for name in (
                    "from", "to", "latency", "seconds_per_byte", "error"))):
                here = (table["bytes"] >= start) & (table["bytes"] <= end)
                errors.append(abs((latency + beta * table["bytes"][here]) / table["median"][here] - 1).max())
                assert errors[-1] == pytest.approx(error)
            assert 1 <= len(errors) <= 3 and max(errors) == pytest.approx(h5[f"facts/{operation}_fit_error"][0])
            # Where other programs make short messages wait, time may not grow with the size.
            assert h5[f"facts/{operation}_bandwidth"][0] == (pytest.approx(1 / beta) if beta > 0 else np.inf)
        assert h5["facts/rule"].asstr()[()] in ("open-mpi", "mpich")


def test_further_sizes_are_measured(tmp_path):
    file = tmp_path / "n.h5"
    words = ["--largest", "1kB", "--seconds", "0.01", "--size", "203560B", "--size", "40B", "--quiet"]
    assert call("calibrate", *words, "--output", file, ranks=2).code == 0
    with h5py.File(file) as h5:
        assert list(h5["gather/bytes"]) == [8, 32, 40, 128, 512, 1000, 203560]


def test_one_rank_has_no_network(tmp_path):
    result = call("calibrate", "--output", tmp_path / "n.h5")
    assert result.code == 2 and "mpirun -n 2 trilemma calibrate" in result.sentence
    assert not (tmp_path / "n.h5").exists()


@pytest.mark.parametrize("words, problem", [(["--largest", "8 furlongs"], "--largest 8 furlongs"),
                                            (["--largest", "8B"], "64 B to 1 GiB"), (["--size", "7B"], "--size 7B: choose 8 B to 1 GiB"), (["--seconds", "0"], "--seconds 0")])
def test_options_are_checked(tmp_path, words, problem):
    result = call("calibrate", "--output", tmp_path / "n.h5", *words, ranks=2)
    assert result.code == 2 and problem in result.sentence


def test_nothing_else_is_replaced(tmp_path, network, runs):
    file, _ = network
    before = file.read_bytes()
    result = call("calibrate", "--output", file, ranks=2)
    assert result.code == 2 and "a network file already; add --overwrite" in result.sentence
    result = call("calibrate", "--output", runs[0], "--overwrite", ranks=2)
    assert result.code == 2 and "is not a network file" in result.sentence
    assert file.read_bytes() == before


def test_predictions_follow_from_the_traffic(runs):
    """On a link so slow that nothing else counts, a run takes as long as its bits do at rank 0."""
    answer = json.loads(call("predict", *runs, "--bandwidth", "1kbit", "--ranks", 8, "--json").out)
    (slow,) = answer["networks"]
    for prediction, file in zip(slow["predictions"], runs):
        with h5py.File(file) as h5:
            bits = h5["rounds/bits_up_payload"][-1] + h5["rounds/bits_down_payload"][-1]
        assert prediction["down"] + prediction["up"] == pytest.approx(bits / 1000, rel=1e-9)  # seven clients on seven ranks
        assert prediction["rounds"] == 6
    assert slow["first"] == 1


def test_messages_travel_wherever_ranks_do_not_sum_them(tmp_path, logistic):
    """Overlap sends what gather sends; reduce sends sums of 30 numbers and their largest one there and back."""
    up = {}
    for exchange in ("gather", "overlap", "reduce"):
        file = tmp_path / f"{exchange}.h5"
        assert call("run", logistic, "--output", file, "--quiet", "--set", f"exchange.up={exchange}").code == 0
        answer = json.loads(call("predict", file, "--bandwidth", "1kbit", "--ranks", 8, "--json").out)
        up[exchange] = answer["networks"][0]["predictions"][0]["up"]
    assert up["overlap"] == up["gather"] == pytest.approx(6 * 7 * 4 * 32 / 1000)
    assert up["reduce"] > 2 * up["gather"]


def test_the_crossing_is_where_both_take_equally_long(runs):
    answer = json.loads(call("predict", *runs, "--latency", "1ms", "--json").out)
    assert len(answer["networks"]) == 16
    seconds = [[p["seconds"] for p in network["predictions"]] for network in answer["networks"]]
    assert all(a[0] >= b[0] for a, b in zip(seconds, seconds[1:]))
    for crossing in answer["crossings"]:
        at = [json.loads(call("predict", *runs, "--latency", "1ms", "--bandwidth", f"{factor * crossing['bandwidth']:.0f}bit",
                              "--json").out)["networks"][0]["first"] for factor in (0.9, 1.1)]
        assert at == [crossing["below"], crossing["above"]]


LATENCY, PER_BYTE = 1e-4, 8e-8  # of a link with 100 Mbit/s


def shaped(file, ranks=3, noise=1.0, operation=None):
    """A network file of ranks behind 100 Mbit/s links, all calls linear; the times of every second size of an operation
    are multiplied by `noise`."""
    sizes = 8.0 * 4 ** np.arange(10)
    with h5py.File(file, "w") as h5:
        h5.attrs["schema"], h5.attrs["schema_version"] = "trilemma-network", 2
        h5["facts/ranks"], h5["facts/rule"] = np.array([ranks]), "open-mpi"
        for name in OPERATIONS:
            copies = 1 if name == "point_to_point" else ranks - 1
            seconds = LATENCY + PER_BYTE * copies * sizes
            if name == operation:
                seconds[::2] *= noise
            h5[f"{name}/bytes"] = sizes
            for column in ("median", "low", "high"):
                h5[f"{name}/{column}"] = seconds
    return file


def test_a_measured_network_is_used_as_measured(network, runs, tmp_path):
    file, _ = network
    measured = json.loads(call("predict", runs[0], "--network", file, "--json").out)["networks"][0]
    assert measured["measured"] and measured["ranks"] == 2 and measured["topology"] == "calibrated"
    other = json.loads(call("predict", runs[0], "--network", file, "--ranks", 5, "--json").out)["networks"][0]
    assert not other["measured"] and other["ranks"] == 5 and other["measured_ranks"] == 2
    text = call("predict", *runs, "--network", shaped(tmp_path / "n.h5")).out
    assert "3 ranks as measured in" in text and "first: run" in text


def test_a_shaped_link_is_as_fast_as_it_is_at_the_sizes_of_the_runs(runs, tmp_path):
    """A first burst passes at memory speed, as on a link with a token bucket: no single line fits."""
    file = shaped(tmp_path / "n.h5")
    with h5py.File(file, "r+") as h5:
        for name in OPERATIONS:
            for column in ("median", "low", "high"):
                h5[f"{name}/{column}"][:5] = 2e-5  # up to 2 kB
    big = tmp_path / "big.h5"
    made = call("run", runs[0].parent / "x.toml", "--set", "data.features=50000", "--output", big, "--quiet")
    assert made.code == 0, made.err
    for topology in ("calibrated", "star"):
        answer = json.loads(call("predict", big, "--network", file, "--ranks", "13", "--topology", topology, "--json").out)
        (network,) = answer["networks"]
        down = next(call for call in network["predictions"][0]["calls_per_round"] if call["operation"] == "broadcast")
        assert down["algorithm"] == "linear" and down["server_bytes"] == 12 * down["bytes"] and down["bytes"] > 200_000
        assert down["seconds"] == pytest.approx(12 * down["bytes"] * PER_BYTE, rel=0.05)
        assert network["bandwidth"] == pytest.approx(100e6, rel=0.01)


def test_topologies_are_named_with_their_algorithms(runs, tmp_path):
    described = ["predict", *runs, "--latency", "4us", "--bandwidth", "100Gbit", "--ranks", 64]
    star, tree = (call(*described, "--topology", topology).out for topology in ("star", "tree"))
    assert "64 ranks, star: all messages pass the link of rank 0" in star and "linear" in star
    assert "64 ranks, tree: messages are forwarded as Open MPI 4.1 does" in tree and "4-nomial tree" in tree
    assert call(*described).out == star.replace("of rank 0, each", "of rank 0 (--topology tree: MPI forwards), each")
    seconds = {}
    for topology in ("star", "tree"):
        (network,) = json.loads(call(*described, "--topology", topology, "--json").out)["networks"]
        assert network["topology"] == topology
        seconds[topology] = network["predictions"][0]["down"]
    assert seconds["tree"] != seconds["star"]
    file = shaped(tmp_path / "n.h5")
    assert "as measured between two in" in call("predict", runs[0], "--network", file, "--topology", "tree").out
    assert "13 ranks, calibrated: as measured on 3 in" in call("predict", runs[0], "--network", file, "--ranks", 13).out


def test_numbers_of_ranks_make_a_table(runs, tmp_path):
    words = ["--network", shaped(tmp_path / "n.h5"), "--ranks", "3,60,120"]
    text = call("predict", *runs, *words).out
    assert text.startswith("3, 60, 120 ranks, calibrated") and "    ranks       run 1" in text
    networks = json.loads(call("predict", *runs, *words, "--json").out)["networks"]
    assert [network["ranks"] for network in networks] == [3, 60, 120]
    assert [network["measured"] for network in networks] == [True, False, False]
    alone = json.loads(call("predict", *runs, *words[:-1], 60, "--json").out)["networks"]
    assert networks[1] == alone[0]
    answer = json.loads(call("predict", *runs, "--latency", "1ms", "--ranks", "8,16", "--bandwidth", "1Mbit", "1Gbit", "--json").out)
    assert [network["ranks"] for network in answer["networks"]] == [8, 8, 16, 16]


@pytest.mark.parametrize("ranks", [(), ("--ranks", 13)])
def test_no_ranking_rests_on_times_without_a_fit(runs, tmp_path, ranks):
    """The operation that the runs use, or a different one."""
    asked = ["predict", *runs, "--network", shaped(tmp_path / "n.h5", noise=3, operation="gather"), *ranks]
    text, answer = call(*asked).out, json.loads(call(*asked, "--json").out)
    assert "first:" not in text and text.count("no ranking") == 1 and "its gather of" in text
    (network,) = answer["networks"]
    assert network["first"] is None and "no ranking" in answer["note"]
    assert {each["operation"] for each in network["unknown"]} == {"gather"}
    assert all(each["uncertainty"] > 0.2 for each in network["unknown"])
    asked[asked.index("--network") + 1] = shaped(tmp_path / "n.h5", noise=3, operation="reduce")
    assert "first: run" in call(*asked).out and "no ranking" not in call(*asked).out


def test_a_badly_measured_network_is_told(runs, tmp_path):
    def answers(share, warning=None):
        file = shaped(tmp_path / "n.h5")
        with h5py.File(file, "r+") as h5:
            for operation in OPERATIONS:
                median = h5[operation]["median"][:]
                h5[operation]["low"][:], h5[operation]["high"][:] = median * (1 - share), median * (1 + share)
            if warning:
                h5["facts/warning"] = warning
        asked = ["predict", runs[0], "--network", file]
        return call(*asked).out, json.loads(call(*asked, "--json").out)["note"]

    for told in answers(0.3):
        assert "known to 30 % only" in told and "calibrate while nothing else runs" in told
    for told in answers(0.01):
        assert "known to" not in told
    for told in answers(0.01, "ranks share cores"):
        assert f"{tmp_path / 'n.h5'} was measured with a warning (ranks share cores), so that predictions are" in told


def test_times_without_their_intervals_are_refused(network, runs, tmp_path):
    def sentence(change):
        file = tmp_path / "n.h5"
        shutil.copy(network[0], file)
        with h5py.File(file, "r+") as h5:
            change(h5["gather"])
        refused = call("predict", runs[0], "--network", file)
        assert refused.code == 2
        return refused.sentence

    def outside(table):
        table["high"][2] = table["median"][2] / 2

    def missing(table):
        del table["low"]

    assert "gather holds a time outside of its interval; measure the network again" in sentence(outside)
    assert "/gather/low: is missing" in sentence(missing)


def test_runs_are_told_by_their_exchange(runs, tmp_path):
    (tmp_path / "x.toml").write_text(LOGISTIC)
    summed = tmp_path / "reduce.h5"
    assert call("run", tmp_path / "x.toml", "--set", "exchange.up=reduce", "--output", summed, "--quiet").code == 0
    out = call("predict", runs[0], summed, "--bandwidth", "1Mbit").out
    assert ", gather (" in out and ", reduce (" in out


def test_an_accuracy_that_is_not_reached_is_said(runs):
    result = call("predict", runs[0], "--bandwidth", "1Mbit", "--accuracy", 1)
    assert result.code == 0 and "does not reach the accuracy" in result.out


def test_runs_on_different_data_are_told(runs, tmp_path):
    (tmp_path / "x.toml").write_text(LOGISTIC)
    other = tmp_path / "other.h5"
    made = call("run", tmp_path / "x.toml", "--set", "data.features=9", "--output", other, "--quiet")
    assert made.code == 0, made.err
    told = "run 1 was made on other data than run 2"
    assert told in call("predict", runs[0], other, "--bandwidth", "1Mbit").out
    strict = tmp_path / "strict.h5"
    made = call("run", tmp_path / "x.toml", "--set", "privacy.strict=true", "--set", "data.scaling=none", "--output", strict, "--quiet")
    assert made.code == 0, made.err
    assert told not in call("predict", runs[0], strict, "--bandwidth", "1Mbit").out


def test_runs_that_were_evaluated_at_other_rounds_are_told(runs, tmp_path):
    (tmp_path / "x.toml").write_text(LOGISTIC)
    rare = tmp_path / "rare.h5"
    assert call("run", tmp_path / "x.toml", "--set", "evaluate.every=3", "--output", rare, "--quiet").code == 0
    asked = ["--bandwidth", "1Mbit", "--accuracy", 0.1]
    assert "evaluated every 1, 3 rounds on average" in call("predict", runs[0], rare, *asked).out
    assert "evaluated every" in json.loads(call("predict", runs[0], rare, *asked, "--json").out)["note"]
    for words in ([runs[0], rare, *asked[:2]], [*runs, *asked]):
        assert "evaluated every" not in call("predict", *words).out


@pytest.mark.parametrize("words, problem", [
    (["--network", "x.h5", "--latency", "1ms"], "leave out --latency"), (["--ranks", "1"], "--ranks 1"),
    (["--latency", "10"], "10: the unit is missing; known are s, ms, us"), (["--bandwidth", "5 parsec"], "--bandwidth"),
    (["--bandwidth", "100Mbit,1Gbit"], "100Mbit,1Gbit: not a number with a unit (bit, kbit, Mbit, Gbit); several values are "
     "separated by blanks"), (["--latency", "20ms,5ms"], "20ms,5ms: not a number with a unit (s, ms, us);"),
    (["--accuracy", "80"], "--accuracy 80: choose a share"), (["--topology", "ring"], "--topology ring: choose star, tree, "
     "calibrated"), (["--topology", "calibrated"], "needs --network"), (["--ranks", "60,1"], "--ranks 1: choose 2 to 1e6")])
def test_bad_networks_are_refused(runs, words, problem):
    result = call("predict", runs[0], *words)
    assert result.code == 2 and problem in result.sentence


def test_a_bandwidth_may_be_written_as_it_is_printed(runs):
    asked = ["predict", runs[0], "--latency", "10ms", "--bandwidth"]
    plain = call(*asked, "100Mbit")
    assert plain.code == 0 and "100 Mbit/s" in plain.out and call(*asked, "100Mbit/s").out == plain.out


def test_other_files_are_refused(tmp_path, network, runs):
    file, _ = network
    assert "not a run file" in call("predict", file).sentence
    assert "not a measured network" in call("predict", runs[0], "--network", runs[0]).sentence
    (tmp_path / "x.toml").write_text(LOGISTIC)
    assert call("predict", tmp_path / "x.toml").code == 2
    assert "no such file" in call("predict", runs[0], "--network", tmp_path / "nothing.h5").sentence
    (tmp_path / "cut.h5").write_bytes(file.read_bytes()[:3000])
    assert "not an HDF5 file, or cut off" in call("predict", runs[0], "--network", tmp_path / "cut.h5").sentence
    damaged = tmp_path / "n.h5"
    damaged.write_bytes(file.read_bytes())
    with h5py.File(damaged, "r+") as h5:
        h5["gather/median"][3] = -1
    result = call("predict", runs[0], "--network", damaged)
    assert result.code == 2 and "gather" in result.sentence
    changed = tmp_path / "run.h5"
    changed.write_bytes(runs[0].read_bytes())
    with h5py.File(changed, "r+") as h5:
        h5["rounds/bits_up_payload"][3] += 8
    assert "changed" in call("predict", changed, "--bandwidth", "1Mbit").sentence
