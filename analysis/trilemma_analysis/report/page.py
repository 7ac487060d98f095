"""The page of a report: sections as HTML, complete without JavaScript, and the data for its scripts."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from . import sections, times
from .colours import rules
from .content import Content
from .markdown import to_html
from .packed import pack
from .paths import all_without_folders, without_folders
from .summary import summary

# Headings of the sections, by the names of their anchors.
HEADINGS = {"answer": "Answer", "plane": "Bits and utility", "way": "The way there", "privacy": "Privacy",
            "tuning": "Choice of settings", "time": "Time", "runs": "Runs", "method": "Method and limits"}

# One script in the page, in this order: a later file uses what an earlier one declares.
SCRIPTS = ("rank.js", "headline.js", "chart.js", "dotplot.js", "answer.js", "page.js", "export.js")


def render(content: Content, author: str = "") -> str:
    """Returns the whole page as text, below the Markdown of an `author`. The same content gives the same text."""
    packed = pack(content)
    css = _resource("report.css") + rules(content.methods)
    js = f'(function () {{\n"use strict";\n{"".join(map(_resource, SCRIPTS))}}})();\n'
    body = {"answer": sections.answer, "plane": sections.plane, "way": sections.curves, "privacy": sections.privacy,
            "tuning": sections.tuning, "time": times.time, "runs": sections.runs,
            "method": lambda each: sections.method(each, packed)}
    policy = f"default-src 'none'; script-src {_source(js)}; style-src {_source(css)}; img-src data: blob:; " \
        "base-uri 'none'; form-action 'none'"
    return Template(_resource("page.html")).substitute(
        policy=policy, title=escape(content.title), css=css, js=js,
        provenance=escape(without_folders(sections.provenance(content))),
        author=author.strip() and
        f'<section class="author" id="author" aria-label="Text of the author">{to_html(author)}</section>',
        nav="".join(f'<a href="#{name}">{heading}</a>' for name, heading in HEADINGS.items()),
        sections="\n".join(f'<section id="{name}" aria-labelledby="{name}-h"><h2 id="{name}-h">{heading}</h2>'
                           f"{without_folders(body[name](content))}</section>" for name, heading in HEADINGS.items()),
        summary=as_script(all_without_folders(summary(content))), curves=packed.text)


def as_script(value: Any) -> str:
    """Returns a value as JSON that cannot end the script element that contains it. Unknown numbers are null."""
    text = json.dumps(finite(value), separators=(",", ":"), allow_nan=False, sort_keys=True)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def finite(value: Any) -> Any:
    """Returns the value with None in place of NaN and of infinite numbers."""
    if isinstance(value, dict):
        return {str(key): finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _source(text: str) -> str:
    """Returns the hash by which the policy of the page allows an inline script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _resource(name: str) -> str:
    """Returns the text of a file of this folder."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
