"""The figure of a ranking, drawn from the answer that the table of `best` prints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ..io import forms
from ..io.run_file import Run
from ..io.words import Brief, Warn, cut
from ..model.groups import Group, typed_settings
from ..model.metrics import COMPARED, Metric
from ..stats.answers import notes, question, result_words, verdict
from ..stats.findings import (end_of, finding, grown, in_doubt, limits_of, name_of, overall, spent_at_end,
                              target_words, time_doubt)
from ..stats.paired import Mean, mean
from ..stats.judgement import Result
from ..stats.questions import names_of
from ..stats.rankings import Answer, Entry, Ranking
from . import captions, style
from .dots import Dot, LEAD, draw_dots, limits, rows, words_at_rows
from .page import Draw, NARROW, Sheet, Words, across, compose
from .scales import CUT

MOST_RANKINGS = 6
ROW, BETWEEN, AROUND = 0.2, 0.35, 0.75  # inches: of a row, and of what stands around the rows of a panel
WIDTHS = (1.15, 1.0)
LOG_ROOM = 1.25  # of a log axis, beyond what is drawn
WIDEST = 4.0  # ratio of a mean and the lower end of its interval, as far as the axis goes
REFERENCE = {"color": style.SOFT, "linestyle": (0, (1, 1.5)), "linewidth": 1.3}


@dataclass(frozen=True)
class Board:
    """What is drawn of an answer: rankings below each other, and those whose first methods are reference lines."""

    answer: Answer
    rankings: tuple[Ranking, ...]
    lines: tuple[Ranking, ...]
    columns: int

    @property
    def metric(self) -> Metric:
        """Returns the metric that is drawn."""
        target = self.answer.budget.target
        return COMPARED[target.metric if target else self.answer.metric]

    @property
    def factor(self) -> float:
        """Returns the factor to the unit of the axis: shares are drawn in per cent."""
        return 100.0 if self.metric.is_share else 1.0

    @property
    def names(self) -> list[str]:
        """Returns short names that distinguish the rankings."""
        return names_of([ranking.shared for ranking in self.rankings])

    def references(self, ranking: Ranking) -> list[Ranking]:
        """Returns the reference lines of a ranking."""
        return [line for line in self.lines if _same_task(line, ranking)]

    def dots(self, ranking: Ranking, of: Callable[[Entry], Mean | None]) -> list[Dot]:
        """Returns the marks of means, one a row. Colours are those of methods if values of a setting compete; otherwise
        they mark who leads. Diverged runs have no mark."""
        methods = self.methods
        colours = dict(zip(methods, style.colours(methods, False)))
        found = []
        for entry in ranking.entries:
            over = mean([]) if entry.result is Result.DIVERGED else of(entry) or mean([])
            colour = colours[_method(entry)] if len(methods) > 1 else LEAD if _leads(entry) else style.SOFT
            found.append(Dot(over.centre, over.low, over.high, colour, entry.reached == len(entry.seeds)))
        return found

    @property
    def methods(self) -> list[str]:
        """Returns the methods behind the values of a setting that compete."""
        return list(dict.fromkeys(_method(entry) for ranking in self.rankings for entry in ranking.entries)) \
            if self.answer.by else []


def draw_answer(answer: Answer, without_privacy: Sequence[Ranking] = (), sheet: Sheet = Sheet(),
                gaps: Sequence[str] = ()) -> Figure:
    """Draws up to MOST_RANKINGS rankings below each other: every method's value with its interval, and its difference
    to the first one. With a target it draws what was spent until it and by the end, and the metric at the end. The
    first methods of rankings `without_privacy` are reference lines in other rankings of the same task."""
    public = [ranking.shared for ranking in without_privacy]
    private = [ranking for ranking in answer.rankings if ranking.shared not in public]
    lines = () if answer.budget.target else tuple(line for line in without_privacy if line.verdict.first and any(
        _same_task(line, ranking) for ranking in private))
    found = [ranking for ranking in answer.rankings if ranking.shared not in [line.shared for line in lines]]
    if _by_epsilon(found):
        found = sorted(found, key=lambda ranking: float(ranking.shared.nominal))
    board = Board(answer, tuple(found[:MOST_RANKINGS]), lines,
                  1 if sheet.width is not None and sheet.width < NARROW else 2)
    panels: list[Draw] = [partial(draw, board=board, ranking=ranking) for ranking in board.rankings
                          for draw in ((_draw_until, _draw_ends) if answer.budget.target
                                       else (_draw_values, _draw_differences))]
    title = finding(answer, found[0]) if len(board.rankings) == 1 else overall(answer, board.rankings, board.names)
    inner = [ROW * (len(each.entries) + bool(board.references(each)) + 0.2) for each in board.rankings
             for _ in range(3 - board.columns)]
    heights = [height + (AROUND if place == len(inner) - 1 or board.columns == 1 else BETWEEN)
               for place, height in enumerate(inner)]
    title = in_doubt(title, answer)
    asked = f"{question(answer)}; {captions.learnt(answer.runs, on='')}"
    return compose(sheet, panels, lambda axes: [_methods(board)],
                   lambda drawn: Words(title, asked, [*gaps, *_notes(board, len(found)), *drawn]),
                   columns=board.columns, heights=heights, inner=inner, widths=WIDTHS if board.columns == 2 else None)


def _by_epsilon(rankings: Sequence[Ranking]) -> bool:
    """Returns whether rankings differ in their nominal epsilons."""
    asked = [ranking.shared.nominal for ranking in rankings]
    return len(set(asked)) == len(asked) and not {"", "nan"} & set(asked)


def _same_task(one: Ranking, other: Ranking) -> bool:
    """Returns whether the methods of two rankings learn the same from the same records."""
    return (one.shared.task, one.shared.data) == (other.shared.task, other.shared.data)


def _leads(entry: Entry) -> bool:
    """Returns whether no other method is known to be better."""
    return entry.result in (Result.FIRST, Result.TIED)


def _draw_values(axes: Axes, board: Board, ranking: Ranking) -> list[str]:
    """Draws the value of every method with its interval, and lines of methods without privacy."""
    values = [line.entries[0].over.centre for line in board.lines]
    notes = _linear(axes, board, ranking, lambda entry: entry.over, values)
    limits = limits_of(board.answer)
    _label(axes, board, ranking, f"{board.metric.name}{' (%)' if board.metric.is_share else ''}\n"
           f"{f'within {limits}' if limits else 'at the end'}\nmean, 95 % t interval, {_seeds(board.rankings)}")
    _title(axes, board, ranking)
    low, high = axes.get_xlim()
    for line in board.references(ranking):
        value = board.factor * line.entries[0].over.centre
        left = 2 * value > low + high
        more = f" (first of {len(line.entries)})" if len(line.entries) > 1 else ""
        axes.axvline(value, **REFERENCE)
        axes.annotate(f"{name_of(line.entries[0], board.answer)}, no privacy{more}",
                      (value, len(ranking.entries) - 0.1),
                      xytext=(-3 if left else 3, 0), textcoords="offset points", color=style.SOFT, va="center",
                      ha="right" if left else "left")
    return notes


def _draw_differences(axes: Axes, board: Board, ranking: Ranking) -> list[str]:
    """Draws the difference of every method to the first one, and writes the result of each next to it."""
    notes = _linear(axes, board, ranking, lambda entry: entry.difference, [0.0])
    axes.axvline(0, color=style.INK, linewidth=0.9, zorder=1.5)
    axes.tick_params(labelleft=board.columns == 1)
    _label(axes, board, ranking, f"difference to the first{' (points)' if board.metric.is_share else ''}\n"
           "seed by seed, 95 % t interval")
    _results(axes, board, ranking)
    return notes


def _draw_until(axes: Axes, board: Board, ranking: Ranking) -> list[str]:
    """Draws what every method spends until the target (o) and by its end (|)."""
    answer = board.answer
    budget = answer.budget
    ends = [spent_at_end(entry, answer).centre for entry in ranking.entries]
    # No run spends more until the target than by its end.
    dots = [replace(dot, high=min(dot.high, end)) for end, dot in zip(
        ends, board.dots(ranking, lambda entry: entry.over if entry.reached else None))]
    known = [value for value in (*(max(dot.low, dot.centre / WIDEST) for dot in dots),
                                 *(dot.centre for dot in dots), *ends) if value > 0]
    low, high = min(known) / LOG_ROOM, max(known) * LOG_ROOM
    rows(axes, _labels(ranking, answer))
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    for row, (dot, end) in enumerate(zip(dots, ends)):
        axes.plot([dot.centre, end], [row, row], color=dot.colour, linewidth=1.0, alpha=0.45)
        axes.plot([end], [row], "|", color=dot.colour, markersize=8, markeredgewidth=1.6)
    draw_dots(axes, [replace(dot, low=max(dot.low, low), high=min(dot.high, high)) for dot in dots])
    style.log_axis(axes.xaxis, low, high, prefixes=budget.until != "time")
    _results(axes, board, ranking)
    unit = {"bits": f"bits {'per client' if budget.per_client else 'of all clients'}", "seconds": "seconds",
            "time": "units of simulated time", "joules": "joules of all nodes"}[budget.until]
    _label(axes, board, ranking, f"{unit} (log)\nuntil {target_words(answer)} (o) and at the end (|)")
    _title(axes, board, ranking)
    told = [CUT] if any(dot.low < low or dot.high > high for dot in dots) else []
    if any(entry.reached and not dot.whole for entry, dot in zip(ranking.entries, dots)):
        told.append(Brief("open circles: mean over the seeds that reach the target"))
    if any(entry.result in (Result.TIED, Result.BEHIND) for entry in ranking.entries):
        told.append(Brief("tied, behind: by the 95 % t interval of the difference to the first, seed by seed"))
    return told


def _draw_ends(axes: Axes, board: Board, ranking: Ranking) -> list[str]:
    """Draws the metric of the target at the end of every run, and writes its number next to it."""
    def at_end(entry: Entry) -> Mean:
        return end_of(entry, board.answer.budget.target.metric)

    notes = _linear(axes, board, ranking, at_end)
    axes.tick_params(labelleft=board.columns == 1)
    _label(axes, board, ranking, f"{board.metric.name} at the end{' (%)' if board.metric.is_share else ''}\n"
           f"mean, 95 % t interval, {_seeds(board.rankings)}")
    values = [board.factor * at_end(entry).centre for entry in ranking.entries]
    words_at_rows(axes, [f"{value:.1f}" if board.metric.is_share else forms.figure(value) for value in values],
                 [style.INK] * len(values))
    return notes


def _linear(axes: Axes, board: Board, ranking: Ranking, of: Callable[[Entry], Mean | None],
            others: Sequence[float] = ()) -> list[str]:
    """Gives a panel its rows and a linear axis, the same in all rankings, and draws the means."""
    shown, every = ([dot.scaled(board.factor) for each in rankings for dot in board.dots(each, of)]
                    for rankings in ([ranking], board.rankings))
    low, high, cut_off = limits(every, [board.factor * value for value in others])
    rows(axes, _labels(ranking, board.answer), len(board.references(ranking)) > 0)
    axes.set_xlim(low, high)
    style.linear_axis(axes.xaxis, low, high)
    draw_dots(axes, [replace(dot, whole=True) for dot in shown])
    return [CUT] if cut_off else []


def _label(axes: Axes, board: Board, ranking: Ranking, text: str) -> None:
    """Labels the horizontal axis, only below the last ranking if rankings share it."""
    if ranking is board.rankings[-1] or board.columns == 1:
        axes.set_xlabel(text)


def _title(axes: Axes, board: Board, ranking: Ranking) -> None:
    """Sets the finding of this ranking as title if there are several."""
    if len(board.rankings) > 1:
        across(axes, f"{board.names[board.rankings.index(ranking)]}: {finding(board.answer, ranking)}")


def _results(axes: Axes, board: Board, ranking: Ranking) -> None:
    """Writes the result of every row to its right."""
    lead = style.INK if len(board.methods) > 1 else LEAD
    words_at_rows(axes, [result_words(entry) for entry in ranking.entries],
                 [lead if _leads(entry) else style.SOFT for entry in ranking.entries])


def _labels(ranking: Ranking, answer: Answer) -> list[str]:
    """Returns the names of the rows, with the number of seeds if it differs."""
    counts = {len(entry.seeds) for entry in ranking.entries}
    return [cut(name_of(entry, answer)) + (f" ({len(entry.seeds)} seed{'s' if len(entry.seeds) > 1 else ''})"
                                           if len(counts) > 1 else "") for entry in ranking.entries]


def _seeds(rankings: Sequence[Ranking]) -> str:
    """Returns the number of seeds in words."""
    counts = sorted({len(entry.seeds) for ranking in rankings for entry in ranking.entries})
    return f"{' to '.join(map(str, dict.fromkeys((counts[0], counts[-1]))))} seed{'' if counts == [1] else 's'}"


def _method(entry: Entry) -> str:
    """Returns the method itself, without the value that competes."""
    return str(entry.setting.first.attributes["method"])


def _memory(run: Run) -> str:
    """Returns the client memory of a run, empty without one."""
    settings = typed_settings(run)
    kind = str(settings.get("memory.kind", "none"))
    return kind if kind != "none" else "shifts" if "shift.step" in settings else ""


def _methods(board: Board) -> list[Line2D]:
    """Returns the legend of the methods behind values of a setting, with their client memories if these differ."""
    entries = [entry for ranking in board.rankings for entry in ranking.entries]
    memories = {method: tuple(sorted({_memory(entry.setting.first) for entry in entries if _method(entry) == method}))
                for method in board.methods}
    told = len(set(memories.values())) > 1
    words = [method + (f" + {' or '.join(kind or 'no memory' for kind in kinds)}" if told else "")
             for method, kinds in memories.items()]
    return [Line2D([], [], color=colour, marker="o", linestyle="", label=label)
            for label, colour in zip(words, style.colours(board.methods, False))] if len(memories) > 1 else []


def _notes(board: Board, rankings: int) -> list[str]:
    """Returns brief notes on terms, the choice of settings and what is not drawn, then the notes of the table."""
    drawn, answer = board.rankings, board.answer
    terms = [f"ε for {ranking.shared.promised.words()}" if ranking.shared.promised else ranking.title
             for ranking in drawn]
    brief = list(dict.fromkeys(terms)) if len(drawn) > 1 else [drawn[0].title]
    left = rankings - len(drawn)
    brief += [f"{left} more ranking{'s' if left > 1 else ''} in the table"] if left else []
    # Methods without privacy are skipped by a limit on epsilon, and drawn all the same.
    skipped = len(answer.skipped) - (len(board.lines) if answer.budget.epsilon is not None else 0)
    brief += [f"{skipped} kind{'s' * (skipped > 1)} of runs skipped, with reasons in the text"] if skipped > 0 else []
    entries = [entry for ranking in (*drawn, *board.lines) for entry in ranking.entries]
    seeds = f"seed{'s' if len(answer.tuning) > 1 else ''} {', '.join(map(str, answer.tuning))}"
    brief += [f"settings chosen on {seeds}, not drawn"] \
        if any(entry.settings > 1 and not entry.chosen_on_results for entry in entries) else []
    brief += ["settings chosen on the seeds that are drawn, which flatters"] \
        if any(entry.chosen_on_results for entry in entries) else []
    groups = [Group(entry.method, tuple(entry.setting.runs[seed] for seed in entry.seeds)) for entry in entries]
    return [*map(Warn, time_doubt(answer)), *map(Brief, brief), *map(verdict, drawn),
            *captions.claims(groups, folded=True), *grown(answer), *notes(answer)]
