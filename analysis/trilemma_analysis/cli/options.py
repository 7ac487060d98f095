"""Options of the commands that draw, without the modules that draw: a table must not wait for matplotlib."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn, TYPE_CHECKING

from ..io.errors import RunFileError
from ..io.writing import write_output
from ..model.metrics import METRICS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..plot.page import Sheet
    from ..plot.sweep_figure import Choice
    from ..model.uploads import Upload


EMPTY_IS_A_VALUE = ("title",)


class Parser(argparse.ArgumentParser):
    """A parser that answers a misspelt option, command or choice with the nearest one. Its commands are such parsers
    too, and refuse what they do not know themselves: the main one, which would do it, does not know their options."""

    def parse_known_args(self, args: Sequence[str] | None = None,  # type: ignore[override]
                         namespace: Any = None) -> tuple[argparse.Namespace, list[str]]:
        """Returns the options. Ends the program at an unknown one."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            # Without the dashes, which all options share.
            known = {name.strip("-"): name for action in self._actions for name in action.option_strings}
            near = [known[match] for word in unknown if word.startswith("-")
                    for match in get_close_matches(word.strip("-").partition("=")[0], known, n=1)]
            self.error(f"unrecognized arguments: {' '.join(unknown)}"
                       + (f'; did you mean "{near[0]}"?' if near else "; --help lists the options"))
        for action in self._actions:
            given = getattr(found, action.dest, None)
            if action.dest not in EMPTY_IS_A_VALUE and "" in (given if isinstance(given, list) else [given]):
                self.error(f"{'/'.join(action.option_strings) or action.metavar}: an empty value, as from a variable "
                           "that is not set; give a value, or leave the option out")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """Ends the program; what argparse says of a word that is no choice gets the nearest one behind it."""
        told = re.fullmatch(r"argument \S+: invalid choice: '(.*)' \(choose from (.*)\)", message)
        near = get_close_matches(told[1], re.findall(r"'([^']*)'", told[2]), n=1) if told else []
        super().error(message + "".join(f'; did you mean "{word}"?' for word in near))


def add_output(parser: argparse.ArgumentParser, required: bool = True) -> None:
    """Adds the options of the file and the sheet of a figure."""
    parser.add_argument("-o", "--output", action="append", required=required, default=None if required else [],
                        metavar="PICTURE", help="file to draw into, .png, .svg or .pdf; may be given several times")
    sheet = parser.add_argument_group("sheet")
    sheet.add_argument("--width", type=float, metavar="INCHES",
                       help="width of the figure (default: 7.2, a single panel 4.8); below 5 panels stand below each "
                            "other. A column of a paper has 3.4")
    sheet.add_argument("--font-size", type=float, default=8.0, metavar="POINTS", help="size of the text (default: 8)")
    sheet.add_argument("--title", metavar="TEXT", help="title in place of the finding; '' for none")
    sheet.add_argument("--no-caption", action="store_true",
                       help="leaves out what stands below the title and below the panels, and prints the whole text "
                            "instead, which is also in PICTURE's .txt: it belongs into the caption of the paper")


def add_tables(parser: argparse.ArgumentParser, csv: str, json: str) -> None:
    """Adds --csv and --json, which take the file to write; the texts say what is written."""
    parser.add_argument("--csv", metavar="FILE", help=f"writes {csv} in full precision as CSV")
    parser.add_argument("--json", metavar="FILE", help=f"writes {json} in full precision as JSON")


def write_tables(files: Mapping[str | None, Callable[[], str]]) -> None:
    """Writes the texts into the files that were named, and prints their names."""
    for name, content in files.items():
        if name is None:
            continue
        # `table --csv RUN.h5` has forgotten the name: the run must not be replaced.
        if name.endswith((".h5", ".h5.partial")):
            raise RunFileError(f"{name}: the name of a run file, which nothing here replaces; name the file to write.")
        write_output(name, content())
        print(name)


def add_choice(parser: argparse.ArgumentParser) -> None:
    """Adds the options of what a figure shows."""
    shown = parser.add_argument_group("what is shown")
    shown.add_argument("--panel", action="append", default=[], metavar="NAME[,NAME...]",
                       help="panels to draw: rounds, bits, seconds, clock, steps (metric on the way), epsilon, "
                            "end-bits, axis (metric at the end), times (seconds per round); default: one or two that "
                            "fit the data, never of time")
    shown.add_argument("--by", metavar="KEY", help="axis that gets the colours (default: the method, where it differs)")
    shown.add_argument("--bits", choices=("payload", "paper", "mpi", "edges"), default="payload",
                       help="count of bits: the exact size of the encoding (default), the papers' own count, what was "
                            "handed to MPI, or on edges: each message once for each node that receives it")
    shown.add_argument("--per-client", action=argparse.BooleanOptionalAction, default=True,
                       help="count bits per client, in the mean over the clients (default), or of all clients together")
    shown.add_argument("--equal-bits", action=argparse.BooleanOptionalAction, default=True,
                       help="end the axis of bits where the method that sends least has ended, so that methods are "
                            "compared at equal communication (default); otherwise draw every run to its end")


def add_metric(parser: argparse.ArgumentParser, default: str) -> None:
    """Adds --metric; `default` says what is shown without it."""
    parser.add_argument("--metric", action="append", default=[], choices=("auto", *METRICS), metavar="NAME",
                        help=f"metric to draw: auto, {', '.join(METRICS)}; {default}. May be given several times")


def sheet_of(options: argparse.Namespace) -> Sheet:
    """Returns the sheet that the options describe."""
    from ..plot.page import Sheet

    return Sheet(options.width, options.font_size, options.title, not options.no_caption)


def choice_of(options: argparse.Namespace, metrics: list[str]) -> Choice:
    """Returns the panels, metrics and other choices that the options make."""
    from ..plot.sweep_figure import Choice
    from ..model.uploads import Upload

    panels = [name.strip() for names in options.panel for name in names.split(",") if name.strip()]
    return Choice(panels, metrics, options.by, Upload(options.bits, options.per_client), options.equal_bits,
                  sheet_of(options))


def write(figure: Figure, options: argparse.Namespace) -> None:
    """Saves a figure into all files that were named, and prints their names; and its caption where it has none."""
    from ..plot.page import save

    if options.no_caption:
        print(figure.get_label())
    for path in options.output:
        save(figure, path)
        print(path)


def add_wide(command: argparse.ArgumentParser) -> None:
    """Adds --wide, which shows what does not fit."""
    command.add_argument("--wide", action="store_true",
                         help="shows all columns and whole notes (default: at most 8 columns, as many as fit into the "
                              "terminal)")


def add_selection(command: argparse.ArgumentParser) -> None:
    """Adds the options that choose and sort the rows of a table, and --wide."""
    add_wide(command)
    command.add_argument("--best-of", metavar="KEYS", help="shows the best row only over these settings, as in "
                         "rate,threshold (default: all rows)")
    command.add_argument("--sort", metavar="COLUMN", help="sorts the rows by a column, the best first (default: by the "
                         "settings)")


def words_of(text: str | None) -> list[str]:
    """Returns the parts of `text` between commas."""
    return [word.strip() for word in text.split(",")] if text else []
