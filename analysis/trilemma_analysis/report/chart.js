// Elements of the page, and charts as SVG. Texts from run files become text nodes and attribute values, never HTML.

/** An element with attributes and children; texts become text nodes. */
function make(space, tag, attributes, children) {
  const node = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : String(
      value));
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}
const el = (tag, attributes, ...children) => make(null, tag, attributes, children);
const svg = (tag, attributes, ...children) => make("http://www.w3.org/2000/svg", tag, attributes, children);
const byId = (id) => document.getElementById(id);

// ---- Charts ----

const LETTER = 7.3,
  LINE = 15,
  MOST_TICKS = 6,
  NAMED = 6;
const MARGIN = { top: 12, bottom: 44, left: 58, right: 14 };

function axisOf(values, label, form, log) {
  const known = values.filter(Number.isFinite);
  const [low, high] = known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
  if (log === undefined) log = form !== "percent" && low > 0 && high > 5 * low;
  if (log && low > 0) {
    const room = Math.max(high / low, 1.5) ** 0.06;
    return { label, low: low / room, high: high * room, form, log: true };
  }
  const room = 0.06 * (high - low) || 0.1 * Math.abs(high) || 1;
  const least = low >= 0 ? Math.max(0, low - room) : low - room;
  return { label, low: least, high: form === "percent" && high <= 1 ? Math.min(1, high + room) : high + room, form,
    log: false };
}

/** The axis of a chart of report/charts.py for the `values` of its marks. */
function axisFrom({ label, form, log, names, values: more = [] }, values) {
  if (names) return { label, names, low: -0.5, high: names.length - 0.5, form: "number", log: false };
  return axisOf([...values, ...more], label, form, log);
}

function share(axis, value) {
  const found = axis.log ? Math.log(Math.max(value, 1e-300) / axis.low) / Math.log(axis.high / axis.low)
    : (value - axis.low) / (axis.high - axis.low);
  return Math.min(1, Math.max(0, found));
}

function valueAt(axis, part) {
  return axis.log ? axis.low * (axis.high / axis.low) ** part : axis.low + part * (axis.high - axis.low);
}

function ticksOf({ low, high, log, names }) {
  if (names) return [...names.keys()];
  if (!log) {
    const power = 10 ** Math.floor(Math.log10((high - low) / MOST_TICKS));
    const step = [1, 2, 5, 10].map((unit) => unit * power).find((size) => (high - low) / size <= MOST_TICKS);
    const found = [];
    for (let i = Math.ceil(low / step - 1e-9); i <= Math.floor(high / step + 1e-9); i++) found.push(Number((i * step)
      .toPrecision(12)));
    return found;
  }
  const decades = Math.log10(high / low);
  const digits = decades > 2.5 ? [1] : decades > 1.5 ? [1, 3] : decades > 0.5 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 7];
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
    for (const digit of digits)
      if (low <= digit * 10 ** power && digit * 10 ** power <= high) found.push(digit * 10 ** power);
  return found.length ? found.filter((_, i) => i % Math.ceil(found.length / MOST_TICKS) === 0) : [low, high];
}

function tickText(value, axis) {
  if (axis.names) return cutText(axis.names[value], 12);
  const text = forms[axis.form](value);
  return axis.high - axis.low > 0.02 ? text.replace(".0 %", " %") : text;
}

