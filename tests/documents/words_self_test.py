"""Proves that check_words.py finds the words where they count, and only there: each case is one small file."""
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from check_words import found_in  # noqa: E402

# name of the file, its content, and the lines in which a word must be found
CASES = [
    ("src/a.hpp", "/// Records of so many clients.\n", [1]),
    ("src/a.hpp", "// of so\n// many clients\nint x;\n", [1]),
    ("src/a.cpp", 'int x;\nfail("a message that "\n     "nobody sent");\n', [3]),
    ("src/a.cpp", "int told = 1;  // the given number\nint nobody = told;\n", []),
    ("src/a.cpp", "char c = '\"';  // beside\n", [1]),
    ("src/b.cpp", "/* anew */ int x;\n\n/* once\n   likewise */\n", [1, 4]),
    ("src/b.cpp", "// It mends and is mended; amend, recommend and fortold are other words.\n", [1, 1]),
    ("tests/a_test.cpp", 'EXPECT_EQ(x, "nobody");  // a name\n', []),
    ("tests/a_test.cpp", "// Nobody waits.\n", [1]),
    ("analysis/a.py", '"""Whom the claim\nprotects."""\ntold = 1\nprint(f"{told} of them")\n', [1]),
    ("analysis/a.py", "print('told apart')\n", [1]),
    ("analysis/tests/test_a.py", "def test_x():\n    '''Beside.'''\n    assert 'nobody' in x  # besides\n", [2, 3]),
    ("jobs/run", "#!/usr/bin/env python3\nx = 1  # anew\n", [2]),
    ("jobs/run.sh", "told=1  # told\necho $told\n", [1]),
    ("jobs/a.toml", 'name = "nobody"\n# whom\n', [2]),
    ("docs/a.md", "The server waits for\nnobody.\n", [2]),
    ("docs/a.csv", "nobody\n", []),
]


def main() -> int:
    failures = []
    for name, content, expected in CASES:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / Path(name).name
            path.write_text(content, encoding="utf-8")
            found = sorted(int(sentence.split(":")[1]) for sentence in found_in(path, name))
            if found != expected:
                failures.append(f"{name}: {content!r}: found in lines {found}, expected {expected}")
    print("\n".join(failures) or f"{len(CASES)} cases as expected")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
