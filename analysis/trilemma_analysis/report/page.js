// The page: its state, one selection and one cursor for all sections, the question bar, and single runs.

// ---- The page: data, state and what is drawn from it ----

const data = JSON.parse(byId("summary").textContent);
const initial = {
  bits: data.question.bits,
  perClient: data.question.per_client,
  epsilon: data.question.epsilon,
  rounds: null,
  seconds: null,
  target: data.question.target,
  metric: data.question.metric,
  tuning: data.question.tuning
};
const state = { question: { ...initial }, picked: new Set(), only: false, hot: null, tab: "bits", cursor: null,
  run: null };
const TABS = {
  bits: ["Bits", "bits", "payload bits sent per client (log scale)"],
  round: ["Rounds", "count", "round"],
  seconds: ["Seconds", "seconds", "seconds without evaluation"],
  time: ["Simulated time", "number", "simulated time"]
};
let states = [],
  configs = [],
  found = null,
  panels = [];
const fixed = byId("rankings").cloneNode(true),
  asWritten = document.querySelector(".question").textContent, // by Python
  writtenHeadline = document.querySelector(".headline").textContent;

const isInitial = () => JSON.stringify(state.question) === JSON.stringify(initial);
const formOf = () => (data.metrics[state.question.metric].share ? "percent" : "number");
const show = (value) => forms[state.question.target !== null ? "bits" : formOf()](value);
const colourOf = (entry) => entry.setting.method;

// ---- Cursor, brush, selection ----

function cursorIn(drawn, chart) {
  const move = (pixel) => { state.cursor = chart.at.value(pixel);
    drawCursor(); };
  drawn.addEventListener("pointermove", (event) => move(event.clientX - drawn.getBoundingClientRect().left));
  drawn.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 } [event.key];
    if (!step) return;
    event.preventDefault();
    const stops = [...new Set(chart.lines.flatMap((line) => line.rows.map((row) => row[state.tab])))].sort((a, b) =>
      a - b);
    const i = state.cursor === null ? (step > 0 ? -1 : stops.length) : stops.filter((stop) => stop <= state.cursor *
      (1 + 1e-9)).length - 1;
    state.cursor = stops[Math.min(stops.length - 1, Math.max(0, i + step))];
    drawCursor();
  });
}

/** One vertical rule in all panels, and what every line has there. */
function drawCursor() {
  const rows = [];
  for (const { chart, drawn } of panels) {
    const old = drawn.querySelector(".rule");
    if (old) old.remove();
    if (state.cursor === null) continue;
    const x = chart.at.px(state.cursor);
    drawn.append(svg("line", { class: "rule", x1: x, x2: x, y1: MARGIN.top, y2: chart.at.bottom }));
    for (const { entry, rows: line } of chart.lines) {
      const row = line.filter((each) => each[state.tab] <= state.cursor * (1 + 1e-9)).pop();
      if (row && !hidden(entry.setting.place)) rows.push({
        setting: entry.setting.place,
        cells: [key(entry), String(row.round), forms[formOf()](row.mean),
        row.values.length > 1 ? `${forms[formOf()](row.low)} to ${forms[formOf()](row.high)}` : "-",
        forms.bits(row.bits),
          forms.epsilon(row.epsilon)]
      });
    }
  }
  byId("readout").replaceChildren(state.cursor === null ? el("p", { class: "caption" },
      "Point at a curve, or focus one and use the arrow keys, to read its values.")
    : tableOf(["setting", "round", "mean", "range of seeds", "bits/client", "ε spent"], rows,
      `At ${forms[TABS[state.tab][1]](state.cursor)} (${TABS[state.tab][0].toLowerCase()})`, [1, 2, 4, 5]));
}

