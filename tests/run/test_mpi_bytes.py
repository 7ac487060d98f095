"""The ledger's bytes are the bytes MPI was asked to carry, as seen by an independent counter."""
import os

import h5py
import pytest

from conftest import call

COUNTER = os.environ.get("TRILEMMA_MPI_COUNTER")


@pytest.mark.skipif(not COUNTER, reason="TRILEMMA_MPI_COUNTER does not name the counter library")
@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("setting", ["compressor.mask=keyed", "compressor.mask=explicit", "evaluate.every=0",
                                     "checkpoint.rounds=2", "compressor.kind=bernoulli",
                                     "compressor.code=gamma compressor.kind=qsgd", "exchange.up=reduce",
                                     "exchange.up=reduce compressor.mask=shared", "exchange.down=compressed",
                                     "exchange.up=hierarchical exchange.ranks_per_node=2", "exchange.up=overlap",
                                     "exchange.up=overlap compressor.kind=bernoulli"])
def test_every_byte_is_in_the_ledger(logistic, tmp_path, ranks, setting):
    counts = tmp_path / "count"
    file = tmp_path / "x.h5"
    settings = [word for each in setting.split() for word in ("--set", each)]
    result = call("run", logistic, *settings, "--output", file, "--quiet", ranks=ranks,
                  env={"LD_PRELOAD": COUNTER, "TRILEMMA_MPI_COUNT": str(counts)})
    assert result.code == 0, result.err
    totals = [0, 0, 0, 0, 0]
    for rank in range(ranks):
        for i, number in enumerate((tmp_path / f"count.{rank}").read_text().split()):
            totals[i] += int(number)
    with h5py.File(file) as h5:
        ledger = {name: int(column[-1]) for name, column in h5["mpi"].items() if name.startswith("bits")}
    between = ledger.pop("bits_up_between_nodes")  # a part of bits_up
    assert between == 0 if ranks == 2 or "ranks_per_node" not in setting else 0 < between < ledger["bits_up"]
    with h5py.File(file) as h5:
        itemsize = h5["model/final"].dtype.itemsize
        model_bytes = h5["model/final"].size * itemsize
    assert totals[0] > 0 and totals[1] > 0
    if setting == "exchange.down=compressed":  # 9 bits a value, and 8 bytes that say how long the message is
        assert ledger["bits_down"] == 8 * 6 * ((9 * model_bytes // itemsize + 7) // 8 + 8) * (ranks - 1)
    else:
        assert ledger["bits_down"] == 8 * 6 * model_bytes * (ranks - 1)
    assert (totals[3] > 0) == (setting == "checkpoint.rounds=2")
    # The last row is written before the last delivery has crossed: 50 numbers a row and rank (13 phases and 37 of the
    # metric log, 24 of them counts of norms), the energy, a request to stop, the 4 bytes of rank 0's answer, and at the end the memory that a rank took
    # and its load: 32 words of the processors that it may use, and six numbers.
    assert sum(ledger.values()) <= 8 * sum(totals)
    missing = 8 * sum(totals) - sum(ledger.values())
    rows_left = 1 if setting != "evaluate.every=0" else 6
    assert missing == 8 * (ranks - 1) * (rows_left * 50 * 8 + 2 * 8 + 4 + 8 + 38 * 8), missing


@pytest.mark.skipif(not COUNTER, reason="TRILEMMA_MPI_COUNTER does not name the counter library")
@pytest.mark.parametrize("where", [1, 2, 12])
def test_a_call_that_fails_on_one_rank_ends_the_job(logistic, tmp_path, where):
    """No rank is left waiting; the rank and the call are named once (call() bounds the time)."""
    result = call("run", logistic, "--output", tmp_path / "x.h5", "--quiet", ranks=3,
                  env={"LD_PRELOAD": COUNTER, "TRILEMMA_MPI_COUNT": str(tmp_path / "count"), "TRILEMMA_MPI_FAIL": str(where)})
    assert result.code != 0
    assert "rank 1: MPI_Gatherv" in result.sentence and "failed" in result.sentence
    assert not (tmp_path / "x.h5").exists()
