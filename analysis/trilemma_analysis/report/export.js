// Files that the page offers, and its start.

// ---- Exports ----

function button(text, act) {
  const node = el("button", { type: "button", class: "tool" }, text);
  node.addEventListener("click", act);
  return node;
}

function save(name, content, type) {
  const link_ = el("a", { href: URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type })),
    download: name });
  link_.click();
  setTimeout(() => URL.revokeObjectURL(link_.href), 1000);
}

function copy(text) {
  if (navigator.clipboard) navigator.clipboard.writeText(text).catch(() => window.prompt("Copy", text));
  else window.prompt("Copy", text);
}

const PAINT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-family",
  "font-weight", "paint-order"];

/** The chart as a file of its own: with its colours, its caption and where it comes from. */
function standalone(drawn, chart) {
  const copied = drawn.cloneNode(true),
    from = drawn.querySelectorAll("*"),
    to = copied.querySelectorAll("*");
  from.forEach((node, i) => { const paint = getComputedStyle(node); for (const name of PAINT) to[i].setAttribute(name,
      paint.getPropertyValue(name)); });
  copied.prepend(svg("metadata", {}, JSON.stringify({
    title: chart.title,
    axes: chart.axes,
    command: commandOf(),
    runs: data.runs.map((run) => run.fingerprint)
  })), svg("rect", { width: chart.width, height: chart.height, fill: getComputedStyle(document.body)
      .backgroundColor }));
  return new XMLSerializer().serializeToString(copied);
}

const saveSvg = (drawn, chart) => save("figure.svg", standalone(drawn, chart), "image/svg+xml");

function savePng(drawn, chart) {
  const image = new Image(),
    canvas = el("canvas", { width: 2 * chart.width, height: 2 * chart.height });
  image.onload = () => {
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save("figure.png", blob));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(drawn, chart))}`;
}

/** A cell of a CSV file; what spreadsheets take for a formula gets a quote in front, as in io/writing.py. */
function cellOf(value) {
  let text = String(value ?? "");
  if (typeof value === "string" && /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text))) text = `'${text}`;
  return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
const csvRows = (rows) => rows.map((row) => row.map(cellOf).join(",")).join("\n") + "\n";

const csvOf = (chart) => csvRows([["setting", "mark", "x", "y", "high"], ...chart.marks.filter((mark) => mark.setting
    !== undefined && mark.kind !== "tag" && mark.kind !== "name")
  .flatMap((mark) => mark.points.map((point) => [data.settings[mark.setting].name, mark.kind, ...point]))]);

const markdownOf = (ranking) => {
  const rows = [headOf(), headOf().map(() => "---"), ...rowsOf(ranking)];
  return rows.map((row) => `| ${row.map((text) => text.replace(/\|/g, "\\|")).join(" | ")} |`).join("\n") + "\n";
};

function latexOf(ranking) {
  const safe = (text) => text.replace(/[\\{}$&#^_%~]/g, (letter) => (letter === "\\" ? "\\textbackslash{}" : "^~"
    .includes(letter) ? `\\${letter}{}` : `\\${letter}`)).replace(/ε/g, "$\\varepsilon$");
  const rows = [headOf(), ...rowsOf(ranking)].map((row) => `${row.map(safe).join(" & ")} \\\\`);
  return [`% ${ranking.title}`, "\\begin{tabular}{rlrllrrr}", rows[0], "\\hline", ...rows.slice(1), "\\end{tabular}", ""]
    .join("\n");
}

function exportsOfAnswer() {
  const all = (form) => found.rankings.map(form).join("\n");
  return [el("div", { class: "tools" }, button("Copy the command", () => copy(commandOf())), button("CSV", () => save(
      "rankings.csv", csvRows([["ranking", ...headOf()],
    ...found.rankings.flatMap((ranking) => rowsOf(ranking).map((row) => [ranking.title, ...row]))]), "text/csv")),
    button("Markdown", () => save("rankings.md", all(markdownOf), "text/markdown")), button("LaTeX", () => save(
      "rankings.tex", all(latexOf), "text/plain")),
    button("JSON", () => save("report.json", JSON.stringify(data, null, 1), "application/json")))];
}

async function start() {
  const packed = Uint8Array.from(atob(byId("curves").textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  ({ runs: states, configs } = unpack(new Uint8Array(await new Response(stream).arrayBuffer())));
  if (location.hash.startsWith("#q?")) recall();
  bar();
  listen();
  drawFixed();
  answerAll();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

if (typeof DecompressionStream !== "undefined") start();
