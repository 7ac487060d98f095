"""How much is tested: everything where TRILEMMA_ALL_TESTS is 1 (`scripts/test --all`), else what a change often breaks."""
import os
import zlib

import pytest

ALL = os.environ.get("TRILEMMA_ALL_TESTS") == "1"
only_with_all = pytest.mark.skipif(not ALL, reason="scripts/test --all runs it")


def tenth(items, seed=1):
    """Returns the items that a seed draws, about one in ten, or all. What is drawn does not depend on the other items."""
    return [item for item in items if ALL or zlib.crc32(f"{seed} {item}".encode()) % 10 == 0]
