"""The engine of verdicts: judges cells by the statements of a rule's file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..io.errors import RunFileError
from .cells import Cells, Key
from .columns import SMALLER, Column
from .pairs import NUMBERS, PICKS, TESTS, Pair, Side, combinations
from .rules import Statement, beats, not_run, not_worse, outcome
from .terms import TEMPLATE, Claim, Line, Part, filled


REVERSED = ("any", "all", "spare", "several", "never")  # how many comparisons must come out the other way


@dataclass(frozen=True)
class Found:
    """What came out of a part; `fields` are for the texts of the rule."""

    holds: bool
    is_reversed: bool
    evidence: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    needs: str = ""  # runs, where there are too few to judge


class Judgement:
    """Judges the statements of a rule by its cells; `names` are words for values."""

    def __init__(self, views: Mapping[str, Cells], columns: Mapping[str, Column], names: Mapping[str, str],
                 checks: Mapping[str, Callable[[Judgement, Part], Found]],
                 texts: Mapping[str, Callable[[Judgement, Line], list[str]]], claims: Sequence[Claim],
                 strict: bool = False):
        self.views, self.columns, self.words, self.checks, self.texts = views, columns, names, checks, texts
        self.claims, self.strict = claims, strict  # strict: missing runs are errors

    def with_cells(self, runs: Mapping[tuple, pd.DataFrame]) -> Judgement:
        """Returns a judgement of other runs by the same statements."""
        cells = copy(self.views["main"])
        cells.cells = dict(runs)
        return Judgement({"main": cells}, self.columns, self.words, self.checks, self.texts, self.claims, self.strict)

    def named(self, names: Mapping[str, Any]) -> dict[str, Any]:
        """Returns names for a text, with the words of the rule for values."""
        return {name: self.named(value) if isinstance(value, Mapping) else
                self.words.get(value, value) if isinstance(value, str) else value for name, value in names.items()}

    def statement(self, claim: Claim) -> tuple[Statement, Mapping[str, Any]]:
        """Returns a statement as it came out, and the fields of its parts."""
        found: list[Found] = []
        for part in claim.parts:
            found.append(self.part(part))
            if found[-1].needs:
                break
        fields = {**found[0].fields, "parts": [each.fields for each in found]}
        text = filled(claim.text, fields)
        if found[-1].needs:
            return not_run(claim.name, text, found[-1].needs, key=claim.key,
                           aside=claim.aside), {"needs": found[-1].needs}
        evidence = TEMPLATE.format(claim.evidence,
                                   *(each.fields for each in found)) if claim.evidence else found[0].evidence
        made = Statement(claim.name, text, outcome(all(each.holds for each in found),
                                                   any(each.is_reversed for each in found)), evidence,
                         key=claim.key, is_number=claim.number, aside=claim.aside)
        return made, fields

    def part(self, part: Part) -> Found:
        """Returns what came out of a part."""
        cells = self.views[part.view]
        absent = [self._lacking(part, cells, labels) for labels in combinations(part.run, cells) if not cells.has(
            {**cells.fixed, **labels})] if part.run and not self.strict else []
        if absent:
            missing = part.lacking_join.join(dict.fromkeys(absent))
            return Found(False, False, "", needs=filled(part.needs, {"missing": missing}))
        if part.check:
            return self.checks[part.check](self, part)
        pairs, missing = self.pairs(part)
        fields = {"total": len(pairs), "needed": self.needed(part, len(pairs)), "most": part.most}
        if missing:
            return Found(False, False, "", fields, needs=filled(part.needs, {"missing": missing}))
        if part.few and min((len(side.values) for pair in pairs
                             for side in (pair.ours, pair.theirs)), default=0) < part.seeds:
            return Found(False, False, "", fields, needs=part.few)
        return self._judged(part, pairs, fields)

    def _lacking(self, part: Part, cells: Cells, names: Mapping[str, Any]) -> str:
        """Returns a missing cell in words."""
        named = self.named(names)
        return filled(part.lacking, named) if part.lacking else str(named[cells.by[0]])

    def needed(self, part: Part, total: int) -> int:
        """Returns how many comparisons must come out as stated."""
        return round(part.needed * total) if isinstance(part.needed, float) else part.needed or total

    def _judged(self, part: Part, pairs: Sequence[Pair], fields: Mapping[str, Any]) -> Found:
        """Returns what came out of comparisons."""
        if not pairs:
            raise RunFileError(f"no two cells to compare by {', '.join(self.views[part.view].by)}; name the sweeps of "
                               "jobs/reproductions.toml.")
        won = [pair for pair in pairs if TESTS[part.test](pair)]
        lost = [pair
                for pair in pairs if pair.theirs is not None and part.reversed != "never" and self._is_lost(part, pair)]
        holds = len(won) >= fields["needed"] and not (part.unbeaten and lost)
        if part.all_level or part.level:
            level = sum(not_worse(*pair.signed) for pair in pairs)
            holds, fields = holds and level >= (part.level or len(pairs)), {**fields, "level": level}
        texts = {"items": part.join.join(self._text(part.item, pair) for pair in pairs),
                 "members": self._members(part, pairs), "lost": self._lost(part, lost)}
        fields = {**fields, "won": len(won), "lost_count": len(lost), "first": self.named(pairs[0].names())}
        fields |= texts | {name: self.lines(Line(**{"join": ", ", **each}))[0] for name, each in part.lists.items()}
        fields["evidence"] = filled(part.evidence, fields)
        return Found(holds, self._is_reversed(part, lost, fields), fields["evidence"], fields)

    @staticmethod
    def _is_lost(part: Part, pair: Pair) -> bool:
        """Returns whether the opposite of a comparison is found."""
        if part.lost_below is not None:
            return bool(getattr(pair, NUMBERS[part.test]) < part.lost_below)
        failed = part.test not in NUMBERS or not TESTS[part.test](pair)
        return failed and beats(*reversed(pair.signed))

    @staticmethod
    def _is_reversed(part: Part, lost: Sequence[Pair], fields: Mapping[str, Any]) -> bool:
        """Returns whether the opposite of a part is found: in any or in all comparisons, in more than may fail, or
        at several values of `reversed_by`."""
        total = fields["total"]
        if part.reversed == "several":
            return len({pair.labels[part.reversed_by] for pair in lost}) > 1
        if part.reversed_from:
            return len(lost) >= part.reversed_from
        least = {"any": 1, "all": total, "spare": total - fields["needed"] + 1}
        return part.reversed in least and len(lost) >= least[part.reversed]

    def _text(self, text: str, pair: Pair) -> str:
        """Returns a comparison in words."""
        return filled(text, self.named(pair.names())) if text else ""

    def _lost(self, part: Part, lost: Sequence[Pair]) -> str:
        """Returns what follows the evidence of a part: the comparisons that came out the other way, or their number
        where there are many."""
        if not lost or not part.lost:
            return ""
        many = part.lost_named and len(lost) > part.lost_named
        return f"; reversed: {len(lost) if many else part.lost_join.join(self._text(part.lost, pair) for pair in lost)}"

    def _members(self, part: Part, pairs: Sequence[Pair]) -> str:
        """Returns the cells of the first combination, each once."""
        found = {tuple(side.key.items()): side.names() for pair in pairs if pair.first == pairs[0].first
                 for side in (pair.ours, pair.theirs) if side is not None}
        return ", ".join(filled(part.member, self.named(each)) for each in found.values()) if part.member else ""

    def pairs(self, part: Part) -> tuple[list[Pair], str]:
        """Returns the comparisons of a part, and the cells that are missing, in words."""
        cells, found, missing = self.views[part.view], [], []
        for labels in combinations(part.each, cells):
            keys = list(self._keys(part, cells, labels))
            absent = [(key, ours, theirs) for ours, theirs, _ in keys for key in (ours, theirs)
                      if key and not cells.knows(key, part.columns)]
            if part.skip:
                keys = [pair for pair in keys if not any(pair[:2] == each[1:] for each in absent)]
            elif absent and part.needs and not part.run and not self.strict:
                missing += [self._lacking(part, cells, {**key, **labels, "ours": ours, "theirs": theirs})
                            for key, ours, theirs in absent]
                continue
            if not part.equal or self._agrees(part, [cells.of(**key) for pair in keys for key in pair[:2]]):
                made = [self._pair(part, cells, labels, column, *pair) for pair in keys for column in part.columns]
                found += PICKS[part.pick](made,
                                          key=lambda pair: pair.theirs.values.mean()) if part.pick and made else made
        return found, part.lacking_join.join(dict.fromkeys(missing))

    def _keys(self, part: Part, cells: Cells, labels: Key) -> Iterator[tuple[dict, dict | None, Mapping]]:
        """Yields the keys of the cells that are compared, with a target where there is one."""
        for target in part.targets:
            yield {**labels, **{name: target[name] for name in cells.by if name in target}}, None, target
        for name, pairs in part.pairs.items():
            values = cells.values(name)
            for ours, theirs in zip(values[1:], values) if pairs == "consecutive" else pairs:
                yield {**labels, name: ours}, {**labels, name: theirs}, {}
        if part.targets or part.pairs:
            return
        for one in part.ours if isinstance(part.ours, list) else [part.ours]:
            for ours in combinations(one, cells):
                for theirs in combinations(part.theirs, cells):
                    if {**labels, **ours} != {**labels, **theirs}:
                        yield {**labels, **ours}, self._theirs(part, cells, {**labels, **ours},
                                                               {**labels, **theirs}), {}

    @staticmethod
    def _theirs(part: Part, cells: Cells, ours: Key, theirs: dict[str, Any]) -> dict[str, Any] | None:
        """Returns the key of the cell that ours is compared with: one that is alike, where the part asks for it."""
        for column, share in part.alike.items():
            cell = cells.get(**ours)
            return None if cell is None else cells.alike(theirs, column, share, cell[column].mean())
        return theirs if part.theirs else None

    @staticmethod
    def _agrees(part: Part, cells: Sequence[pd.DataFrame]) -> bool:
        """Returns whether cells agree in the columns that must."""
        means = {column: [cell[column].mean() for cell in cells] for column in part.equal}
        return all(max(means[column]) <= min(means[column]) * (1 + part.equal[column]) for column in means)

    def _pair(self, part: Part, cells: Cells, labels: Key, column: str, ours: Key, theirs: Key | None,
              target: Mapping[str, Any]) -> Pair:
        """Returns a comparison of two cells in a column."""
        sides = [None if key is None
                 else Side(cells.key(**key), np.log(found) if column in cells.view.logarithms else found)
                 for key in (ours, theirs) for found in [key and cells.of(**key)[column].dropna()]]
        least, most = target.get("least", part.least), target.get("most", part.most)
        if "value" in target:
            least, most = target["value"] - target["within"], target["value"] + target["within"]
        is_smaller = column in cells.view.smaller or column in self.columns and self.columns[column].better == SMALLER
        return Pair({**target, **labels}, column, -1 if is_smaller else 1, *sides, least, most,
                    column in cells.view.logarithms)

    def lines(self, line: Line, more: Mapping[str, Any] | None = None) -> list[str]:
        """Returns a text for each combination of values of which there are runs."""
        if line.judged and "needs" in (more or {}).get(line.judged, {}):
            return []
        if line.check:
            return self.texts[line.check](self, line)
        cells = self.views[line.view]
        named = [self.named({**self._of_cell(cells, labels), **labels, **self._inner(line, labels), "of": more})
                 for labels in combinations(line.each, cells) if not line.each or cells.has(labels)]
        texts = [filled(line.line, names)
                 for names in named if not line.known or names[line.known] == names[line.known]]
        return texts if line.join is None else [line.join.join(texts)]

    def _inner(self, line: Line, labels: Key) -> dict[str, str]:
        """Returns the texts within a text."""
        return {name: self.lines(Line(**{"view": line.view, "join": ", ", **each, "each": {
            **{key: value for key, value in labels.items()}, **each["each"]}}))[0] for name, each in line.lists.items()}

    @staticmethod
    def _of_cell(cells: Cells, labels: Key) -> dict[str, Any]:
        """Returns the means of the columns of a cell, or the first of its words."""
        found = cells.get(**labels) if set(cells.by) <= {*labels, *cells.fixed} else None
        if found is None:
            first = next((cell for key, cell in cells.cells.items() if all(
                key[place] == labels[name] for place, name in enumerate(cells.by) if name in labels)), None)
            return {} if first is None else {name: first[name].iloc[0] for name in first if name not in labels}
        means = {name: found[name].mean() if found[name].dtype.kind == "f" else found[name].iloc[0] for name in found}
        means["deviation"] = found[cells.view.score].std(ddof=1) if cells.view.score in found else math.nan
        means |= {name: math.exp(np.log(found[name]).mean()) for name in cells.view.logarithms}
        return {**{name: value for name, value in means.items() if name not in labels}, "seeds": len(found)}
