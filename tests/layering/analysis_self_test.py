"""Proves that check_analysis.py finds what it should: each module below breaks one rule, or none."""
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import check_analysis  # noqa: E402

GOOD = '''"""A module."""
from ..io import words


def said():
    """Returns a function."""
    def inner():
        return words
    return inner


class Thing:
    """A class."""

    def __len__(self):
        return 0

    def told(self):
        """Prints nothing."""
'''
WORDS = {"io/words.py": '"""Words."""\n'}
LONG = 'def long():\n    """Returns nothing."""\n' + "    pass\n" * check_analysis.FUNCTION_LINES
CASES = {  # by what a violation must say; an empty text: no violation
    "": {"plot/good.py": GOOD},
    "io imports plot": {"io/bad.py": "from ..plot import page\n", "plot/page.py": ""},
    "network imports scaling": {"network/bad.py": "from ..scaling.model import fit\n", "scaling/model.py": ""},
    "'drawing' is no room": {"drawing/bad.py": ""},
    "modules import each other": {"io/a.py": "from .b import x\n", "io/b.py": "from .a import x\n"},
    "said has no docstring": {"io/bad.py": "def said():\n    return 1\n"},
    "told has no docstring": {"io/bad.py": "class Thing:\n    def told(self):\n        return 1\n"},
    "within has no docstring": {"io/bad.py": "if True:\n    def within():\n        return 1\n"},
    "said begins with 'The'": {"io/bad.py": 'def said():\n    """The words."""\n'},
    "said begins with 'Whether'": {"io/bad.py": 'class Thing:\n    def said(self):\n        """Whether it is said."""\n'},
    "inner begins with 'Bits'": {"io/bad.py": GOOD.replace("inner():", 'inner():\n        """Bits of it."""')},
    f"the module has {check_analysis.MODULE_LINES + 1} lines": {"io/bad.py": "\n" * (check_analysis.MODULE_LINES + 1)},
    f"the line has {check_analysis.LINE + 1} characters": {"io/bad.py": "#" * (check_analysis.LINE + 1)},
    f"long has {check_analysis.FUNCTION_LINES + 2} lines": {"io/bad.py": LONG},
}


def tree(files):
    """A source tree that has these modules in the package."""
    root = Path(tempfile.mkdtemp())
    for name, text in files.items():
        path = root / check_analysis.PACKAGE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def main():
    """The exit code: 1 where a rule does not find what breaks it, or finds something else."""
    wrong = []
    for sentence, files in CASES.items():
        found = list(check_analysis.problems(tree(WORDS | files)))
        if [sentence in each for each in found] != [True] * bool(sentence):
            wrong.append(f"'{sentence or 'nothing'}' expected, found: {found}")
    counted = list(check_analysis.counts(tree(WORDS | CASES[""])))
    if [line.split()[:2] for line in counted] != [["io", "1"], ["plot", "1"], ["all", "2"]] or "1 arrows" not in counted[-1]:
        wrong.append(f"miscounted: {counted}")
    print("\n".join(wrong) or "analysis: the checker finds what it should")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
