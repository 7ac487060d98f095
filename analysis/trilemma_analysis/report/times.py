"""The section of a report on times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from statistics import median

from ..io import forms
from ..model import guarantees
from ..model.evidence import evidence_of
from ..model.phases import MEASURING
from .content import Content, Member
from .sections import listed, strip, table


def time(content: Content) -> str:
    """Returns the section on the time of the rounds, for settings whose times are evidence; else why they are none."""
    timed: dict[int, list[Member]] = {}
    reasons: Counter[str] = Counter()
    for each in content.members:
        if each.timed and each.run.rounds_done:
            timed.setdefault(each.setting, []).append(each)
        else:
            reasons[evidence_of(each.run).reason] += 1
    most = max((_per_round(each) for members in timed.values() for each in members), default=0.0)
    rows = [_times(content, place, timed[place], most) for place in timed]
    head = ["setting", "per round", "least to most", "", "runs", "shares"]
    shown = table(head, rows, "Seconds of a round, without evaluation and recording: median of the runs", (1, 4),
                  [f' data-s="{place}" tabindex="0"' for place in timed]) if rows else ""
    doubts = {guarantees.NUMBER.sub("#", words): [] for words in reasons}
    for words in reasons:
        doubts[guarantees.NUMBER.sub("#", words)].append(words)
    why = [guarantees.folded(texts) for texts in doubts.values()]
    count = sum(reasons.values())
    return shown + listed([f"{count} of {len(content.members)} runs: no evidence of time ({', or '.join(why)})"]
                          if count else [])


def _per_round(each: Member) -> float:
    """Returns the seconds of a round, without evaluation and recording."""
    return sum(seconds for kind, seconds in each.kinds.items() if kind not in MEASURING) / each.run.rounds_done


def _times(content: Content, place: int, members: Sequence[Member], most: float) -> list[str]:
    """Returns a row about the times of a setting. `most` is the end of the scale."""
    totals = [_per_round(each) for each in members]
    middle = median(totals)
    kinds = {kind: sum(each.kinds[kind] for each in members) for kind in members[0].kinds if kind not in MEASURING}
    whole = sum(kinds.values()) or 1.0
    shares = [f"{kind} {forms.percent(seconds / whole)}"
              for kind, seconds in sorted(kinds.items(), key=lambda kind: -kind[1]) if seconds > 0.01 * whole]
    colour = content.methods.index(content.settings[place].method)
    return [f'<span class="key m{colour}"></span>{escape(content.names[place])}', forms.seconds(middle),
            f"{forms.seconds(min(totals))} to {forms.seconds(max(totals))}",
            strip(min(totals), middle, max(totals), (0.0, most), colour), str(len(members)),
            escape(", ".join(shares))]
