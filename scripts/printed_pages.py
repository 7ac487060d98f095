"""Pages of docs that the program prints. In the repository such a page is short and names the page of `trilemma
reference` in a comment, `<!-- printed by: trilemma reference NAME -->`; the site and installations have the text of the
program in its place. cmake/install.cmake reads the same comment.
"""
import re
import subprocess
from pathlib import Path

PRINTED = re.compile(r"^<!-- printed by: trilemma reference ([\w-]+) -->$", re.MULTILINE)


def printed_by(page: Path) -> str | None:
    """Returns the name by which `trilemma reference` prints a page of docs, None for all other pages."""
    found = PRINTED.search(page.read_text(encoding="utf-8"))
    return found[1] if found else None


def text_of(page: Path, program: Path) -> str:
    """Returns the text of a page of docs as the site has it: what `program` prints, or what the file holds."""
    name = printed_by(page)
    if name is None:
        return page.read_text(encoding="utf-8")
    return subprocess.run([program, "reference", name], check=True, capture_output=True, encoding="utf-8").stdout
