"""Selects cases of long tests: all of them if TRILEMMA_ALL_TESTS is 1 (`scripts/test --all`), otherwise a tenth."""
import os
import zlib

import pytest

ALL = os.environ.get("TRILEMMA_ALL_TESTS") == "1"
only_with_all = pytest.mark.skipif(not ALL, reason="scripts/test --all runs it")


def tenth(items, seed=1):
    """Returns about one in ten `items`, drawn by `seed`, or all. The draw of an item does not depend on the others."""
    return [item for item in items if ALL or zlib.crc32(f"{seed} {item}".encode()) % 10 == 0]
