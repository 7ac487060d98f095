// The sections that follow the question: rankings, the plane, and the curves.

/** Values of all seeds of an entry by the rounds that all of them evaluated. */
function curveOf(entry) {
  const rows = new Map();
  for (const seed of entry.seeds) {
    const i = entry.setting.found.get(seed).run,
      own = states[i],
      values = own[state.question.metric];
    for (let k = 0; k < values.length; k++) {
      if (Number.isNaN(values[k])) continue;
      const row = rows.get(own.round[k]) || { round: own.round[k], values: [], bits: 0, seconds: 0, time: 0,
        epsilon: 0 };
      row.values.push(values[k]);
      row.bits += (own.up ? own.up[k] : NaN) / data.runs[i].clients / entry.seeds.length;
      row.seconds += (own.seconds ? own.seconds[k] : NaN) / entry.seeds.length;
      row.time += (own.time ? own.time[k] : NaN) / entry.seeds.length;
      row.epsilon = Math.max(row.epsilon, own.epsilon ? own.epsilon[k] : NaN);
      rows.set(row.round, row);
    }
  }
  return [...rows.values()].filter((row) => row.values.length === entry.seeds.length).sort((a, b) => a.round - b.round)
    .map((row) => ({ ...row, mean: mean(row.values, data.student).centre, low: Math.min(...row.values), high: Math.max(
        ...row.values) }));
}

/** A panel for a ranking: lines of its methods, and the interval at the state that is ranked. */
function wayOf(ranking, width) {
  const [, form, label] = TABS[state.tab];
  const lines = ranking.entries.map((entry, place) => ({
    entry,
    named: place < NAMED,
    rows: curveOf(entry).filter((row) =>
      Number.isFinite(row.mean) && Number.isFinite(row[state.tab]) && (state.tab !== "bits" || row.bits > 0))
  })).filter((line) => line.rows.length);
  const all = lines.flatMap((line) => line.rows);
  const y = axisOf(all.map((row) => row.mean), data.metrics[state.question.metric].name, formOf());
  const x = axisOf(all.map((row) => row[state.tab]), label, form, state.tab === "bits");
  const marks = lines.reverse().flatMap(({ entry, named, rows }) => {
    const base = { setting: entry.setting.place, colour: named ? colourOf(entry) : -1, text: entry.setting.name };
    const points = rows.map((row) => [row[state.tab], row.mean]);
    return [...(named ? [{ ...base, kind: "area", points: rows.map((row) => [row[state.tab], row.low, row.high]) }]
        : []),
      { ...base, kind: "line", points, style: named ? "" : "far" }, ...rankedAt(entry, base),
      ...(named ? [{ ...base, kind: "name", points: points.slice(-1) }] : [])];
  });
  const names = marks.filter((mark) => mark.kind === "name").map((mark) => mark.text.length);
  return {
    title: `${found.rankings.length > 1 ? `${ranking.short}: ` : ""}${leadWords(found, ranking, data)}`,
    axes: `${data.metrics[state.question.metric].name} against ${label}`,
    x,
    y,
    marks,
    width,
    height: 300,
    keys: true,
    right: Math.min(0.36 * width, 200, 26 + LETTER * Math.max(0, ...names)),
    lines: lines.reverse()
  };
}

function rankedAt(entry, base) {
  if (state.question.target !== null || !Number.isFinite(entry.over.centre)) return [];
  const name = state.tab === "bits" ? "mean" : state.tab;
  const x = mean(entry.seeds.map((seed) => entry.setting.found.get(seed)[name]), data.student).centre;
  const bar = Number.isNaN(entry.over.low) ? [] : [{ ...base, kind: "bar", points: [[x, entry.over.low], [x, entry.over
      .high]] }];
  return [...bar, { ...base, kind: "dot", points: [[x, entry.over.centre]], style: entry.setting.style }];
}

