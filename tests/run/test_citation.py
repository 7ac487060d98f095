"""CITATION.cff names the version of the build, and has what a citation needs (Citation File Format 1.2.0)."""
import re

import pytest
from conftest import ROOT, call

TEXT = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
FIELDS = dict(re.findall(r"^([a-z-]+): *(.*)$", TEXT, re.MULTILINE))


def test_version_is_that_of_the_program_and_of_the_package():
    assert FIELDS["version"] in call("--version").out.split()
    package = (ROOT / "analysis/pyproject.toml").read_text(encoding="utf-8")
    assert re.search(r'^version = "(.*)"$', package, re.MULTILINE)[1] == FIELDS["version"]


@pytest.mark.parametrize("field, pattern", [
    ("cff-version", r"1\.2\.0"), ("title", r'".+"'), ("message", r".+"), ("abstract", r">-"), ("type", "software"),
    ("date-released", r"\d{4}-\d{2}-\d{2}"), ("license", "BSD-3-Clause"), ("authors", ""), ("keywords", "")])
def test_field(field, pattern):
    assert re.fullmatch(pattern, FIELDS[field])


def test_what_a_release_fills_in_is_an_address_or_left_out():
    assert re.fullmatch(r"https?://\S+", FIELDS.get("repository-code", "https://left.out"))
    assert re.fullmatch(r"10\.\d{4,9}/\S+", FIELDS.get("doi", "10.0000/left.out"))