/** Dragging over a plane selects the settings in the rectangle. */
function brushable(drawn, chart) {
  let start = null,
    box = null;
  const at = (event) => { const place = drawn.getBoundingClientRect(); return [event.clientX - place.left, event.clientY
      - place.top]; };
  drawn.addEventListener("pointerdown", (event) => { if (!event.target.closest("[data-s]")) { start = at(event);
      drawn.setPointerCapture(event.pointerId);
      event.preventDefault(); } });
  drawn.addEventListener("pointermove", (event) => {
    if (!start) return;
    const [x, y] = at(event);
    if (!box) drawn.append(box = svg("rect", { class: "brush" }));
    for (const [name, value] of [["x", Math.min(x, start[0])], ["y", Math.min(y, start[1])], ["width", Math.abs(x -
        start[0])], ["height", Math.abs(y - start[1])]]) box.setAttribute(name, value);
  });
  drawn.addEventListener("pointerup", (event) => {
    if (box) {
      const [x, y] = at(event), inside = (value, a, b) => value >= Math.min(a, b) && value <= Math.max(a, b);
      const inBox = chart.marks.filter((mark) => mark.kind === "dot" && inside(chart.at.px(mark.points[0][0]), x,
        start[0]) && inside(chart.at.py(mark.points[0][1]), y, start[1]));
      box.remove();
      pick(inBox.map((mark) => mark.setting), event.shiftKey);
    }
    start = box = null;
  });
}

/** Selects settings; `more` adds to what is selected. */
function pick(settings, more) {
  const same = settings.length === 1 && state.picked.has(settings[0]) && (more || state.picked.size === 1);
  const before = more ? [...state.picked] : [];
  state.picked = new Set(same ? before.filter((each) => each !== settings[0]) : [...before, ...settings]);
  if (!state.picked.size) state.only = false;
  link();
  remember();
}

const hidden = (setting) => state.only && state.picked.size > 0 && !state.picked.has(setting);

/** Shows the selection and what the pointer is on in all sections, and says how many runs are not shown. */
function link() {
  for (const node of document.querySelectorAll("[data-s]")) {
    const setting = Number(node.dataset.s),
      out = state.picked.size > 0 && !state.picked.has(setting);
    node.classList.toggle("dim", out && !state.only);
    node.classList.toggle("gone", hidden(setting));
    node.classList.toggle("picked", state.picked.has(setting));
    node.classList.toggle("hot", state.hot === setting);
  }
  const others = data.runs.filter((run) => !state.picked.has(run.setting)).length;
  byId("chip").replaceChildren(...(state.picked.size ? [el("span", { class: "chip" },
      `${others} of ${data.runs.length} runs ${state.only ? "hidden" : "dimmed"}`),
    button(state.only ? "Show all" : "Show only the selection", () => { state.only = !state.only;
      link();
      drawCursor();
      remember(); }),
    button("Clear (Esc)", clear)] : []));
}

function clear() {
  state.picked = new Set();
  state.only = false;
  link();
  drawCursor();
  remember();
}

function listen() {
  const settingOf = (event) => { const node = event.target.closest && event.target.closest("[data-s]"); return node ?
      Number(node.dataset.s) : null; };
  const heat = (event) => { const hot = settingOf(event); if (hot !== state.hot) { state.hot = hot;
      link(); } };
  document.addEventListener("pointerover", heat);
  document.addEventListener("focusin", heat);
  const choose = (event) => {
    const setting = settingOf(event);
    if (setting === null || event.target.closest("button")) return;
    const row = event.target.closest("[data-r]");
    if (row) showRun(Number(row.dataset.r));
    pick([setting], event.shiftKey);
  };
  document.addEventListener("click", choose);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") clear();
    if (event.key === "Enter" && event.target.dataset && event.target.dataset.s !== undefined) choose(event);
  });
  window.addEventListener("hashchange", () => { if (location.hash.startsWith("#q?")) { recall();
      fillBar();
      answerAll(); } });
  let wide = innerWidth;
  window.addEventListener("resize", () => { if (innerWidth !== wide) { wide = innerWidth;
      requestAnimationFrame(() => { if (data.answer) drawFirst();
        drawFigures(); }); } });
}

// ---- The question bar ----

const NUMBERS = [["epsilon", "ε at most"], ["rounds", "rounds at most"], ["seconds", "seconds at most"], ["target",
  "target value"]];