/** The planes of bits and metric: one for every kind of guarantee, each with what claims none. */
function planesOf(width) {
  const kinds = new Map();
  if (state.question.target !== null) return [];
  for (const ranking of found.rankings)
    for (const entry of ranking.entries) {
      const { task } = data.groups.any[entry.setting.groups.any];
      const key = entry.setting.claims ? `${entry.setting.groups.epsilon}` : `none ${task}`;
      const kind = kinds.get(key) || { claims: entry.setting.claims, task, entries: new Map(), rankings: new Set(),
        title: data.groups.epsilon[entry.setting.groups.epsilon].title };
      kind.entries.set(entry.setting.place, entry);
      kind.rankings.add(ranking);
      kinds.set(key, kind);
    }
  const claimed = [...kinds.values()].filter((kind) => kind.claims);
  return (claimed.length ? claimed : [...kinds.values()]).map((kind) => {
    const beside = [...kinds.values()].filter((other) => !other.claims && other.task === kind.task);
    const shown = new Set([kind, ...beside].flatMap((each) => [...each.rankings]));
    return planeOf(headingOf(found, data, found.rankings.filter((ranking) => shown.has(ranking))), kind.title,
      [...new Map([kind, ...beside].flatMap((each) => [...each.entries])).values()], width);
  });
}

function planeOf(heading, title, entries, width) {
  const points = entries.map((entry) => ({
      entry,
      value: entry.over.centre,
      bits: mean(entry.seeds.map((seed) => entry.setting.found.get(seed).mean), data.student).centre
    }))
    .filter((point) => point.bits > 0 && Number.isFinite(point.value));
  const y = axisOf(points.flatMap(({ entry, value }) => [value, entry.over.low, entry.over.high]), data.metrics[state
    .question.metric].name, formOf());
  const x = axisOf(points.map((point) => point.bits), width < 480 ? "bits per client (log)" :
    "payload bits sent per client (log; equal bits side by side)",
    "bits", true);
  x.low /= 1.25;
  x.high *= 1.6;
  const marks = [];
  data.methods.forEach((method, colour) => {
    const epsilonOf = (entry) => (entry.setting.claims && entry.setting.epsilon) || 0;
    const own = points.filter(({ entry }) => colourOf(entry) === colour).sort((a, b) => epsilonOf(a.entry) -
      epsilonOf(b.entry));
    const level = data.methods.map((_, i) => i).filter((i) => points.some((point) => colourOf(point.entry) === i
      && own.some((mine) => Math.abs(point.bits / mine.bits - 1) < 0.03)));
    const dodge = 1 + 0.07 * (level.indexOf(colour) - (level.length - 1) / 2);
    if (own.length > 1) marks.push({ kind: "line", colour, style: "path", points: own.map((point) => [point.bits *
        dodge, point.value]) });
    own.forEach(({ entry, bits, value }, i) => {
      const base = { setting: entry.setting.place, colour },
        at = bits * dodge,
        epsilon = epsilonOf(entry);
      if (!Number.isNaN(entry.over.low)) marks.push({ ...base, kind: "bar", points: [[at, entry.over.low], [at,
          entry.over.high]] });
      marks.push({
        ...base,
        kind: "dot",
        points: [[at, value]],
        style: entry.setting.style,
        text: `${entry.setting.name}: ${forms[formOf()](value)}, ${forms.bits(bits)} per client`
      }, {
        ...base,
        kind: "tag",
        points: [[at, value]],
        text: [i === own.length - 1 ? method : "",
        epsilon > 0 && own.length > 1 ? `ε = ${general(epsilon, 6)}` : ""].filter(Boolean).join(" ")
      });
    });
  });
  return {
    title: heading,
    axes: `${data.metrics[state.question.metric].name} against bits per client: ${title}`,
    x,
    y,
    marks,
    width,
    height: Math.min(420, Math.max(300, width * 0.5)),
    right: MARGIN.right
  };
}

// ---- Sections that follow the question ----

function tableOf(head, rows, caption, numbers) {
  const cell = (tag, text, i, more) => el(tag, { class: numbers.includes(i) ? "n" : null, ...more }, text);
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, el("table", {}, el(
      "caption", {}, caption),
    el("thead", {}, el("tr", {}, head.map((text, i) => cell("th", text, i, { scope: "col" })))),
    el("tbody", {}, rows.map(({ cells, setting, run }) => el("tr", { "data-s": setting, "data-r": run,
        tabindex: setting === undefined ? null : 0 },
      cells.map((text, i) => cell("td", text, i)))))));
}

const key = (entry) => [el("span", { class: `key m${colourOf(entry)}` }), entry.setting.name];

