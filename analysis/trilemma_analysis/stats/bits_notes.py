"""What must be said of the bits of a ranking: which were counted, what clients have sent, and where they are
unequal."""

from __future__ import annotations

import math

from ..io.forms import bits
from ..model.budgets import Standing
from ..model.uploads import SAME
from .rankings import Answer, Entry

SENT = "sent per client"
UNLIKE = 1.1  # ratio of bits from which on a ranking without a budget of bits says so


def bits_notes(answer: Answer) -> list[str]:
    """Returns the notes on the bits of all rankings."""
    return [*_unequal_bits(answer), *_counted(answer)]


def stands_of(entry: Entry) -> list[Standing]:
    """Returns the standings of the runs of an entry, seed by seed."""
    return [entry.setting.found[seed] for seed in entry.seeds]


def sent_words(entry: Entry) -> str:
    """Returns what one client has sent by then, from the seed with least to that with most; a dash if that is what
    counts."""
    stands = stands_of(entry)
    if all(math.isnan(each.sent_mean) or abs(each.sent_mean - each.mean) <= SAME * each.mean for each in stands):
        return "-"
    ends = [bits(end(each.sent_mean for each in stands)) for end in (min, max)]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def _unequal_bits(answer: Answer) -> list[str]:
    """Returns the note that the methods of a ranking have sent unequal amounts, if the question limits neither bits nor
    anything else that counts."""
    budget = answer.budget
    if budget.target is not None or budget.bits is not None:
        return []
    column = "mean" if budget.per_client else "bits"
    spans = []
    for ranking in answer.rankings:
        sent = [value for entry in ranking.entries for each in stands_of(entry) if (value := getattr(each, column)) > 0]
        if sent and max(sent) > UNLIKE * min(sent):
            spans.append((min(sent), max(sent)))
    if not spans:
        return []
    least, most = min(span[0] for span in spans), max(span[1] for span in spans)
    who = "per client" if budget.per_client else "of all clients"
    return [f"the methods are compared at unequal bits, {bits(least)} to {bits(most)} {who}; --bits sets a budget"]


def _counted(answer: Answer) -> list[str]:
    """Returns the note on which bits were counted, if runs have not sent the expected bits, or none are known."""
    stands = [each for entry in _entries(answer) for each in stands_of(entry)]
    if answer.budget.sent or not stands:
        return []
    found = []
    if any(sent_words(entry) != "-" for entry in _entries(answer)):
        found.append("bits are expected values over the random choice of clients, by which budget.upload plans a run; "
                     f"what was sent varies between seeds ('{SENT}'), and --sent takes it as the limit")
    unknown = sum(not each.planned for each in stands)
    if unknown:
        found.append(f"for {unknown} of {len(stands)} runs the bits are those that were sent: their messages differ in "
                     "size, so that no expected value is recorded")
    return found


def _entries(answer: Answer) -> list[Entry]:
    """Returns the entries of all rankings."""
    return [entry for ranking in answer.rankings for entry in ranking.entries]
