"""What mkdocs asks while it builds the site (scripts/mkdocs.yml)."""
import os
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

from printed_pages import text_of  # noqa: E402

DOCS = ROOT / "docs"
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#]+)(?:#[^)]*)?\)")
SECTIONS = {"Tutorials": "tutorials", "How to": "how-to", "Reference": "reference", "Explanation": "explanation",
            "Results": "results"}


def on_config(config: Any) -> Any:
    """The configuration with all pages in the menu, a section for each folder."""
    def pages(folder: str) -> list[str]:
        return [page.relative_to(DOCS).as_posix() for page in sorted((DOCS / folder).glob("*.md"))]

    config["nav"] = ["index.md", *({title: pages(folder)} for title, folder in SECTIONS.items())]
    return config


def on_page_read_source(page: Any, **_: Any) -> str:
    """Returns the text of a page, of which the program prints some."""
    return text_of(Path(page.file.abs_src_path), Path(os.environ["TRILEMMA_PROGRAM"]))


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The text of a page, with paths in place of links that lead out of docs/, whose files the site does not have."""

    def replaced(match: re.Match[str]) -> str:
        goal = Path(os.path.normpath(DOCS / Path(page.file.src_path).parent / match[2]))
        if "://" in match[2] or goal.is_relative_to(DOCS):
            return match[0]
        path = goal.relative_to(ROOT).as_posix()
        return f"`{path}`" if match[1].strip("`") == path else f"{match[1]} (`{path}`)"

    return LINK.sub(replaced, markdown)
