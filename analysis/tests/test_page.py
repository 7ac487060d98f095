"""Title, caption and names around panels, and what is saved with a picture."""

import xml.etree.ElementTree as ElementTree

import pytest
from figure_parts import in_picture, overlapping
from PIL import Image

from trilemma_analysis.io.words import Brief, Warn
from trilemma_analysis.plot import names, style
from trilemma_analysis.plot.page import MOST_LINES, Sheet, Words, compose, save, wrap

FINDING = "A tenth of the upload costs 4.0 points at ε = 8 and 9.6 points at ε = 0.5 on generated data"
NOTES = [Warn("gd is not private"), Brief("3 seeds, min to max"), "claim: <holds>"]


def panel(axes):
    for y, name in ((0.5, "ldp-sgd"), (0.51, "cdp-sgd"), (0.52, "soteriafl-sgd"), (1.0, "gd")):
        axes.plot([0, 1], [0, y])
        names.at_end(axes, 1, y, name, "#222222")
    for x in (0.2, 0.21, 0.22):
        names.at_point(axes, x, 0.9, f"ε = {x}", "#222222")
    axes.set_xlim(0, 1)
    return []


def drawn(notes=NOTES, count=2, **sheet):
    return compose(Sheet(**sheet), [panel] * count, lambda axes: [], lambda _: Words(FINDING, "4 methods", notes))


@pytest.mark.parametrize("sheet", [{}, {"width": 3.4, "font": 7.0}, {"width": 11.0, "font": 12.0}])
def test_no_texts_overlap_and_no_word_of_the_title_is_cut(sheet):
    figure = drawn(**sheet)
    assert overlapping(figure) == [] and in_picture(figure).startswith(FINDING)


def test_names_keep_the_order_of_their_lines():
    figure = drawn(count=1)
    ends = [text for text in figure.axes[0].texts if text.get_gid() == names.END]
    heights = [text.get_position()[1] for text in ends]
    assert heights == sorted(heights) and heights[3] == pytest.approx(1.0, abs=0.05)


def test_a_caption_has_three_lines_and_counts_what_is_not_in_it():
    notes = [Warn(f"warning {i} about something that a reader must know of this figure") for i in range(9)] + NOTES
    figure = drawn(notes=notes)
    below = [text for text in figure.texts if text.get_position()[1] < 0.5]
    assert len(below) <= MOST_LINES and "7 more warnings in the text with this picture" in in_picture(figure)
    assert all(note in figure.get_label() for note in notes)


def test_warnings_are_red_and_other_notes_are_in_the_text_alone():
    figure = drawn()
    assert in_picture(figure, style.WARNING) == "gd is not private"
    assert "3 seeds" in in_picture(figure) and "claim" not in in_picture(figure)


def test_text_and_metadata_go_with_the_picture(tmp_path):
    figure = drawn()
    for kind in ("png", "svg"):
        save(figure, tmp_path / f"a.{kind}")
    assert (tmp_path / "a.txt").read_text() == f"{FINDING}\n4 methods\ngd is not private\n3 seeds, min to max\n" \
        "claim: <holds>\n"
    assert Image.open(tmp_path / "a.png").text["Title"] == FINDING
    texts = {element.tag.partition("}")[2]: element.text for element in list(ElementTree.parse(tmp_path / "a.svg").getroot())}
    assert texts["title"] == FINDING and texts["desc"].endswith("claim: <holds>")


@pytest.mark.parametrize("width", [2.0, 2.4, 2.9, 3.4, 4.1])
@pytest.mark.parametrize("bold", [False, True])
def test_no_line_ends_between_a_number_and_its_unit(width, bold):
    text = "ldp-sgd is first with 82.0 % (of 90 %) at 12.8 kbit per client, behind by 3 points in 40 s; 5 hosts took 7 % more"
    lines = wrap(drawn(), text, 9.0, width, bold)
    assert " ".join(lines) == text and len(lines) > 1
    assert not [line for line in lines if line.startswith(("%", "kbit", "s;"))]