const cutText = (text, most) => (text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1))}…`);

/** Draws a chart; `chart.at` gets the functions between values and pixels. */
function drawChart(chart) {
  const { width, height, x, y } = chart;
  const wide = width - MARGIN.left - chart.right,
    high = height - MARGIN.top - MARGIN.bottom,
    bottom = MARGIN.top + high;
  const px = (value) => MARGIN.left + wide * share(x, value),
    py = (value) => bottom - high * share(y, value);
  chart.at = { px, py, value: (pixel) => valueAt(x, Math.min(1, Math.max(0, (pixel - MARGIN.left) / wide))), bottom };
  const root = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    class: "chart",
    tabindex: chart.keys ? 0 : null
  }, svg("title", {}, chart.title), svg("desc", {}, chart.axes));
  for (const tick of ticksOf(y))
    root.append(svg("line", { class: "grid", x1: MARGIN.left, x2: MARGIN.left + wide, y1: py(tick), y2: py(tick) }),
      svg("text", { class: "tick", x: MARGIN.left - 6, y: py(tick) + 4, "text-anchor": "end" }, tickText(tick, y)));
  const ticks = ticksOf(x);
  const longest = Math.max(1, ...ticks.map((tick) => tickText(tick, x).length)) * LETTER + 8;
  const every = Math.max(1, Math.ceil((ticks.length * longest) / wide));
  for (const tick of ticks.filter((_, i) => i % every === 0))
    root.append(svg("line", { class: "grid", x1: px(tick), x2: px(tick), y1: MARGIN.top, y2: bottom }),
      svg("text", { class: "tick", x: px(tick), y: bottom + 17, "text-anchor": "middle" }, tickText(tick, x)));
  root.append(svg("path", { class: "axis", d: `M${MARGIN.left} ${MARGIN.top}V${bottom}H${MARGIN.left + wide}` }),
    svg("text", { class: "label", x: Math.max(MARGIN.left + wide / 2, x.label.length * 3.3), y: height -
      6, "text-anchor": "middle" }, x.label));
  for (const mark of chart.marks)
    if (mark.kind !== "name" && mark.kind !== "tag") root.append(drawMark(mark, px, py));
  root.append(...drawNames(chart, px, py), ...drawTags(chart, px, py));
  return root;
}

function group(mark, ...children) {
  return svg("g", { class: `mark m${mark.colour} ${mark.style || ""}`, "data-s": mark.setting ?? null },
    mark.text ? svg("title", {}, mark.text) : null, ...children);
}

function drawMark(mark, px, py) {
  const [x, y] = mark.points[0];
  if (mark.kind === "dot") return group(mark, symbol(mark.style || "", px(x), py(y)));
  const text = (points) => points.map(([a, b]) => `${px(a).toFixed(1)},${py(b).toFixed(1)}`).join(" ");
  if (mark.kind === "area")
    return group(mark, svg("polygon", { class: "area", points: `${text(mark.points.map(([a, , top]) => [a, top]))} ${
      text(mark.points.map(([a, low]) => [a, low]).reverse())}` }));
  return group(mark, svg("polyline", { class: mark.kind, points: text(mark.points) }));
}

function symbol(style, x, y) {
  if (style.includes("diverged")) return svg("path", { class: "cross", d: `M${x - 5} ${y - 5}l10 10m0 -10l-10 10` });
  if (style.includes("plain")) return svg("rect", { class: "dot", x: x - 4.5, y: y - 4.5, width: 9, height: 9 });
  return svg("circle", { class: "dot", cx: x, cy: y, r: 5 });
}

function drawNames(chart, px, py) {
  const names = chart.marks.filter((mark) => mark.kind === "name").sort((a, b) => py(a.points[0][1]) - py(b.points[0][
    1]));
  const wanted = spread(names.map((mark) => py(mark.points[0][1])), MARGIN.top + 4, chart.height - MARGIN.bottom);
  const start = chart.width - chart.right + 16,
    most = Math.floor((chart.right - 18) / LETTER);
  return names.map((mark, i) => group({ ...mark, style: "" },
    svg("path", { class: "leader",
      d: `M${px(mark.points[0][0]) + 6} ${py(mark.points[0][1])}L${start - 3} ${wanted[i]}` }),
    svg("text", { class: "name", x: start, y: wanted[i] + 4 },
      cutText(mark.text, most))));
}

function spread(wanted, low, high) {
  const found = [];
  for (const place of wanted) found.push(Math.max(place, found.length ? found[found.length - 1] + LINE : low));
  for (let i = found.length - 1, limit = high; i >= 0; i--) limit = (found[i] = Math.min(found[i], limit)) - LINE;
  return found;
}

function drawTags(chart, px, py) {
  const boxes = chart.marks.filter((mark) => mark.kind === "dot")
    .map((mark) => [px(mark.points[0][0]) - 6, py(mark.points[0][1]) - 6, 12, 12]);
  const covers = (a, b) => a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3];
  const found = [];
  for (const mark of chart.marks.filter((each) => each.kind === "tag" && each.text)) {
    const x = px(mark.points[0][0]),
      y = py(mark.points[0][1]),
      wide = LETTER * mark.text.length;
    const box = [[x + 9, y - 7], [x - 9 - wide, y - 7], [x + 9, y - 17], [x + 9, y + 4], [x - 9 - wide, y - 17],
      [x - 9 - wide, y + 4], [x - wide / 2, y - 24], [x - wide / 2, y + 10]].map(([left, top]) => [left, top, wide, 14])
      .find((each) => each[0] >= MARGIN.left && each[0] + wide <= chart.width && each[1] >= 0
        && !boxes.some((other) => covers(each, other)));
    if (!box) continue;
    boxes.push(box);
    found.push(group({ ...mark, text: "", style: "" }, svg("text", { class: "name", x: box[0], y: box[1] + 11 }, mark
      .text)));
  }
  return found;
}
