"""An author's text in Markdown as HTML: paragraphs, headings, lists, emphasis, links and code. Everything else, HTML
too, is text."""

from __future__ import annotations

import re
from html import escape

HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*$")
ITEM = re.compile(r"\s{0,3}(?:[-*+]|(\d+)[.)])\s+(.*)")
FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\[([^\]]+)\]\(([^()\s]+)\)")
STRONG, EMPHASIS = re.compile(r"\*\*(\S(?:.*?\S)?)\*\*"), re.compile(r"(?<![\w*])[*_](\S(?:.*?\S)?)[*_](?![\w*])")
SCHEMES = ("http://", "https://", "mailto:", "#")
TOP = 2  # a first heading is one of a section of the page


def to_html(text: str) -> str:
    """Returns the text as HTML. No tag or attribute comes from the text itself.

    >>> to_html("# Aim\\n\\nIs *it* <b>?\\n- a\\n- [b](https://x.org)")
    '<h2>Aim</h2><p>Is <em>it</em> &lt;b&gt;?</p><ul><li>a</li><li><a href="https://x.org">b</a></li></ul>'
    """
    parts: list[str] = []
    lines = text.splitlines()
    while lines:
        take = _block(lines)
        parts.append(take[0])
        del lines[:take[1]]
    return "".join(parts)


def _block(lines: list[str]) -> tuple[str, int]:
    """Returns the first block as HTML, and its number of lines."""
    if not lines[0].strip():
        return "", 1
    if fence := FENCE.match(lines[0]):
        end = next((i for i, line in enumerate(lines[1:], 1) if line.strip().startswith(fence[1])), len(lines))
        code = "\n".join(lines[1:end])
        return f"<pre><code>{escape(code)}</code></pre>", end + 1
    if heading := HEADING.match(lines[0]):
        level = min(6, len(heading[1]) + TOP - 1)
        return f"<h{level}>{_inline(heading[2])}</h{level}>", 1
    if item := ITEM.match(lines[0]):
        return _list(lines, "ol" if item[1] else "ul")
    end = next((i for i, line in enumerate(lines) if i and _begins(line)), len(lines))
    return f"<p>{_inline(' '.join(line.strip() for line in lines[:end]))}</p>", end


def _begins(line: str) -> bool:
    """Returns whether a line ends the paragraph before it."""
    return not line.strip() or any(pattern.match(line) for pattern in (FENCE, HEADING, ITEM))


def _list(lines: list[str], tag: str) -> tuple[str, int]:
    """Returns a list as HTML, and its number of lines. Indented lines continue their item."""
    items: list[str] = []
    end = 0
    for end, line in enumerate(lines):
        found = ITEM.match(line)
        if found and (found[1] is not None) == (tag == "ol"):
            items.append(found[2])
        elif found or _begins(line) or not line.startswith(" "):
            break
        else:
            items[-1] += f" {line.strip()}"
    else:
        end = len(lines)
    return f"<{tag}>{''.join(f'<li>{_inline(item)}</li>' for item in items)}</{tag}>", end


def _inline(text: str) -> str:
    """Returns a line with code, links and emphasis. Code is read first, and nothing in it is markup."""
    pieces = CODE.split(text)
    return "".join(f"<code>{escape(piece)}</code>" if i % 2 else _marked(piece) for i, piece in enumerate(pieces))


def _marked(text: str) -> str:
    """Returns a text without code, with links and emphasis."""
    pieces = LINK.split(text)
    found = [_emphasised(pieces[0])]
    for words, target, rest in zip(pieces[1::3], pieces[2::3], pieces[3::3]):
        found.append(f'<a href="{escape(target)}">{_emphasised(words)}</a>' if target.startswith(SCHEMES) else
                     escape(f"[{words}]({target})"))
        found.append(_emphasised(rest))
    return "".join(found)


def _emphasised(text: str) -> str:
    """Returns a text with strong and other emphasis."""
    return EMPHASIS.sub(r"<em>\1</em>", STRONG.sub(r"<strong>\1</strong>", escape(text)))
