"""Values of axes in labels (model/labels.py)."""
from trilemma_analysis.model.labels import as_word


def test_a_list_reads_as_its_items():
    assert as_word(["conv 6 5", "relu", "dense"]) == "conv 6 5, relu, dense"
    assert as_word(("lenet5",)) == "lenet5"
    assert as_word([0.5, 2]) == "0.5, 2"
    assert as_word([]) == "none"
