// The dot plots of the first screen.

const DOTS = { row: 22, label: 150, value: 66, top: 6, bottom: 26, most: 16 };

function dotRows(found) {
  const told = new Set(); // scores of constant models
  return found.rankings.flatMap((ranking) => {
    const constant = constantOf(ranking.entries, found.question, data);
    const rows = ranking.entries.map((entry) => ({ text: entry.setting.methodName, setting: entry.setting.place,
      colour: colourOf(entry), over: entry.over, constant }));
    const head = { text: ranking.short, constant, labelled: !told.has(constant.toPrecision(9)) };
    told.add(constant.toPrecision(9));
    return found.rankings.length > 1 ? [head, ...rows] : rows;
  }).slice(0, DOTS.most);
}

function dotPlot(title, rows, axis, width) {
  const height = DOTS.top + DOTS.row * rows.length + DOTS.bottom,
    bottom = height - DOTS.bottom,
    label = Math.min(DOTS.label, 0.34 * width),
    px = (value) => label + (width - label - DOTS.value) * share(axis, value);
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", class: "chart dots" }, svg("title", {},
    title));
  for (const tick of ticksOf(axis)) root.append(svg("line", { class: "grid", x1: px(tick), x2: px(tick), y1: DOTS.top, y2: bottom }),
    svg("text", { class: "tick", x: px(tick), y: bottom + 17, "text-anchor": "middle" }, tickText(tick, axis)));
  const shown = forms[axis.form],
    most = Math.floor((label - 14) / LETTER);
  rows.forEach((row, i) => {
    const y = DOTS.top + DOTS.row * (i + 0.5),
      constant = Number.isNaN(row.constant) || axis.form === "bits" ? null : row.constant;
    if (constant !== null) root.append(svg("line", { class: "constant", x1: px(constant), x2: px(constant), y1: y - 11, y2: y + 11 }));
    if (!row.over) return root.append(svg("text", { class: "group", x: 0, y: y + 4 }, row.text), svg("text", { class: "tick",
      x: width, y: y + 4, "text-anchor": "end" }, constant === null || !row.labelled ? "" : `constant model ${shown(constant)}`));
    const known = Number.isFinite(row.over.centre);
    root.append(svg("g", { class: `mark m${row.colour}`, "data-s": row.setting }, svg("title", {}, row.text), svg("text", {
      class: "name", x: 8, y: y + 4 }, cutText(row.text, most)),
    Number.isNaN(row.over.low) ? null : svg("line", { class: "bar", x1: px(row.over.low), x2: px(row.over.high), y1: y, y2: y }),
    known ? svg("circle", { class: "dot", cx: px(row.over.centre), cy: y, r: 4.5 }) : null,
    known ? svg("text", { class: "value", x: width, y: y + 4, "text-anchor": "end" }, shown(row.over.centre)) : null));
  });
  return root;
}

/** Where the first plot is: at the end, or within the limits of the question. */
function placesOf(question) {
  if (question.target !== null) return "Until the target";
  const limits = [question.bits !== null ? `${forms.bits(question.bits)}${whoOf(question)}` : "", question.epsilon !== null ?
    `ε ${general(question.epsilon, 6)}` : "", question.rounds !== null ? `${question.rounds} rounds` : "",
  question.seconds !== null ? forms.seconds(question.seconds) : ""].filter(Boolean);
  return limits.length ? `Within ${joined(limits)}` : "At the end";
}

/** The sentence, both plots, and the notes. */
function drawFirst() {
  const level = levelOf(found, data, states),
    { question } = found,
    target = question.target !== null;
  document.querySelector(".headline").textContent = isInitial() ? writtenHeadline : headlineOf(found, level, data);
  byId("notes").replaceChildren(el("ul", { class: "notes" }, notesOf(found, data, states).map((note) => el("li", {}, note))));
  const plots = [[found, placesOf(question)], ...(level ? [[level, `At equal upload (${forms.bits(level.question.bits)}` +
    `${question.perClient ? " per client" : ""})`]] : [])].filter(([each]) => each.rankings.length);
  const rows = plots.map(([each]) => dotRows(each)),
    every = rows.flat();
  const axis = axisOf(every.flatMap(({ over: all, constant }) => [...(all ? [all.centre, all.low, all.high] : []), target ? NaN :
    constant]), "", target ? "bits" : formOf(), undefined);
  const wide = byId("dots").clientWidth,
    each = wide >= 760 ? (wide - 24) / 2 : wide;
  byId("dots").replaceChildren(...plots.map(([one, where], i) => {
    const title = `${where}: ${headingOf(one, data)}`;
    return el("figure", {}, el("figcaption", {}, title), dotPlot(title, rows[i], axis, Math.min(each, 660)));
  }));
}
