"""The place of a method in a ranking: first, tied, behind, or why no place can be given."""

from __future__ import annotations

from enum import Enum

from .rankings import Entry


class Place(Enum):
    """What the seeds say about a method and the first one."""

    FIRST = "first"
    TIED = "tied"
    BEHIND = "behind"
    AHEAD = "ahead in common seeds"
    UNKNOWN = "unknown"
    PARTLY_REACHED = "partly reached"
    NOT_REACHED = "not reached"

    @property
    def leads(self) -> bool:
        """Whether no other method is known to be better."""
        return self in (Place.FIRST, Place.TIED)


def place_of(entry: Entry, lower: bool) -> Place:
    """The place of an entry; `lower` says whether lower values are better."""
    over = entry.difference
    if entry.reached < len(entry.seeds):
        return Place.PARTLY_REACHED if entry.reached else Place.NOT_REACHED
    if over is None:
        return Place.FIRST
    if over.kind == "none":
        return Place.UNKNOWN
    if over.contains_zero:
        return Place.TIED
    return Place.BEHIND if (over.centre > 0) == lower else Place.AHEAD


def place_words(entry: Entry, lower: bool) -> str:
    """The place of an entry for the last column of its row."""
    place, over = place_of(entry, lower), entry.difference
    if place is Place.PARTLY_REACHED:
        return f"reached by {entry.reached} of {len(entry.seeds)} seeds"
    if place is Place.UNKNOWN:
        return "one seed: unknown" if over.n else "no seed in common"
    if place is Place.TIED and over.low == over.high == 0:
        return "tied (equal in every seed)"
    return place.value
