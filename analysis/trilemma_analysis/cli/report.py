"""The command `report`: one page with answer, figures and tables of a sweep, which needs neither server nor network."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..io.errors import RunFileError
from ..io.writing import write_output
from ..model.budgets import Budget, Target
from ..model.sizes import bits_of
from .best import _positive, _seeds, _target


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command to its parser."""
    parser.description = ("Writes one HTML file about one or several sweeps: which method is best, figures, all runs, "
                          "and what every epsilon means. The file needs no network, and is complete without "
                          "JavaScript; with it, the question can be changed in the page.")
    parser.add_argument("folder", nargs="+", metavar="SWEEP", help="folders of sweeps, with sweep.json and run files")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="HTML file to write")
    parser.add_argument("--bits", metavar="SIZE", help="limit on the payload that a client sends, in the mean: 9kB, "
                        "2.5Mbit (default: none)")
    parser.add_argument("--epsilon", type=_positive, metavar="E", help="limit on the accounted epsilon (default: none; "
                        "methods with one nominal epsilon are ranked together)")
    parser.add_argument("--target", metavar="METRIC=VALUE", help="ranks by the bits until the metric is as good "
                        "as this")
    parser.add_argument("--metric", default="auto", help="what is compared (default: the score on test records, or "
                        "another metric that has values)")
    parser.add_argument("--tune-seeds", metavar="SEEDS", help="seeds that choose the settings and do not judge them "
                        "(default: those that the sweep names)")
    parser.add_argument("--by", metavar="AXIS", help="each value of this setting competes on its own, as in "
                        "compressor.kind")
    parser.add_argument("--text", metavar="FILE",
                        help="text of the author in Markdown, which stands at the top of the page: paragraphs, "
                             "headings, lists, emphasis, links and code (default: none)")


def run(options: argparse.Namespace) -> None:
    """Writes the report and prints its name."""
    from ..model.sweep import read_sweep
    from ..report.content import collect
    from ..report.page import render

    if not options.output.endswith((".html", ".htm")):
        raise RunFileError(f"{options.output}: the report is an HTML page; name a file that ends in .html.")
    sweeps = [read_sweep(folder) for folder in options.folder]  # whose metrics the target may name
    target: Target | None = _target(options)
    bits = bits_of(options.bits) if options.bits is not None else None
    budget = Budget(bits, epsilon=options.epsilon, target=target)
    tuning = _seeds(options.tune_seeds) if options.tune_seeds else {seed for sweep in sweeps for seed in sweep.tuning}
    write_output(options.output, render(collect(sweeps, budget, options.metric, sorted(tuning), options.by),
                                        _author(options.text)))
    print(options.output)


def _author(path: str | None) -> str:
    """Returns the text of the author, empty without one. Raises RunFileError for a file that is not UTF-8."""
    try:
        return Path(path).read_text(encoding="utf-8") if path else ""
    except UnicodeDecodeError:
        raise RunFileError(f"{path}: not a text in UTF-8; name a Markdown file.") from None