function stripOf(entry, low, high) {
  const span = Math.max(high - low, 0.02 * Math.abs(high)) || 1,
    start = (low + high - span) / 2;
  const at = (value) => 6 + (128 * (Math.min(high, Math.max(low, value)) - start)) / span;
  const { over: all } = entry;
  return svg("svg", { class: `strip mark m${colourOf(entry)}`, viewBox: "0 0 140 18", width: 140,
    height: 18, "aria-hidden": "true" },
    Number.isNaN(all.low) ? null : svg("line", { class: "interval", x1: at(all.low), x2: at(all.high), y1: 9,
    y2: 9 }),
    Number.isFinite(all.centre) ? svg("circle", { class: "dot", cx: at(all.centre), cy: 9, r: 4.5 }) : null);
}

function differenceOf(entry) {
  const apart = entry.difference;
  if (!apart || !apart.n) return "-";
  const points = formOf() === "percent" && state.question.target === null;
  const text = points ? forms.points : (value) => signed(value, show);
  const ends = Number.isNaN(apart.low) ? "" : ` [${text(apart.low)}, ${text(apart.high)}]`;
  return `${text(apart.centre)}${ends}${points ? " points" : ""}`;
}

/** The cells of a ranking as texts, for the page and for exports. */
function rowsOf(ranking) {
  return ranking.entries.map((entry, i) => {
    const stands = entry.seeds.map((seed) => entry.setting.found.get(seed));
    const ends = Number.isNaN(entry.over.low) ? "-" : `${show(entry.over.low)} to ${show(entry.over.high)}`;
    return [String(i + 1), entry.setting.name, entry.reached ? show(entry.over.centre) : "-", ends, differenceOf(
        entry), resultWords(entry),
      forms.bits(mean(stands.map((each) => each.mean), data.student).centre), forms.epsilon(Math.max(...stands.map((
        each) => each.epsilon)))];
  });
}

const headOf = () => ["", "method", state.question.target !== null ? "until then" : data.metrics[state.question.metric]
  .name, "95 % interval",
  "difference", "result", "bits/client", "ε spent"];

function below(ranking) {
  const notes = belowOf(found, ranking);
  return notes.length ? [el("ul", { class: "notes" }, notes.map((note) => el("li", {}, note)))] : [];
}

function drawRankings() {
  const box = byId("rankings");
  document.querySelector(".question").textContent = isInitial() ? asWritten : questionWords();
  if (isInitial()) return box.replaceChildren(...[...fixed.cloneNode(true).childNodes], ...exportsOfAnswer());
  const blocks = found.rankings.map((ranking) => {
    const values = ranking.entries.flatMap((entry) => [entry.over.low, entry.over.centre, entry.over.high]).filter(
      Number.isFinite);
    const rows = rowsOf(ranking).map((cells, i) => ({
      setting: ranking.entries[i].setting.place,
      cells: cells.map((text, column) =>
        column === 1 ? key(ranking.entries[i]) : column === 3 ? [stripOf(ranking.entries[i], Math.min(...
            values), Math.max(...values)),
        el("span", { class: "ends" }, text)] : text)
    }));
    return el("div", { class: "ranking" }, el("h3", {}, ranking.title), el("p", { class: "verdict" }, verdict(
        ranking, data)),
      tableOf(headOf(), rows, `Seeds: ${ranking.entries[0].seeds.length}`, [0, 2, 6, 7]), ...below(ranking));
  });
  box.replaceChildren(el("div", { class: "explore", role: "status" }, "Chosen after looking: exploratory. ",
      ...(state.question.rounds !== null ? ["`best` has no limit on rounds, so this answer is of this page alone. "] :
        ["Repeat it with ", el("code", {}, commandOf()), " at the top of the repository. "]), button("Back to the question of the report", () => ask({ ...initial }))),
    ...(blocks.length ? blocks : [el("p", { class: "verdict" }, "No run can be compared within this budget.")]),
    ...exportsOfAnswer());
}