function bar() {
  const form = byId("question");
  const field = (label, control) => el("label", {}, label, control);
  const text = (name, hint) => el("input", { type: "text", name, placeholder: hint,
  autocomplete: "off", "aria-label": name });
  const numbers = NUMBERS.filter(([name]) => name !== "seconds" || states.some((own) => own.seconds));
  form.replaceChildren(el("div", {}, field("metric", el("select", { name: "metric" }, Object.entries(data.metrics).map((
        [name, metric]) =>
      el("option", { value: name }, metric.name)))), field("bits at most", text("bits", "9 kB, 72 kbit")),
    field("counted", el("select", { name: "perClient" }, el("option", { value: "1" }, "per client"), el(
    "option", { value: "" }, "all clients"))),
    ...numbers.map(([name, label]) => field(label, text(name, "none"))), field("seeds that choose", text("tuning",
      "none")),
    button("Reset", () => ask({ ...initial })), el("span", { id: "chip", role: "status" }),
    el("span", { id: "fault", role: "alert" })));
  form.addEventListener("input", () => { const part = readBar(); if (part) ask(part, true); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  fillBar();
}

/** The question in the bar; null while a field holds what is no number or size. */
function readBar() {
  const form = byId("question"),
    part = { ...initial };
  const faults = [];
  const mark = (input, wrong, remedy) => { input.classList.toggle("wrong", wrong);
    input.setAttribute("aria-invalid", String(wrong));
    if (wrong) faults.push(`"${input.value.trim()}" ${remedy}`); };
  const bits = form.elements.bits.value.trim();
  part.bits = bits ? bitsOf(bits) : null;
  mark(form.elements.bits, bits !== "" && part.bits === null,
    "is no size: write a number and a unit, as in 9 kB, 72 kbit or 2.5 MB");
  for (const [name] of NUMBERS) {
    const input = form.elements[name];
    if (!input) continue;
    const percent = input.value.trim().endsWith("%"),
      word = input.value.replace("%", "").trim();
    part[name] = word ? Number(word) / (percent ? 100 : 1) : null;
    mark(input, word !== "" && !(Number.isFinite(part[name]) && (part[name] > 0 || name === "target")),
      `is no ${name === "target" ? "number" : "number above 0"}: write ${name === "target" ? "0.8 or 80 %" : "one, as in 2 or 0.5"}`);
  }
  const seeds = form.elements.tuning.value.split(/[ ,]+/).filter(Boolean).map(Number);
  mark(form.elements.tuning, seeds.some((seed) => !Number.isInteger(seed)),
    "is no list of seeds: write whole numbers with commas between them, as in 0,7");
  byId("fault").textContent = faults.length ? `${faults.join("; ")}. The page still answers the question before.` : "";
  return !faults.length ? { ...part, tuning: seeds, metric: form.elements.metric.value, perClient: form.elements.perClient.value
      === "1" } : null;
}

function fillBar() {
  byId("fault").textContent = "";
  for (const input of byId("question").querySelectorAll(".wrong")) { input.classList.remove("wrong");
    input.removeAttribute("aria-invalid"); }
  const { elements } = byId("question"), q = state.question;
  elements.metric.value = q.metric;
  elements.perClient.value = q.perClient ? "1" : "";
  elements.bits.value = q.bits === null ? "" : `${q.bits} bits`;
  for (const [name] of NUMBERS)
    if (elements[name]) elements[name].value = q[name] === null ? "" : String(q[name]);
  elements.tuning.value = q.tuning.join(",");
}

function ask(question, fromBar) {
  state.question = question;
  if (!fromBar) fillBar();
  answerAll();
  remember();
}

function answerAll() {
  found = rank(data, states, state.question);
  if (data.answer) drawFirst();
  drawRankings();
  drawFigures();
  drawRunsHead();
}

/** The state of the page in its address, so that a link leads to the same view. */
function remember() {
  const q = new URLSearchParams();
  for (const [name, value] of Object.entries(state.question))
    if (JSON.stringify(value) !== JSON.stringify(initial[name])) q.set(name, JSON.stringify(value));
  if (state.tab !== "bits") q.set("tab", state.tab);
  if (state.picked.size) q.set("picked", [...state.picked].join(","));
  if (state.only) q.set("only", "1");
  const text = q.toString();
  history.replaceState(null, "", text ? `#q?${text}` : location.pathname + location.search);
}

/** Reads what `remember` wrote; whatever is not of its kind is ignored. */
function recall() {
  state.question = { ...initial };
  const q = new URLSearchParams(location.hash.slice(3));
  const number = (value) => value === null || Number.isFinite(value);
  const checks = {
    bits: number,
    epsilon: number,
    rounds: number,
    seconds: number,
    target: number,
    perClient: (value) => typeof value === "boolean",
    metric: (value) => Object.hasOwn(data.metrics, value),
    tuning: (value) => Array.isArray(value) && value.every(Number.isInteger)
  };
  for (const [name, check] of Object.entries(checks)) {
    try {
      const value = JSON.parse(q.get(name) ?? "x");
      if (check(value)) state.question[name] = value;
    } catch { /* not in the address, or not written by this page */ }
  }
  state.tab = Object.hasOwn(TABS, q.get("tab")) ? q.get("tab") : "bits";
  state.picked = new Set((q.get("picked") || "").split(",").filter(Boolean).map(Number).filter((i) => data.settings[
  i]));
  state.only = q.get("only") === "1" && state.picked.size > 0;
}

// ---- Runs: sorting, and one run in full ----

function drawRunsHead() {
  const heads = [...document.querySelectorAll("#table th")];
  const end = (run, i, name) => { const values = states[i][name]; return values && values.length ? values[values.length
      - 1] : NaN; };
  const values = [(run) => run.mark, (run) => run.setting, (run) => run.seed, (run) => run.status, (run) => run.state,
    (run, i) => end(run, i, data.question.metric), (run, i) => end(run, i, "up") / run.clients, (run, i) => end(run, i,
      "epsilon")];
  heads.forEach((head, column) => {
    if (head.querySelector("button")) return;
    head.replaceChildren(el("button", { type: "button" }, head.textContent));
    head.firstChild.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = document.querySelector("#table tbody");
      const key = (row) => { const i = Number(row.dataset.r); return values[column](data.runs[i], i); };
      const rows = [...body.rows].map((row) => [key(row), row]);
      const last = (value) => (Number.isNaN(value) ? 1 : 0);
      rows.sort(([a], [b]) => last(a) - last(b) || (a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1));
      body.append(...rows.map(([, row]) => row));
    });
  });
}

