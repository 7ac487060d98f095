"""The sections of a report as HTML. Every name passes through html.escape."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

from ..io import forms
from ..io.run_file import NOMINAL, NOT_PRIVATE
from ..model import guarantees
from ..model.budgets import spent_by
from ..model.metrics import COMPARED
from ..model.origins import broken_promises, own_models
from ..model.states import State
from ..model.sweep import gaps_in
from ..stats import answers
from ..stats.baselines import baseline_notes, score
from ..stats.paired import Mean, mean
from ..stats.findings import grown
from ..stats.judgement import share_words, value_range
from ..stats.rankings import Answer, Entry, Ranking
from . import charts, stills
from .content import Content, Member
from .headline import constant_of, headline
from .packed import Packed

LEAST_SPAN = 0.02  # of the values of a strip
DEFINITIONS = (
    ("bit", "a payload bit of the exact encoding, in expectation over the clients that take part where that is known; "
     "per client: in the mean over all clients"),
    ("value, interval",
     "mean over the seeds and its 95 % interval by Student's t; bands of curves are ranges of seeds"),
    ("difference", "to the first method, seed by seed, with its 95 % interval"),
    ("tied, behind", "tied: the interval of the difference contains 0; behind: it does not"),
    ("ε", "the accounted epsilon of one run; it does not cover the choice among runs"),
    ("ranking", "methods on one task whose epsilons mean the same; rankings are never compared with each other"),
    ("seconds", "time of the rounds without evaluation and recording; shown where the machine allows a judgement"),
    ("LDP-SGD, CDP-SGD", "names of published methods, not kinds of trust"),
)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str, numbers: Sequence[int] = (),
          owners: Sequence[str] = ()) -> str:
    """Returns a table of cells that are HTML already. `numbers` are the columns aligned right, `owners` attributes of
    rows."""
    def cells(row: Sequence[str]) -> str:
        return "".join(f"<td{' class=n' if i in numbers else ''}>{cell}</td>" for i, cell in enumerate(row))

    heads = "".join(f"<th scope=col{' class=n' if i in numbers else ''}>{name}</th>" for i, name in enumerate(head))
    body = "".join(f"<tr{owners[i] if owners else ''}>{cells(row)}</tr>" for i, row in enumerate(rows))
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}"><table><caption>{caption}' \
        f"</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"


def listed(lines: Iterable[str], kind: str = "notes") -> str:
    """Returns sentences as a list, nothing without sentences."""
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f'<ul class="{kind}">{items}</ul>' if items else ""


def provenance(content: Content) -> str:
    """Returns one line on the runs of the report."""
    runs = [each.run for each in content.members]
    versions = sorted({run.attributes["program_version"] for run in runs})
    commits = sorted({run.environment.get("git_revision", "").strip() for run in runs} - {""})
    days = sorted({run.environment.get("started", "").strip()[:10] for run in runs} - {""})
    when = f", started {days[0]}" + (f" to {days[-1]}" if len(days) > 1 else "") if days else ""
    models = own_models(runs)
    made_of = ', '.join(sweep.experiment for sweep in content.sweeps) + (f" with {models}" if models else "")
    at = f" at {','.join(commits)}" if commits else ""
    return f"{len(runs)} runs of {made_of}; trilemma {', '.join(versions)}{at}{when}"


def question(content: Content) -> str:
    """Returns the question of the report in one sentence."""
    if content.answer is not None:
        return answers.question(content.answer)
    metric = COMPARED[content.metric]
    return f"{' '.join(metric.axis.split())} at the last evaluated round"


def warnings(content: Content) -> list[str]:
    """Returns warnings that precede the answer: runs without a claim, unfinished cells, and models that learnt
    nothing."""
    runs = [each.run for each in content.members]
    found = [f"{words}: {sum(run.status == status for run in runs)} of {len(runs)} runs"
             for status, words in ((NOT_PRIVATE, "not private, without any claim"),
                                   (NOMINAL, "with a nominal epsilon only, which no accountant has checked"))
             if any(run.status == status for run in runs)]
    lost = sum(each.state is State.DIVERGED for each in content.members)
    found += [f"diverged: {lost} of {len(runs)} runs"] if lost else []
    found += [*gaps_in(content.sweeps), *broken_promises(runs)]
    rows = [(content.names[content.place(entry.setting)],
             [score(entry.setting.runs[seed], content.metric, entry.setting.found[seed].value) for seed in entry.seeds])
            for ranking in (content.answer.rankings if content.answer and content.budget.target is None else ())
            for entry in ranking.entries]
    return found + baseline_notes(rows)


def answer(content: Content) -> str:
    """Returns the section with the answer in one sentence, two dot plots, warnings, a table for every ranking, and
    notes."""
    asked = f'<p class="question">{escape(question(content))}</p>'
    warned = listed(warnings(content), "warnings")
    if content.answer is None:
        return f'<p class="headline">No answer: {escape(content.reason)}</p>{asked}{warned}<div id="rankings"></div>'
    rankings = "".join(_ranking(content, ranking) for ranking in content.answer.rankings)
    said = escape(headline(content.answer, content.level, content.names_in(content.answer)))
    return f'<p class="headline">{said}</p>{asked}<div id="dots" class="charts">{stills.answers(content)}</div>' \
        '<p class="caption drawn">Dot and bar: mean over the seeds and its 95 % interval. Dashed: ' \
        f'{escape(_constants(content))}.</p>{warned}<div id="rankings">{rankings}</div><details open>' \
        f'<summary>What to know</summary><div id="notes">{listed(notes(content.answer))}</div></details>'


def _constants(content: Content) -> str:
    """Returns the score of the best constant model, a range over several tasks, or why there is no line of it."""
    share, name = COMPARED[content.metric].is_share, COMPARED[content.metric].name
    known = [value for ranking in content.answer.rankings
             if not math.isnan(value := constant_of(content.answer, ranking.entries))]
    return f"the best constant model, {value_range(known, share_words(share), share)}" if known else \
        f"not drawn, since the {name} of the best constant model is not known"


def notes(found: Answer) -> list[str]:
    """Returns the notes on an answer, as `best` prints them."""
    return [*grown(found), *answers.notes(found)]


def _ranking(content: Content, ranking: Ranking) -> str:
    """Returns title, verdict, table and remarks of one ranking."""
    share = COMPARED[content.metric].is_share
    target = content.budget.target is not None
    show = forms.bits if target else lambda value: forms.of_metric(value, share)
    values = [value for entry in ranking.entries for value in (entry.over.low, entry.over.centre, entry.over.high)
              if math.isfinite(value)]
    ends = (min(values, default=0.0), max(values, default=1.0))
    rows, owners = [], []
    for place, entry in enumerate(ranking.entries, 1):
        number = content.place(entry.setting)
        colour = content.methods.index(entry.setting.method)
        stands = [entry.setting.found[seed] for seed in entry.seeds]
        rows.append([str(place), f'<span class="key m{colour}"></span>{escape(content.names[number])}',
                     show(entry.over.centre) if entry.reached else "-",
                     strip(entry.over.low, entry.over.centre, entry.over.high, ends, colour)
                     + f'<span class="ends">{interval(entry.over, show)}</span>',
                     _difference(entry, share and not target, show),
                     escape(answers.result_words(entry)),
                     forms.bits(mean([each.mean for each in stands]).centre),
                     _epsilon(max(each.epsilon for each in stands))])
        owners.append(f' data-s="{number}" tabindex="0"')
    name = "until then" if target else escape(COMPARED[content.metric].name)
    head = ["", "method", name, "95 % interval", "difference", "result", "bits/client", "ε spent"]
    return f'<div class="ranking"><h3>{escape(ranking.title)}</h3>' \
        + f'<p class="verdict">{escape(answers.verdict(ranking))}</p>' \
        + table(head, rows, f"Seeds: {len(ranking.entries[0].seeds)}", (0, 2, 6, 7), owners) \
        + listed([*answers.fewer_seeds(ranking), *answers.on_rounds(content.answer, ranking)]) + "</div>"


def interval(over: Mean, show) -> str:
    """Returns the ends of an interval; a dash without one."""
    return "-" if math.isnan(over.low) else f"{show(over.low)} to {show(over.high)}"


def _difference(entry: Entry, share: bool, show) -> str:
    """Returns the difference to the first method with its interval; a dash for the first method."""
    over = entry.difference
    if over is None or not over.n:
        return "-"
    text = forms.signed_points if share else lambda value: forms.signed(value, show)
    ends = "" if math.isnan(over.low) else f" [{text(over.low)}, {text(over.high)}]"
    return f"{text(over.centre)}{ends}{' points' if share else ''}"


def _epsilon(value: float) -> str:
    """Returns an accounted epsilon; a dash without one."""
    return "-" if math.isnan(value) else forms.epsilon(value)


def strip(low: float, centre: float, high: float, ends: tuple[float, float], colour: int) -> str:
    """Returns a value and its interval on a common scale, as a small picture for a cell of a table. The scale spans 2 %
    or more of its values, so that equal values look equal."""
    span = max(ends[1] - ends[0], LEAST_SPAN * abs(ends[1])) or 1.0
    start = (ends[0] + ends[1] - span) / 2

    def at(value: float) -> float:
        return round(6 + 128 * (value - start) / span, 1)

    bar = "" if math.isnan(low) else \
        f'<line class="interval" x1="{at(max(low, ends[0]))}" x2="{at(min(high, ends[1]))}" y1="9" y2="9"/>'
    dot = f'<circle class="dot" cx="{at(centre)}" cy="9" r="4.5"/>' if math.isfinite(centre) else ""
    return f'<svg class="strip mark m{colour}" viewBox="0 0 140 18" width="140" height="18" aria-hidden="true">' \
        f"{bar}{dot}</svg>"


def plane(content: Content) -> str:
    """Returns the section on bits and metric."""
    return f'<div id="planes" class="charts">{stills.sweeps(content, "end-bits")}</div><p class="caption drawn">' \
        "Mean and 95 % interval of every method at its best setting; a line joins the epsilons of a method. Circle: " \
        "the claim holds; hollow: nominal only; square: no claim. The table of the answer has the numbers.</p>"


def curves(content: Content) -> str:
    """Returns the section on the metric against bits and against rounds."""
    return f'<div id="ways" class="charts">{stills.sweeps(content, "bits", "rounds")}</div><p class="caption drawn">' \
        "Line: mean over the seeds; band: their range; dot and bar: value and 95 % interval that are ranked; grey: " \
        "methods from the seventh place on.</p>"


def privacy(content: Content) -> str:
    """Returns the section on what every epsilon means, with epsilon against rounds and the claims."""
    kinds: dict[tuple, list[Member]] = {}
    for each in content.members:
        promised = guarantees.guarantee_of(each.run)
        kinds.setdefault((promised, each.run.claim_word), []).append(each)
    rows = [[escape(promised.unit), escape(promised.relation), escape(promised.delta), escape(promised.against),
             escape(claim), str(len(each))] if promised else ["-", "-", "-", "-", escape(claim), str(len(each))]
            for (promised, claim), each in kinds.items()]
    claims: dict[str, list[str]] = {}
    for each in content.members:
        text = each.run.attributes["claim"]
        claims.setdefault(guarantees.NUMBER.sub("#", text), []).append(text)
    sentences = [f"{len(texts)} run{'s' * (len(texts) > 1)}: {guarantees.folded(texts)}" for texts in claims.values()]
    head = ["unit", "relation", "δ", "adversary", "claim", "runs"]
    return f'<div id="epsilons" class="charts">{stills.charts(content, charts.epsilons(content))}</div>' \
        + table(head, rows, "What an epsilon means", (5,)) + f"<h3>Claims</h3>{listed(sentences)}" \
        + listed(guarantees.choice([each.run for each in content.members]))


def tuning(content: Content) -> str:
    """Returns the section on the results by which each method chose its settings."""
    found, more = charts.tunings(content)
    if not found:
        return '<p class="caption">No method had a setting to choose.</p>'
    choose = ", ".join(map(str, content.tuning))
    seeds = f"seeds {choose} choose (hollow), the others judge (full)" if choose else \
        "the same seeds choose and judge, which flatters methods with many settings"
    rest = f"; {more} more panels are not shown" if more else ""
    return f'<p class="caption">Ringed: the chosen setting; {escape(seeds)}{rest}.</p>' \
        f'<div id="tunings" class="charts small">{stills.charts(content, found)}</div>'


def runs(content: Content) -> str:
    """Returns the section with a row for every run, and the state of every cell without a run."""
    share = COMPARED[content.metric].is_share
    rows, owners = [], []
    for place, each in enumerate(content.members):
        run = each.run
        known = run.evaluated(content.metric)
        last = float(known.iloc[-1]) if len(known) else math.nan
        colour = content.methods.index(content.settings[each.setting].method)
        rows.append([f"<code>{escape(each.mark)}</code>",
                     f'<span class="key m{colour}"></span>{escape(content.names[each.setting])}',
                     str(run.attributes["seed"]) + ("" if each.ranked else " (repeated)")
                     + (" (tuning)" if run.attributes["seed"] in content.tuning else ""),
                     escape(guarantees.claim_cell([run])), escape(each.state.value), forms.of_metric(last, share),
                     forms.bits(float(spent_by(run, "up")["mean"].iloc[-1])),
                     _epsilon(run.attributes["epsilon_accounted"])])
        owners.append(f' data-s="{each.setting}" data-r="{place}" tabindex="0"')
    head = ["run", "setting", "seed", "private", "state", escape(COMPARED[content.metric].name), "bits/client",
            "ε spent"]
    repeated = sum(not each.ranked for each in content.members)
    words = [*(f"{sweep.name}: {sweep.progress()}" for sweep in content.sweeps),
             *(line for sweep in content.sweeps for line in (*sweep.refusals(), *sweep.skipped())),
             *([f"{repeated} runs repeat the settings and the seed of another one and are in no ranking"]
               if repeated else []),
             *(note for sweep in content.sweeps for note in sweep.notes)]
    return f'{listed(words)}<div id="table">{table(head, rows, "All runs, at their end", (2, 5, 6, 7), owners)}</div>' \
        f'{_unfinished(content)}<div id="detail"></div>'


def _unfinished(content: Content) -> str:
    """Returns the cells without a run, with the reason; nothing if there are none."""
    rows = [[escape(sweep.name), escape(str(row["file"])), escape(str(row["state"])), escape(str(row["reason"]))]
            for sweep in content.sweeps for _, row in sweep.table[sweep.table["state"] != "done"].iterrows()]
    return table(["sweep", "cell", "state", "reason"], rows, "Cells without a result") if rows else ""


def method(content: Content, packed: Packed) -> str:
    """Returns the section with definitions, what no claim covers, the origin of the runs, and the content of the
    page."""
    rows = [[escape(name), escape(words)] for name, words in DEFINITIONS]
    every = [[each.run] for each in content.members]
    held = f"The page holds every evaluated state of every run (at most {packed.longest})" if not packed.thinned else \
        f"The page holds at most {packed.thinned} of up to {packed.longest} evaluated states of a run: of every " \
        "bucket of rounds those with the least and the largest value; a question that is changed in the page is " \
        "answered from these"
    origin = []
    for name in ("git_revision", "compiler", "compiler_flags", "cpu", "libraries", "started", "launch"):
        found = list(dict.fromkeys(each.run.environment.get(name, "").strip() for each in content.members))
        if texts := [text for text in found if text]:
            shown = texts[0] if len(texts) == 1 else f"{texts[0]} and {len(texts) - 1} more"
            origin.append([escape(name.replace("_", " ")), escape(shown)])
    return table(["term", "meaning"], rows, "Definitions") \
        + listed([*guarantees.footer(every), f"{held}. Metrics have {packed.digits} digits, shares 7."]) \
        + (table(["recorded", "value"], origin, "Where the runs come from") if origin else "") \
        + "<p>SHA-256 and fingerprint of every run file are in the data of this page.</p>"
