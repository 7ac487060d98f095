"""Words that comments, help, messages and documents avoid. Usage: check_words.py ROOT

Prints each occurrence as FILE:LINE: sentence and ends with code 1 if there is one. The words below belong to a style
that hides the subject of a sentence: "of so many those that" instead of "the number of records drawn". In C++ and Python,
comments and string literals are searched (in tests, comments and docstrings only); in scripts, TOML and CMake files
everything after #; in Markdown the whole text.
"""
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

# The word, and what to write instead.
WORDS = {
    r"so many": "name the number (`count` records)",
    r"nobody": "name the role that is absent, or use the passive",
    r"whom": "name the adversary, client or user",
    r"told": "given, reported, declared or distinguished",
    r"anew": "again, or from the start",
    r"besides?": "next to, in addition to, except or compared with",
    r"likewise": "also, in the same way, or repeat the word",
    r"mend(?:s|ed|ing)?": "fix, repair or correct",
}
FORBIDDEN = {word: re.compile(rf"\b{word.replace(' ', chr(92) + 's+')}\b", re.IGNORECASE) for word in WORDS}

# Places where a word is right: part of the file's path, and a part of the line.
ALLOWED: list[tuple[str, str]] = [
    ("tests/documents/check_words.py", ""),
    ("tests/documents/words_self_test.py", ""),
]

FOLDERS = ["src", "analysis", "jobs", "bench", "tests", "docs", "scripts", "packaging", "cmake"]
C_SUFFIXES = {".hpp", ".cpp", ".h", ".cc", ".cu"}
HASH_SUFFIXES = {".toml", ".sh", ".cmake", ".sbatch", ".cfg", ".yml", ".yaml"}
C_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', re.DOTALL)

EXPRESSION = re.compile(r"\{[^{}]*\}")  # of a formatted string: code, which is not searched

Piece = tuple[int, str]  # line of the start, and text


def of_cpp(text: str, with_strings: bool) -> Iterator[Piece]:
    """Comments and, if wanted, string literals of C++; literals that the compiler joins are one piece."""
    start, joined, end = 0, "", 0
    for match in C_TOKEN.finditer(text):
        token = match[0]
        is_comment = token.startswith(("//", "/*"))
        if token.startswith("'") or (not is_comment and not with_strings):
            continue
        between = text[end:match.start()]
        same_kind = joined and joined.startswith("/") == is_comment and not between.strip()
        if same_kind:
            joined += "\n" * between.count("\n") + (token.lstrip("/ ") if is_comment else token.strip('"'))
        else:
            if joined:
                yield start, joined
            start, joined = text.count("\n", 0, match.start()) + 1, token
        end = match.end()
    if joined:
        yield start, joined


def of_python(text: str, with_strings: bool) -> Iterator[Piece]:
    """Comments and docstrings of Python and, if wanted, all other strings."""
    statement = True  # whether a string here is a statement, and so a docstring
    kinds = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
        elif token.type in kinds and (with_strings or statement):
            is_formatted = re.match(r"[rRbB]*[fF]", token.string)
            yield token.start[0], EXPRESSION.sub("", token.string) if is_formatted else token.string
        if token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            statement = True
        elif token.type not in (tokenize.NL, tokenize.COMMENT, tokenize.ENCODING):
            statement = False


def after_hash(text: str) -> Iterator[Piece]:
    """The text after # in each line."""
    for number, line in enumerate(text.splitlines(), 1):
        if "#" in line:
            yield number, line[line.index("#"):]


def pieces(path: Path, in_tests: bool) -> Iterator[Piece]:
    """The searched pieces of a file, by its kind."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix in C_SUFFIXES:
        return of_cpp(text, not in_tests)
    if path.suffix == ".py" or text.startswith("#!") and "python" in text.split("\n", 1)[0]:
        return of_python(text, not in_tests)
    if path.suffix == ".md":
        return iter([(1, text)])
    if path.suffix in HASH_SUFFIXES or path.name == "CMakeLists.txt" or text.startswith("#!"):
        return after_hash(text)
    return iter([])


def found_in(path: Path, name: str) -> Iterator[str]:
    """A sentence for each forbidden word in a file, whose path below the root is `name`."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    for start, text in pieces(path, name.startswith("tests/") or "/tests/" in name):
        for word, pattern in FORBIDDEN.items():
            for match in pattern.finditer(text):
                number = start + text.count("\n", 0, match.start())
                line = lines[min(number, len(lines)) - 1] if lines else ""
                if any(part in name and right in line for part, right in ALLOWED):
                    continue
                yield f'{name}:{number}: "{match[0]}"; write {WORDS[word]}'


def files(root: Path) -> Iterator[tuple[Path, str]]:
    """All searched files, with their paths below `root`."""
    yield from ((root / name, name) for name in ("README.md", "CONTRIBUTING.md", "CMakeLists.txt") if (root / name).exists())
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if not path.is_file() or path.is_symlink() or "__pycache__" in name or "/build/" in name:
                continue
            yield path, name


def main() -> int:
    root = Path(sys.argv[1])
    checked = list(files(root))
    found = [sentence for path, name in checked for sentence in found_in(path, name)]
    print("\n".join(found) or f"{len(checked)} files avoid the words")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