/** Keys and values of a configuration, one `key = value` a line. */
function settingsOf(config) {
  const keys = new Map();
  let table = "";
  for (const line of config.split("\n")) {
    if (line.startsWith("[")) table = `${line.replace(/[[\]]/g, "")}.`;
    else if (line.includes(" = ") && !line.startsWith("#")) keys.set(table + line.slice(0, line.indexOf(" = ")), line
      .slice(line.indexOf(" = ") + 3));
  }
  return keys;
}

function showRun(i) {
  const run = data.runs[i],
    setting = data.settings[run.setting];
  const rival = found.rankings.find((ranking) => ranking.entries.some((entry) => entry.setting.groups.any === setting
    .groups.any));
  const winner = rival ? rival.entries[0].setting.found.get(rival.entries[0].seeds[0]).run : i;
  const [own, other] = [settingsOf(configs[i]), settingsOf(configs[winner])];
  const rows = [...new Set([...own.keys(), ...other.keys()])].filter((name) => own.get(name) !== other.get(name))
    .map((name) => ({ cells: [name, own.get(name) ?? "-", other.get(name) ?? "-"] }));
  const file = `${run.mark}.toml`;
  byId("detail").replaceChildren(el("h3", {}, `${run.mark}: ${setting.name}, seed ${run.seed}`), el("p", {}, run.claim),
    el("p", { class: "caption" },
      `File ${run.folder}/${run.file}, fingerprint ${run.fingerprint}, SHA-256 of the content ` +
      (run.sha256 || "not recorded")
      ),
    rows.length ? tableOf(["setting", "this run", `first of its ranking (${data.runs[winner].mark})`], rows,
      "Differences to the first one of its ranking", [])
    : el("p", { class: "caption" }, "The settings are those of the first one of its ranking."),
    el("div", { class: "tools" }, button("TOML of this run", () => save(file, configs[i], "text/plain")), button(
      "Copy the command", () => copy(`trilemma run ${file} --output ${run.mark}.h5`))),
    el("details", {}, el("summary", {}, "Resolved configuration"), el("pre", { tabindex: 0 }, configs[i])));
}
