"""The report in a browser: it asks for nothing, runs nothing from names, is quick, readable and answers keys. Needs
Chromium; without it these tests are skipped."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest
from conftest import write_sweep
from test_report import HOSTILE
from test_report_questions import run_of

from trilemma_analysis import read_sweep
from trilemma_analysis.model.budgets import Budget
from trilemma_analysis.report.content import collect
from trilemma_analysis.report.page import render

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
# Runs in the page once it is ready. Reports texts with too little contrast, and what clicks and keys lead to.
PROBE = r"""
const result = {texts: [], lines: [], unnamed: [], small: []};
const parsed = (text) => (text.match(/[\d.]+/g) || []).map(Number);
const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
function ground(node) {
  for (let each = node; each; each = each.parentElement) {
    const colour = parsed(getComputedStyle(each).backgroundColor);
    if (colour.length === 3 || colour[3] > 0) return colour;
  }
  return [255, 255, 255];
}
function look() {
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    const paint = getComputedStyle(node), drawn = node instanceof SVGElement;
    if (own && node.checkVisibility() && !["SCRIPT", "STYLE", "TITLE", "DESC", "title", "desc", "OPTION"].includes(node.tagName)) {
      const found = contrast(parsed(drawn ? paint.fill : paint.color), ground(node));
      if (found < 4.5) result.texts.push(`${node.tagName} ${node.textContent.slice(0, 30)} ${found.toFixed(2)}`);
      if (parseFloat(paint.fontSize) < 12) result.small.push(node.textContent.slice(0, 30));
    }
    if (drawn && node.matches(".line, .bar, .interval") && contrast(parsed(paint.stroke), ground(node)) < 3) result.lines.push(node.parentElement.className.baseVal);
  }
  for (const node of document.querySelectorAll("a, button, input, select, svg.chart, [role=region]")) {
    const name = node.getAttribute("aria-label") || (node.closest("label") || node).textContent.trim();
    if (!name) result.unnamed.push(node.outerHTML.slice(0, 80));
  }
  result.focusable = [...document.querySelectorAll("a, button, input, select, summary, [tabindex]")].filter((node) => node.checkVisibility()).length;
  result.positive = document.querySelectorAll("[tabindex]:not([tabindex='0'])").length;
}
function act() {
  result.drawn = ["dots", "planes", "ways", "epsilons", "tunings"].map((id) => document.querySelectorAll(`#${id} svg.chart`).length);
  result.ringed = document.querySelectorAll("#tunings .chosen .dot[cx]").length;
  const rows = [...document.querySelectorAll("#table tbody tr")], text = (id) => document.getElementById(id).textContent;
  rows[0].click();
  result.detail = text("detail").slice(0, 12) === rows[0].cells[0].textContent;
  result.chip = text("chip");
  result.picked = [...document.querySelectorAll("tr.picked")].every((row) => row.dataset.s === rows[0].dataset.s);
  result.hash = location.hash;
  document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}));
  result.cleared = text("chip") === "" && location.hash === "";
  result.before = document.querySelector(".headline").textContent;
  result.notesBefore = text("answer");
  const field = document.querySelector("[name=bits]");
  field.value = "400 bit";
  field.dispatchEvent(new Event("input", {bubbles: true}));
  result.command = document.querySelector(".explore code").textContent;
  result.question = document.querySelector(".question").textContent;
  result.headline = document.querySelector(".headline").textContent;
  result.notes = text("answer");
  field.value = "much";
  field.dispatchEvent(new Event("input", {bubbles: true}));
  result.wrong = field.getAttribute("aria-invalid");
  result.fault = text("fault");
  field.value = "";
  field.dispatchEvent(new Event("input", {bubbles: true}));
  result.faultAfter = text("fault");
  const way = document.querySelector("#ways svg.chart");
  way.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
  result.readout = document.querySelectorAll("#readout tbody tr").length > 0 && document.querySelectorAll(".rule").length > 0;
  document.querySelectorAll("#table th button")[5].click();
  const shown = [...document.querySelectorAll("#table tbody tr")].map((row) => parseFloat(row.cells[5].textContent));
  result.sorted = shown.every((value, i) => i === 0 || !(value < shown[i - 1]));
  result.wide = [...document.querySelectorAll("body *")].filter((node) => node.getBoundingClientRect().right > innerWidth + 1 &&
    !node.closest(".scroll")).map((node) => `${node.tagName} ${node.id} ${node.className}`);
  result.title = document.title;
  result.ready = Number(document.documentElement.dataset.ready);
}
const wait = setInterval(() => {
  if (!document.documentElement.dataset.ready) return;
  clearInterval(wait);
  try { look(); act(); } catch (error) { result.error = String(error.stack); }
  const node = document.createElement("pre");
  node.id = "probe";
  node.textContent = JSON.stringify(result);
  document.body.append(node);
}, 20);
"""


def browse(page, *flags):
    """The DOM of a page after its scripts ran, and what was written to the console."""
    done = subprocess.run([CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                           "--virtual-time-budget=20000", f"--user-data-dir={page.parent / 'profile'}", *flags, "--dump-dom",
                           page.as_uri()], capture_output=True, text=True, timeout=120)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def probed(page, *flags):
    """What PROBE reports of a copy of the page that allows it to run."""
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page.read_text(encoding="utf-8"))
    copy = page.with_name("probed.html")
    copy.write_text(text.replace("</body>", f"<script>{PROBE}</script></body>"), encoding="utf-8")
    dom, _ = browse(copy, *flags)
    return json.loads(re.search(r'<pre id="probe">(.*?)</pre>', dom, re.DOTALL)[1].replace("&lt;", "<").replace(
        "&gt;", ">").replace("&amp;", "&"))


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")
    cells = [run_of(method, epsilon, rate, seed) for method, epsilons in (
        ("gd", (0.0,)), ("ldp-sgd", (0.5, 2.0)), ("cdp-sgd", (0.5, 2.0))) for epsilon in epsilons for rate in (1.0, 3.0)
        for seed in (0, 1, 2)]
    for number, each in enumerate(cells[-6:]):
        each["values"]["method"] = (HOSTILE, "x" * 300)[number % 2]
        each["run"]["claim"] = f"holds: {HOSTILE}"
    sweep = write_sweep(folder / "sweep", cells, ("method", "privacy.epsilon", "server.rate", "seed"), name=HOSTILE)
    path = folder / "page.html"
    path.write_text(render(collect([read_sweep(sweep)], Budget())), encoding="utf-8")
    return path


def test_the_page_works_and_asks_for_nothing(page):
    log = page.with_name("net.json")
    dom, console = browse(page, f"--log-net-log={log}")
    assert re.search(r'data-ready="\d+"', dom) and console == []
    hosts = re.findall(r'"url":"(https?://[^"]*)', log.read_text(encoding="utf-8"))
    assert [url for url in hosts if "google" not in url and "gvt1" not in url] == []  # the browser's own services


def test_clicks_and_keys_lead_to_the_same_selection_everywhere(page):
    found = probed(page)
    assert "error" not in found, found["error"]
    assert found["detail"] and found["picked"] and "picked=" in found["hash"] and found["cleared"] and found["readout"]
    assert all(found["drawn"]) and found["ringed"]
    assert re.match(r"\d+ of 30 runs dimmed", found["chip"])
    assert found["command"] == "PYTHONPATH=analysis scripts/python -m trilemma_analysis best sweep --bits 400bits --metric accuracy"
    assert found["headline"] != found["before"] and "400 bit" not in found["notesBefore"]
    assert "compared before their end" in found["notes"] and "unequal bits" not in found["notes"]
    assert "unequal bits" in found["notesBefore"]
    assert found["fault"] == '"much" is no size: write a number and a unit, as in 9 kB, 72 kbit or 2.5 MB. The page still answers ' \
        "the question before." and found["faultAfter"] == ""
    assert "within 400 bit per client" in found["question"] and found["wrong"] == "true" and found["sorted"]
    assert HOSTILE in found["title"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1600])
def test_everything_is_readable_and_named(page, scheme, width):
    found = probed(page, f"--blink-settings=preferredColorScheme={int(scheme == 'light')}", f"--window-size={width},900")
    assert found["texts"] == [] and found["lines"] == [] and found["small"] == [] and found["unnamed"] == []
    assert found["positive"] == 0 and found["wide"] == []
