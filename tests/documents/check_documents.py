"""Rules of README and docs. Usage: check_documents.py ROOT PROGRAM

Prints every link that leads nowhere and every generated block that is empty as FILE:LINE: sentence, and whether the
manual is longer than scope.md allows; ends with code 1 if there is one. Links and headings of a page that the program
prints are those of the text that PROGRAM, for example build/release/trilemma, prints.
"""
import functools
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from printed_pages import text_of  # noqa: E402

LINK = re.compile(r"!?\[(?:`[^`]*`|[^\]`])*\]\(([^)\s]+)\)")  # code in the text may have brackets
BLOCK = re.compile(r"<!-- ([\w-]+): written by [^>]*-->\n(.*?)<!-- end of \1 -->", re.DOTALL)
LIMIT = re.compile(r"^\| words of the manual, [^|]*\| ([\d,]+) \|$", re.MULTILINE)

texts = functools.cache(text_of)  # of documents, by file and program


def words(document: Path) -> int:
    """Returns the number of words of a document: what stands between blanks and has a letter or a digit."""
    return sum(any(map(str.isalnum, word)) for word in document.read_text(encoding="utf-8").split())


def too_long(docs: Path) -> list[str]:
    """Returns a sentence if the manual has more words than scope.md allows."""
    scope = docs / "explanation/scope.md"
    most = int(LIMIT.search(scope.read_text(encoding="utf-8"))[1].replace(",", ""))
    found = sum(words(page) for page in docs.rglob("*.md") if docs / "results" not in page.parents)
    return [] if found <= most else [
        f"{docs}: {found:,} words, and {scope.name} allows {most:,}: state facts once, and link to them"]


def anchors(text: str) -> set[str]:
    """Returns the anchors of the headings of a document."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def problems(document: Path, program: Path) -> list[str]:
    """Returns what is wrong with the text of a document, and for a page that the program prints also with that."""
    found = []
    for text in dict.fromkeys((document.read_text(encoding="utf-8"), texts(document, program))):
        for match in LINK.finditer(text):  # its words may go over the end of a line
            target = match[1]
            number = text.count("\n", 0, match.start()) + 1
            path, _, anchor = target.partition("#")
            if "://" in target:
                continue
            goal = (document.parent / path).resolve() if path else document
            if not goal.exists():
                found.append(f"{document}:{number}: there is no {target}")
            elif anchor and goal.suffix == ".md" and anchor not in anchors(texts(goal, program)):
                found.append(f"{document}:{number}: {path or document.name} has no heading #{anchor}")
        found += [f"{document}:{text.count(chr(10), 0, match.start()) + 1}: block {match[1]} is empty; run scripts/pictures"
                  for match in BLOCK.finditer(text) if not match[2].strip()]
    return found


def main() -> int:
    root, program = map(Path, sys.argv[1:])
    documents = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]
    found = [problem for document in documents for problem in problems(document, program)] + too_long(root / "docs")
    print("\n".join(found) or f"{len(documents)} documents are in order")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