/** The question in one sentence. */
function questionWords() {
  const q = state.question,
    metric = data.metrics[q.metric],
    who = q.perClient ? "per client" : "of all clients";
  const limits = [q.bits !== null ? `${forms.bits(q.bits)} ${who}` : "", q.epsilon !== null ?
    `accounted ε ${general(q.epsilon, 6)}` : "",
    q.rounds !== null ? `${q.rounds} rounds` : "", q.seconds !== null ? forms.seconds(q.seconds) : ""].filter(Boolean);
  const within = limits.length ? ` within ${limits.join(" and ")}` : "";
  return q.target === null ?
    `${metric.name} (${metric.higher ? "higher" : "lower"} is better) at the last evaluated round${within}`
    :
    `payload bits ${who} until ${metric.name} ${metric.higher ? "≥" : "≤"} ${forms[formOf()](q.target)} ` +
    `(lower is better)${within}`;
}

/** The command that answers the question, for the folder in which the report was written. Without any limit, `report` does. */
function commandOf() {
  const q = state.question,
    quoted = (text) => (/^[\w./=-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);
  const limits = [...(q.bits !== null ? ["--bits", `${q.bits}bits`] : []), ...(q.perClient ? [] : ["--no-per-client"]),
    ...(q.epsilon !== null ? ["--epsilon", q.epsilon] : []), ...(q.seconds !== null ? ["--seconds", q.seconds] : []),
    ...(q.target !== null ? ["--target", quoted(`${q.metric}=${q.target}`)] : ["--metric", quoted(q.metric)])];
  const open = [q.bits, q.epsilon, q.seconds, q.target].every((limit) => limit === null);
  return ["PYTHONPATH=analysis scripts/python -m trilemma_analysis", open ? "report" : "best", ...data.folders.map(quoted),
    ...limits.filter((word) => !open || word !== "--no-per-client"), ...(data.question.by ? ["--by", quoted(data.question.by)] : []),
    ...(q.tuning.length ? ["--tune-seeds", q.tuning.join(",")] : []), ...(open ? ["--output report.html"] : [])].join(" ");
}

function drawFigures() {
  const wide = byId("planes").parentElement.clientWidth;
  const figure = (chart) => {
    const drawn = drawChart(chart);
    const tools = el("div", { class: "tools" }, button("SVG", () => saveSvg(drawn, chart)), button("PNG", () =>
        savePng(drawn, chart)),
      button("CSV", () => save("figure.csv", csvOf(chart), "text/csv")));
    return [drawn, el("figure", {}, el("figcaption", {}, chart.title, el("span", {
      class: "axes" }, chart.axes)), drawn, tools)];
  };
  const planes = planesOf(wide).map((chart) => [chart, ...figure(chart)]);
  for (const [chart, drawn] of planes) brushable(drawn, chart);
  byId("planes").replaceChildren(...planes.map(([, , box]) => box));
  const half = wide >= 940 && found.rankings.length > 1 ? (wide - 24) / 2 : wide;
  panels = found.rankings.map((ranking) => wayOf(ranking, half)).filter((chart) => chart.lines.length).map((chart) => {
    const [drawn, box] = figure(chart);
    cursorIn(drawn, chart);
    return { chart, drawn, box };
  });
  byId("ways").replaceChildren(tabs(), ...panels.map((panel) => panel.box), el(
"div", { id: "readout", "aria-live": "polite" }));
  drawCursor();
  link();
}

/** The charts that follow no question (report/charts.py). */
function drawFixed() {
  for (const [id, charts] of Object.entries(data.charts))
    if (charts.length) byId(id).replaceChildren(...charts.map((chart) => {
      const [x, y] = [0, 1].map((i) => chart.marks.flatMap(({ points }) => points.map((point) => point[i])));
      return el("figure", {}, el("figcaption", {}, chart.title, chart.axes === chart.title ? null :
        el("span", { class: "axes" }, chart.axes)), el("div", { class: "scroll" }, drawChart({ ...chart,
        x: axisFrom(chart.x, x), y: axisFrom(chart.y, y) })));
    }));
}

function tabs() {
  const open = Object.keys(TABS).filter((name) => name === "bits" || name === "round" || states.some((own) => own[
    name]));
  const list = el("div", { class: "tools", role: "tablist", "aria-label": "Against what" }, open.map((name) => {
    const tab = button(TABS[name][0], () => { state.tab = name;
      state.cursor = null;
      drawFigures();
      remember();
      focusTab(name); });
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-selected", String(state.tab === name));
    tab.dataset.tab = name;
    return tab;
  }));
  list.style.width = "100%";
  return list;
}

const focusTab = (name) => { const tab = document.querySelector(`[data-tab="${name}"]`); if (tab) tab.focus(); };
