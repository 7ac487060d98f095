// The interactive part of a report. The page is complete without it: this script re-ranks runs by the rules of
// `trilemma_analysis best`, draws the plane and the curves for the question, and links all sections by one selection
// and one cursor. Texts from run files reach the page as text nodes and attribute values only.
(function () {
"use strict";

// ---- Numbers as people read them (io/forms.py) ----

const PREFIXES = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
const TIMES = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];

/** A number with up to `digits` significant ones, as Python's format "g" has it. */
function general(value, digits) {
  if (!Number.isFinite(value)) return value > 0 ? "inf" : value < 0 ? "-inf" : "nan";
  if (value === 0) return "0";
  const text = value.toExponential(digits - 1);
  const power = Number(text.slice(text.indexOf("e") + 1));
  const trim = (word) => (word.includes(".") ? word.replace(/\.?0+$/, "") : word);
  if (power < -4 || power >= digits) {
    const size = Math.abs(power);
    return `${trim(text.slice(0, text.indexOf("e")))}e${power < 0 ? "-" : "+"}${size < 10 ? "0" : ""}${size}`;
  }
  return trim(value.toFixed(Math.max(0, digits - 1 - power)));
}

const three = (value) => (Math.abs(value) >= 999.5 ? value.toFixed(0) : general(value, 3));

const forms = {
  percent: (share) => (Number.isNaN(share) ? "-" : `${(100 * share).toFixed(1)} %`),
  number: (value) => (Number.isNaN(value) ? "-" : general(value, 4)),
  count: (value) => value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ","),
  bits(value) {
    if (Number.isNaN(value)) return "-";
    const [factor, prefix] = PREFIXES.find(([size]) => Math.abs(value) >= 0.9995 * size) || [1, ""];
    return `${three(value / factor)} ${prefix}bit`;
  },
  seconds(value) {
    if (Number.isNaN(value)) return "-";
    if (value === 0) return "0 s";
    const [factor, unit] = TIMES.find(([size]) => Math.abs(value) >= size) || TIMES[3];
    return `${three(value / factor)} ${unit}`;
  },
  /** Rounded up, so that no text promises more. */
  epsilon(value) {
    if (Number.isNaN(value)) return "-";
    if (!Number.isFinite(value) || value === 0) return general(value, 6);
    const unit = 10 ** (Math.floor(Math.log10(value)) - 5);
    return general(Math.ceil((value / unit) * (1 - 1e-9)) * unit, 6);
  },
};

const UNITS = /^\s*([0-9.]+(?:e[+-]?[0-9]+)?)\s*(Ki|Mi|Gi|Ti|[kMGT])?(bits?|B|bytes?)\s*$/;
const SIZES = { k: 1e3, M: 1e6, G: 1e9, T: 1e12, Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3, Ti: 1024 ** 4 };

/** The bits of a size such as "9kB" or "2.5 Mbit"; null for no size. */
function bitsOf(text) {
  const found = UNITS.exec(text);
  if (!found) return null;
  const bits = Number(found[1]) * (SIZES[found[2]] || 1) * (found[3].startsWith("bit") ? 1 : 8);
  return bits > 0 && Number.isFinite(bits) ? bits : null;
}

// ---- The packed states (report/packed.py) ----

/** The columns of all runs from the bytes of the page, and their configurations. */
function unpack(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = view.getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size)));
  let place = 4 + size;
  const columns = head.columns.map(([wide, length]) => {
    const data = new Uint8Array(wide * length);
    for (let byte = 0; byte < wide; byte++)
      for (let i = 0; i < length; i++) data[i * wide + byte] = bytes[place + byte * length + i];
    place += wide * length;
    if (wide === 8) return new Float64Array(data.buffer);
    // Seven digits: what was 0.7 is 0.7 again, and not the nearest float32.
    return Float64Array.from(new Float32Array(data.buffer), (value) => Number(value.toPrecision(7)));
  });
  const runs = head.runs.map((run) => Object.fromEntries(Object.entries(run).map(([name, i]) => [name, columns[i]])));
  return { runs, configs: head.configs };
}

// ---- The rules of `best` (stats/questions.py, stats/rankings.py, stats/paired.py, model/budgets.py) ----

const RESULT = { FIRST: "first", TIED: "tied", BEHIND: "behind", AHEAD: "ahead in common seeds", UNKNOWN: "unknown",
  NOT_REACHED: "not reached", DIVERGED: "diverged" };
/** A difference with its sign, as `shown` has its size; where that rounds it to nothing, its first digit. */
const signed = (value, shown) => (Number.isNaN(value) ? "-" : (value < 0 ? "-" : "+") +
  (value !== 0 && shown(Math.abs(value)) === shown(0) ? general(Math.abs(value), 1) : shown(Math.abs(value))));
forms.points = (value) => signed(100 * value, (size) => size.toFixed(1));

const WITHIN = 1 + 1e-12; // as budgets are rounded

/** Mean of the known values with its 95 % interval by Student's t; `student` has the quantiles by degrees of freedom. */
function mean(values, student) {
  const known = values.filter((value) => !Number.isNaN(value));
  const n = known.length;
  if (n < 2) return { n, centre: n ? known[0] : NaN, low: NaN, high: NaN };
  const centre = known.reduce((sum, value) => sum + value, 0) / n;
  const spread = Math.sqrt(known.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (n - 1));
  const half = (student[n - 2] * spread) / Math.sqrt(n);
  return { n, centre, low: centre - half, high: centre + half };
}

const holdsZero = (over) => over.low <= 0 && 0 <= over.high;
const cutTo = (over, least, most) => Number.isNaN(over.low) ? over :
  { ...over, low: Math.max(over.low, least), high: Math.min(over.high, most) };

/** What a run has spent at a state. */
function spentAt(run, states, i, sent) {
  const at = (name) => (states[name] ? states[name][i] : NaN);
  const bits = at(sent ? "up_sent" : "up");
  return { round: states.round[i], bits, mean: bits / run.clients, epsilon: run.released ? at("epsilon") : 0,
    seconds: at("seconds"), time: at("time") };
}

function limitsOf(question) {
  return [[question.perClient ? "mean" : "bits", question.bits], ["epsilon", question.epsilon],
    ["round", question.rounds], ["seconds", question.seconds]].filter(([, limit]) => limit !== null);
}

/** Where a run stands at the end of the budget, or `why` it cannot be compared. */
function standing(run, states, question) {
  const values = states[question.metric];
  if (!values) return { why: "no evaluated round with a value of the metric" };
  const known = [...values.keys()].filter((i) => states.round[i] > 0 && !Number.isNaN(values[i]));
  if (!known.length) return { why: "no evaluated round with a value of the metric" };
  if (question.epsilon !== null && run.released && (run.status === "not_private" || !states.epsilon))
    return { why: "no accounted epsilon (not a private run)" };
  if (question.seconds !== null && !states.seconds) return { why: "no evidence of time" };
  if ((question.bits !== null || question.target !== null) && !states.up) return { why: "no bits in the file" };
  const limits = limitsOf(question);
  const rows = known.filter((i) => {
    const spent = spentAt(run, states, i, false);
    return limits.every(([name, limit]) => spent[name] <= limit * WITHIN);
  });
  if (!rows.length) return { why: "never evaluated within the budget" };
  const higher = question.higher;
  const good = (i) => (higher ? values[i] >= question.target : values[i] <= question.target);
  const hit = question.target === null ? rows[rows.length - 1] : rows.find(good);
  const row = hit === undefined ? rows[rows.length - 1] : hit;
  const spent = spentAt(run, states, row, false);
  const value = question.target === null ? values[row] : hit === undefined ? Infinity :
    question.perClient ? spent.mean : spent.bits;
  return { value, ...spent };
}

/** Mean over seeds of the finite values of a setting, and how many there are. */
function over(setting, seeds, student) {
  const values = seeds.map((seed) => setting.found.get(seed).value);
  const known = values.filter(Number.isFinite);
  return { over: mean(known.length ? known : values, student), reached: known.length };
}

const lost = (setting, seeds) => seeds.filter((seed) => setting.found.get(seed).diverged).length;

/** The order of two settings over their seeds: diverged ones last, then by seeds with a value, then by the mean. */
function compared(one, other, lower, student) {
  const key = ([setting, seeds]) => {
    const found = over(setting, seeds, student);
    return [lost(setting, seeds) > 0 ? 1 : 0, -found.reached / seeds.length, lower ? found.over.centre : -found.over.centre];
  };
  const [a, b] = [key(one), key(other)];
  const i = a.findIndex((value, place) => value !== b[place]);
  return i < 0 ? 0 : a[i] - b[i];
}

/** The settings of a method that take part, each with the seeds it is chosen by, and how many do not. */
function taking(settings, tuning) {
  const on = settings.map((each) => [each, [...each.found.keys()].filter((seed) => !tuning.length || tuning.includes(seed))]);
  const most = Math.max(...on.map(([, seeds]) => seeds.length));
  let full = on.filter(([, seeds]) => seeds.length === most);
  if (tuning.length) {
    const judges = ([setting]) => [...setting.found.keys()].filter((seed) => !tuning.includes(seed)).length;
    const judged = Math.max(...full.map(judges));
    full = full.filter((pair) => judges(pair) === judged || [...pair[0].seeds].every((seed) => tuning.includes(seed)));
  }
  return { full, fewer: settings.length - full.length };
}

/** The best setting of a method with its mean over the seeds that judge; null where none judges it. */
function best(settings, question, data) {
  const { student } = data;
  const tuned = settings.some((each) => question.tuning.some((seed) => each.found.has(seed)));
  const { full, fewer } = taking(settings, tuned ? question.tuning : []);
  const chosen = full.reduce((least, pair) => (compared(pair, least, question.lower, student) < 0 ? pair : least));
  const [setting, on] = chosen;
  const seeds = [...setting.found.keys()].filter((seed) => !tuned || !question.tuning.includes(seed)).sort((a, b) => a - b);
  if (!seeds.length) return null;
  const found = over(setting, seeds, student);
  const rivals = full.filter(([other, their]) => other !== setting && !lost(other, their) && notTold(setting, other, on, student)).length;
  return { setting, seeds, settings: full.length, fewer, chosenOnResults: !tuned && full.length > 1, rivals,
    reached: found.reached, over: cutTo(found.over, ...possible(question)) };
}

function notTold(setting, other, seeds, student) {
  const pairs = seeds.filter((seed) => other.found.has(seed)).map((seed) =>
    [setting.found.get(seed).value, other.found.get(seed).value]).filter((pair) => pair.every(Number.isFinite));
  const apart = mean(pairs.map(([a, b]) => a - b), student);
  return apart.n === 1 || holdsZero(apart);
}

const possible = (question) => question.target !== null ? [0, Infinity] :
  [question.possible[0] ?? -Infinity, question.possible[1] ?? Infinity];

/** The entry with its difference to the first one, seed by seed, and the result. */
function judged(entry, first, question, student) {
  let difference = null;
  if (entry !== first) {
    const pairs = entry.seeds.filter((seed) => first.seeds.includes(seed)).map((seed) =>
      [entry.setting.found.get(seed).value, first.setting.found.get(seed).value]).filter((pair) => pair.every(Number.isFinite));
    const [least, most] = possible(question);
    difference = cutTo(mean(pairs.map(([a, b]) => a - b), student), least - most, most - least);
  }
  return { ...entry, difference, result: resultOf(entry, difference, question.lower) };
}

function resultOf(entry, difference, lower) {
  if (lost(entry.setting, entry.seeds)) return RESULT.DIVERGED;
  if (entry.reached < entry.seeds.length) return RESULT.NOT_REACHED;
  if (difference === null) return RESULT.FIRST;
  const zero = difference.low === 0 && difference.high === 0;
  if (difference.n < 2 || (difference.n === 2 && holdsZero(difference) && !zero)) return RESULT.UNKNOWN;
  if (holdsZero(difference)) return RESULT.TIED;
  return difference.centre > 0 === lower ? RESULT.BEHIND : RESULT.AHEAD;
}

/** A whole question from a part of one: what is not given is no limit. */
function asked(data, part) {
  const question = { bits: null, perClient: true, epsilon: null, rounds: null, seconds: null, target: null,
    metric: data.question.metric, tuning: data.question.tuning, ...part };
  const metric = data.metrics[question.metric];
  return { ...question, higher: metric.higher, share: metric.share, possible: metric.possible,
    lower: question.target !== null || !metric.higher };
}

/** The answer to a question: rankings, each with its entries, best first, and reasons why runs are in none. `data` is the
    summary of the page, `states` has the columns of every run. */
function rank(data, states, part) {
  const question = asked(data, part);
  const settings = data.settings.map((each, place) => ({ ...each, place, found: new Map(), seeds: new Set() }));
  const skipped = new Map();
  data.runs.forEach((run, i) => {
    if (!run.ranked) return;
    const stands = standing(run, states[i], question);
    const setting = settings[run.setting];
    setting.seeds.add(run.seed);
    if (stands.why === undefined) setting.found.set(run.seed, { ...stands, run: i, diverged: run.state === "DIVERGED" });
    else skipped.set(stands.why, (skipped.get(stands.why) || 0) + 1);
  });
  const groups = grouped(data, settings, question);
  const rankings = groups.map(({ title, members }) => ({ title, entries: entriesOf(members, question, data) }));
  return { question, settings, skipped, rankings: rankings.filter((ranking) => ranking.entries.length) };
}

/** The settings by what they must share. With a limit on epsilon, training that releases nothing competes everywhere. */
function grouped(data, settings, question) {
  const name = question.epsilon === null ? "any" : "epsilon";
  const groups = data.groups[name].map((group) => ({ ...group, members: [] }));
  for (const place of data.given) groups[settings[place].groups[name]].members.push(settings[place]);
  if (name === "any") return groups;
  return groups.filter((local) => {
    if (local.released) return true;
    const hosts = groups.filter((other) => other.released && other.task === local.task &&
      other.members.some((setting) => setting.found.size));
    for (const host of hosts) host.members.push(...local.members);
    return !hosts.length;
  });
}

function entriesOf(members, question, data) {
  const methods = new Map();
  for (const setting of members.filter((each) => each.found.size))
    methods.set(setting.method, [...(methods.get(setting.method) || []), setting]);
  const inOrder = (settings) => settings.sort((a, b) => a.place - b.place);
  const entries = [...methods.values()].map((settings) => best(inOrder(settings), question, data)).filter(Boolean);
  entries.sort((a, b) => compared([a.setting, a.seeds], [b.setting, b.seeds], question.lower, data.student));
  return entries.map((entry) => judged(entry, entries[0], question, data.student));
}

// ---- Words of an answer (stats/answers.py) ----

const joined = (names) => names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}` : names.join("");

/** Who wins, in a sentence; ties are named as ties. */
function verdict(ranking, data) {
  const names = (result) => ranking.entries.filter((entry) => entry.result === result)
    .map((entry) => data.methods[entry.setting.method]);
  const first = ranking.entries.find((entry) => entry.result === RESULT.FIRST);
  const [tied, behind, missed, gone] = [RESULT.TIED, RESULT.BEHIND, RESULT.NOT_REACHED, RESULT.DIVERGED].map(names);
  const unknown = [...names(RESULT.UNKNOWN), ...names(RESULT.AHEAD)];
  const some = ranking.entries.some((entry) => entry.result === RESULT.NOT_REACHED && entry.reached) ? "all seeds" : "any seed";
  const diverged = gone.length ? [`${joined(gone)} diverged`] : [];
  if (!first) return [...(missed.length ? [`no method reached the target in ${some}`] : []), ...diverged].join("; ");
  const name = first.setting.name;
  if (ranking.entries.length === 1) return `${name} is the only method here`;
  const parts = [...(missed.length ? [`${joined(missed)} did not reach the target in ${some}`] : []), ...diverged,
    ...(unknown.length ? [`the seeds cannot tell about ${joined(unknown)}`] : [])];
  const said = tied.length ? `tie: ${name} is first, but not significantly better than ${joined(tied)}` :
    behind.length ? `${name} wins${parts.length ? ` against ${joined(behind)}` : ""}` :
    unknown.length ? `${name} is first, but nothing is known about the differences` :
    missed.length ? `only ${name} reached the target` : `${name} is the only method left`;
  return [said, ...parts].join("; ");
}

/** The result of a method for its row. */
function resultWords(entry) {
  if (entry.result === RESULT.DIVERGED) return `diverged (${lost(entry.setting, entry.seeds)} of ${entry.seeds.length})`;
  if (entry.result === RESULT.NOT_REACHED && entry.reached) return `reached by ${entry.reached} of ${entry.seeds.length} seeds`;
  if (entry.result === RESULT.TIED && entry.difference.low === 0 && entry.difference.high === 0) return "equal in every seed";
  if (entry.result === RESULT.UNKNOWN) return ["no seed in common", "one seed: unknown", "2 seeds cannot tell"][entry.difference.n];
  return entry.result;
}

const core = { forms, bitsOf, unpack, mean, rank, verdict, resultWords, general };
if (typeof module !== "undefined") module.exports = core;
if (typeof document === "undefined") return;
/** An element with attributes and children; texts become text nodes. */
function make(space, tag, attributes, children) {
  const node = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : String(value));
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}
const el = (tag, attributes, ...children) => make(null, tag, attributes, children);
const svg = (tag, attributes, ...children) => make("http://www.w3.org/2000/svg", tag, attributes, children);
const byId = (id) => document.getElementById(id);

// ---- Charts (report/svg.py) ----

const LETTER = 7.3, LINE = 15, MOST_TICKS = 6, NAMED = 6;
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
  return { label, low: least, high: form === "percent" && high <= 1 ? Math.min(1, high + room) : high + room, form, log: false };
}

function share(axis, value) {
  const found = axis.log ? Math.log(Math.max(value, 1e-300) / axis.low) / Math.log(axis.high / axis.low) :
    (value - axis.low) / (axis.high - axis.low);
  return Math.min(1, Math.max(0, found));
}

function valueAt(axis, part) {
  return axis.log ? axis.low * (axis.high / axis.low) ** part : axis.low + part * (axis.high - axis.low);
}

function ticksOf({ low, high, log }) {
  if (!log) {
    const power = 10 ** Math.floor(Math.log10((high - low) / MOST_TICKS));
    const step = [1, 2, 5, 10].map((unit) => unit * power).find((size) => (high - low) / size <= MOST_TICKS);
    const found = [];
    for (let i = Math.ceil(low / step - 1e-9); i <= Math.floor(high / step + 1e-9); i++) found.push(Number((i * step).toPrecision(12)));
    return found;
  }
  const decades = Math.log10(high / low);
  const digits = decades > 2.5 ? [1] : decades > 1.5 ? [1, 3] : decades > 0.5 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 7];
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
    for (const digit of digits) if (low <= digit * 10 ** power && digit * 10 ** power <= high) found.push(digit * 10 ** power);
  return found.length ? found.filter((_, i) => i % Math.ceil(found.length / MOST_TICKS) === 0) : [low, high];
}

function tickText(value, axis) {
  const text = forms[axis.form](value);
  return axis.high - axis.low > 0.02 ? text.replace(".0 %", " %") : text;
}

/** Draws a chart; `chart.at` gets the functions between values and pixels. */
function drawChart(chart) {
  const { width, height, x, y } = chart;
  const wide = width - MARGIN.left - chart.right, high = height - MARGIN.top - MARGIN.bottom, bottom = MARGIN.top + high;
  const px = (value) => MARGIN.left + wide * share(x, value), py = (value) => bottom - high * share(y, value);
  chart.at = { px, py, value: (pixel) => valueAt(x, Math.min(1, Math.max(0, (pixel - MARGIN.left) / wide))), bottom };
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", class: "chart",
    tabindex: chart.keys ? 0 : null }, svg("title", {}, chart.title), svg("desc", {}, chart.finding));
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
    svg("text", { class: "label", x: Math.max(MARGIN.left + wide / 2, x.label.length * 3.3), y: height - 6, "text-anchor": "middle" }, x.label));
  for (const mark of chart.marks) if (mark.kind !== "name" && mark.kind !== "tag") root.append(drawMark(mark, px, py));
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
  const names = chart.marks.filter((mark) => mark.kind === "name").sort((a, b) => py(a.points[0][1]) - py(b.points[0][1]));
  const wanted = spread(names.map((mark) => py(mark.points[0][1])), MARGIN.top + 4, chart.height - MARGIN.bottom);
  const start = chart.width - chart.right + 16, most = Math.floor((chart.right - 18) / LETTER);
  return names.map((mark, i) => group({ ...mark, style: "" },
    svg("path", { class: "leader", d: `M${px(mark.points[0][0]) + 6} ${py(mark.points[0][1])}L${start - 3} ${wanted[i]}` }),
    svg("text", { class: "name", x: start, y: wanted[i] + 4 },
      mark.text.length <= most ? mark.text : `${mark.text.slice(0, Math.max(1, most - 1))}…`)));
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
    const x = px(mark.points[0][0]), y = py(mark.points[0][1]), wide = LETTER * mark.text.length;
    const box = [[x + 9, y - 7], [x - 9 - wide, y - 7], [x + 9, y - 17], [x + 9, y + 4], [x - 9 - wide, y - 17],
      [x - 9 - wide, y + 4], [x - wide / 2, y - 24], [x - wide / 2, y + 10]].map(([left, top]) => [left, top, wide, 14])
      .find((each) => each[0] >= MARGIN.left && each[0] + wide <= chart.width && each[1] >= 0 &&
        !boxes.some((other) => covers(each, other)));
    if (!box) continue;
    boxes.push(box);
    found.push(group({ ...mark, text: "", style: "" }, svg("text", { class: "name", x: box[0], y: box[1] + 11 }, mark.text)));
  }
  return found;
}

// ---- The page: data, state and what is drawn from it ----

const data = JSON.parse(byId("summary").textContent);
const initial = { bits: data.question.bits, perClient: data.question.per_client, epsilon: data.question.epsilon, rounds: null,
  seconds: null, target: data.question.target, metric: data.question.metric, tuning: data.question.tuning };
const state = { question: { ...initial }, picked: new Set(), only: false, hot: null, tab: "bits", cursor: null, run: null };
const TABS = { bits: ["Bits", "bits", "payload bits sent per client (log scale)"], round: ["Rounds", "count", "round"],
  seconds: ["Seconds", "seconds", "seconds without evaluation"], time: ["Simulated time", "number", "simulated time"] };
let states = [], configs = [], found = null, panels = [];
const fixed = byId("rankings").cloneNode(true), asWritten = document.querySelector(".question").textContent; // by Python

const isInitial = () => JSON.stringify(state.question) === JSON.stringify(initial);
const formOf = () => (data.metrics[state.question.metric].share ? "percent" : "number");
const show = (value) => forms[state.question.target !== null ? "bits" : formOf()](value);
const finding = () => found.rankings.map((ranking) => `${ranking.title}: ${verdict(ranking, data)}`).join("; ");
const colourOf = (entry) => entry.setting.method;

/** Values of all seeds of an entry by the rounds that all of them evaluated. */
function curveOf(entry) {
  const rows = new Map();
  for (const seed of entry.seeds) {
    const i = entry.setting.found.get(seed).run, own = states[i], values = own[state.question.metric];
    for (let k = 0; k < values.length; k++) {
      if (Number.isNaN(values[k])) continue;
      const row = rows.get(own.round[k]) || { round: own.round[k], values: [], bits: 0, seconds: 0, time: 0, epsilon: 0 };
      row.values.push(values[k]);
      row.bits += (own.up ? own.up[k] : NaN) / data.runs[i].clients / entry.seeds.length;
      row.seconds += (own.seconds ? own.seconds[k] : NaN) / entry.seeds.length;
      row.time += (own.time ? own.time[k] : NaN) / entry.seeds.length;
      row.epsilon = Math.max(row.epsilon, own.epsilon ? own.epsilon[k] : NaN);
      rows.set(row.round, row);
    }
  }
  return [...rows.values()].filter((row) => row.values.length === entry.seeds.length).sort((a, b) => a.round - b.round)
    .map((row) => ({ ...row, mean: mean(row.values, data.student).centre, low: Math.min(...row.values), high: Math.max(...row.values) }));
}

/** A panel for a ranking: lines of its methods, and the interval at the state that is ranked. */
function wayOf(ranking, width) {
  const [, form, label] = TABS[state.tab];
  const lines = ranking.entries.map((entry, place) => ({ entry, named: place < NAMED, rows: curveOf(entry).filter((row) =>
    Number.isFinite(row.mean) && Number.isFinite(row[state.tab]) && (state.tab !== "bits" || row.bits > 0)) })).filter((line) => line.rows.length);
  const all = lines.flatMap((line) => line.rows);
  const y = axisOf(all.map((row) => row.mean), data.metrics[state.question.metric].name, formOf());
  const x = axisOf(all.map((row) => row[state.tab]), label, form, state.tab === "bits");
  const marks = lines.reverse().flatMap(({ entry, named, rows }) => {
    const base = { setting: entry.setting.place, colour: named ? colourOf(entry) : -1, text: entry.setting.name };
    const points = rows.map((row) => [row[state.tab], row.mean]);
    return [...(named ? [{ ...base, kind: "area", points: rows.map((row) => [row[state.tab], row.low, row.high]) }] : []),
      { ...base, kind: "line", points, style: named ? "" : "far" }, ...rankedAt(entry, base),
      ...(named ? [{ ...base, kind: "name", points: points.slice(-1) }] : [])];
  });
  const names = marks.filter((mark) => mark.kind === "name").map((mark) => mark.text.length);
  return { title: `${data.metrics[state.question.metric].name} against ${label}: ${ranking.title}`, finding: finding(), x, y, marks, width,
    height: 300, keys: true, right: Math.min(0.36 * width, 200, 26 + LETTER * Math.max(0, ...names)), lines: lines.reverse() };
}

function rankedAt(entry, base) {
  if (state.question.target !== null || !Number.isFinite(entry.over.centre)) return [];
  const name = state.tab === "bits" ? "mean" : state.tab;
  const x = mean(entry.seeds.map((seed) => entry.setting.found.get(seed)[name]), data.student).centre;
  const bar = Number.isNaN(entry.over.low) ? [] : [{ ...base, kind: "bar", points: [[x, entry.over.low], [x, entry.over.high]] }];
  return [...bar, { ...base, kind: "dot", points: [[x, entry.over.centre]], style: entry.setting.style }];
}

/** The planes of bits and metric: one for every kind of guarantee, each with what claims none. */
function planesOf(width) {
  const kinds = new Map();
  if (state.question.target !== null) return [];
  for (const ranking of found.rankings) for (const entry of ranking.entries) {
    const { task } = data.groups.any[entry.setting.groups.any];
    const key = entry.setting.claims ? `${entry.setting.groups.epsilon}` : `none ${task}`;
    const kind = kinds.get(key) || { claims: entry.setting.claims, task, entries: new Map(), title: data.groups.epsilon[entry.setting.groups.epsilon].title };
    kind.entries.set(entry.setting.place, entry);
    kinds.set(key, kind);
  }
  const claimed = [...kinds.values()].filter((kind) => kind.claims);
  return (claimed.length ? claimed : [...kinds.values()]).map((kind) => planeOf(kind.title, [...new Map([...kind.entries,
    ...[...kinds.values()].filter((other) => !other.claims && other.task === kind.task).flatMap((other) => [...other.entries])]).values()], width));
}

function planeOf(title, entries, width) {
  const points = entries.map((entry) => ({ entry, value: entry.over.centre,
    bits: mean(entry.seeds.map((seed) => entry.setting.found.get(seed).mean), data.student).centre }))
    .filter((point) => point.bits > 0 && Number.isFinite(point.value));
  const y = axisOf(points.flatMap(({ entry, value }) => [value, entry.over.low, entry.over.high]), data.metrics[state.question.metric].name, formOf());
  const x = axisOf(points.map((point) => point.bits), "payload bits sent per client (log; equal bits side by side)", "bits", true);
  x.low /= 1.25;
  x.high *= 1.6;
  const marks = [];
  data.methods.forEach((method, colour) => {
    const epsilonOf = (entry) => (entry.setting.claims && entry.setting.epsilon) || 0;
    const own = points.filter(({ entry }) => colourOf(entry) === colour).sort((a, b) => epsilonOf(a.entry) - epsilonOf(b.entry));
    const level = data.methods.map((_, i) => i).filter((i) => points.some((point) => colourOf(point.entry) === i &&
      own.some((mine) => Math.abs(point.bits / mine.bits - 1) < 0.03)));
    const dodge = 1 + 0.07 * (level.indexOf(colour) - (level.length - 1) / 2);
    if (own.length > 1) marks.push({ kind: "line", colour, style: "path", points: own.map((point) => [point.bits * dodge, point.value]) });
    own.forEach(({ entry, bits, value }, i) => {
      const base = { setting: entry.setting.place, colour }, at = bits * dodge, epsilon = epsilonOf(entry);
      if (!Number.isNaN(entry.over.low)) marks.push({ ...base, kind: "bar", points: [[at, entry.over.low], [at, entry.over.high]] });
      marks.push({ ...base, kind: "dot", points: [[at, value]], style: entry.setting.style,
        text: `${entry.setting.name}: ${forms[formOf()](value)}, ${forms.bits(bits)} per client` },
      { ...base, kind: "tag", points: [[at, value]], text: [i === own.length - 1 ? method : "",
        epsilon > 0 && own.length > 1 ? `ε = ${general(epsilon, 6)}` : ""].filter(Boolean).join(" ") });
    });
  });
  return { title: `${data.metrics[state.question.metric].name} against bits per client: ${title}`, finding: finding(), x, y, marks, width,
    height: Math.min(420, Math.max(300, width * 0.5)), right: MARGIN.right };
}

// ---- Sections that follow the question ----

function tableOf(head, rows, caption, numbers) {
  const cell = (tag, text, i, more) => el(tag, { class: numbers.includes(i) ? "n" : null, ...more }, text);
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, el("table", {}, el("caption", {}, caption),
    el("thead", {}, el("tr", {}, head.map((text, i) => cell("th", text, i, { scope: "col" })))),
    el("tbody", {}, rows.map(({ cells, setting, run }) => el("tr", { "data-s": setting, "data-r": run, tabindex: setting === undefined ? null : 0 },
      cells.map((text, i) => cell("td", text, i)))))));
}

const key = (entry) => [el("span", { class: `key m${colourOf(entry)}` }), entry.setting.name];

function stripOf(entry, low, high) {
  const span = Math.max(high - low, 0.02 * Math.abs(high)) || 1, start = (low + high - span) / 2;
  const at = (value) => 6 + (128 * (Math.min(high, Math.max(low, value)) - start)) / span;
  const { over: all } = entry;
  return svg("svg", { class: `strip mark m${colourOf(entry)}`, viewBox: "0 0 140 18", width: 140, height: 18, "aria-hidden": "true" },
    Number.isNaN(all.low) ? null : svg("line", { class: "interval", x1: at(all.low), x2: at(all.high), y1: 9, y2: 9 }),
    Number.isFinite(all.centre) ? svg("circle", { class: "dot", cx: at(all.centre), cy: 9, r: 4.5 }) : null);
}

function differenceOf(entry) {
  const apart = entry.difference;
  if (!apart || !apart.n) return "-";
  const points = formOf() === "percent" && state.question.target === null;
  const text = points ? forms.points : (value) => signed(value, show);
  return `${text(apart.centre)}${Number.isNaN(apart.low) ? "" : ` [${text(apart.low)}, ${text(apart.high)}]`}${points ? " points" : ""}`;
}

/** The cells of a ranking as texts, for the page and for exports. */
function rowsOf(ranking) {
  return ranking.entries.map((entry, i) => {
    const stands = entry.seeds.map((seed) => entry.setting.found.get(seed));
    const ends = Number.isNaN(entry.over.low) ? "-" : `${show(entry.over.low)} to ${show(entry.over.high)}`;
    return [String(i + 1), entry.setting.name, entry.reached ? show(entry.over.centre) : "-", ends, differenceOf(entry), resultWords(entry),
      forms.bits(mean(stands.map((each) => each.mean), data.student).centre), forms.epsilon(Math.max(...stands.map((each) => each.epsilon)))];
  });
}

const headOf = () => ["", "method", state.question.target !== null ? "until then" : data.metrics[state.question.metric].name, "95 % interval",
  "difference", "result", "bits/client", "ε spent"];

function drawRankings() {
  const box = byId("rankings");
  document.querySelector(".question").textContent = isInitial() ? asWritten : questionWords();
  if (isInitial()) return box.replaceChildren(...[...fixed.cloneNode(true).childNodes], ...exportsOfAnswer());
  const skipped = [...found.skipped].map(([why, count]) => `${count} of ${data.runs.length} runs are in no ranking: ${why}`);
  const blocks = found.rankings.map((ranking) => {
    const values = ranking.entries.flatMap((entry) => [entry.over.low, entry.over.centre, entry.over.high]).filter(Number.isFinite);
    const rows = rowsOf(ranking).map((cells, i) => ({ setting: ranking.entries[i].setting.place, cells: cells.map((text, column) =>
      column === 1 ? key(ranking.entries[i]) : column === 3 ? [stripOf(ranking.entries[i], Math.min(...values), Math.max(...values)),
        el("span", { class: "ends" }, text)] : text) }));
    return el("div", { class: "ranking" }, el("h3", {}, ranking.title), el("p", { class: "verdict" }, verdict(ranking, data)),
      tableOf(headOf(), rows, `Ranking over ${ranking.entries[0].seeds.length} seeds`, [0, 2, 6, 7]));
  });
  box.replaceChildren(el("div", { class: "explore", role: "status" }, "Chosen after looking: exploratory. ",
    state.question.rounds !== null ? "`best` has no limit on rounds, so this answer is of this page alone. " : "", "Repeat it with ",
    el("code", {}, commandOf()), " ", button("Back to the question of the report", () => ask({ ...initial }))),
  ...(blocks.length ? blocks : [el("p", { class: "verdict" }, "No run can be compared within this budget.")]),
  skipped.length ? el("ul", { class: "notes" }, skipped.map((text) => el("li", {}, text))) : "", ...exportsOfAnswer());
}

/** The question in one sentence. */
function questionWords() {
  const q = state.question, metric = data.metrics[q.metric], who = q.perClient ? "per client" : "of all clients";
  const limits = [q.bits !== null ? `${forms.bits(q.bits)} ${who}` : "", q.epsilon !== null ? `accounted ε ${general(q.epsilon, 6)}` : "",
    q.rounds !== null ? `${q.rounds} rounds` : "", q.seconds !== null ? forms.seconds(q.seconds) : ""].filter(Boolean);
  const within = limits.length ? ` within ${limits.join(" and ")}` : "";
  return q.target === null ? `${metric.name} (${metric.higher ? "higher" : "lower"} is better) at the last evaluated round${within}` :
    `payload bits ${who} until ${metric.name} ${metric.higher ? "≥" : "≤"} ${forms[formOf()](q.target)} (lower is better)${within}`;
}

/** The command that answers the question. */
function commandOf() {
  const q = state.question, quoted = (text) => (/^[\w./=-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);
  return ["trilemma_analysis best", ...data.folders.map(quoted), ...(q.bits !== null ? [`--bits ${q.bits}bits`] : []),
    ...(q.perClient ? [] : ["--no-per-client"]), ...(q.epsilon !== null ? [`--epsilon ${q.epsilon}`] : []),
    ...(q.seconds !== null ? [`--seconds ${q.seconds}`] : []), q.target !== null ? `--target ${quoted(`${q.metric}=${q.target}`)}` : `--metric ${quoted(q.metric)}`,
    ...(q.tuning.length ? [`--tune-seeds ${q.tuning.join(",")}`] : [])].join(" ");
}

function drawFigures() {
  const wide = byId("planes").parentElement.clientWidth;
  const figure = (chart) => {
    const drawn = drawChart(chart);
    const tools = el("div", { class: "tools" }, button("SVG", () => saveSvg(drawn, chart)), button("PNG", () => savePng(drawn, chart)),
      button("CSV", () => save("figure.csv", csvOf(chart), "text/csv")));
    return [drawn, el("figure", {}, el("figcaption", {}, chart.title), drawn, tools)];
  };
  const planes = planesOf(Math.min(wide, 900)).map((chart) => [chart, ...figure(chart)]);
  for (const [chart, drawn] of planes) brushable(drawn, chart);
  byId("planes").replaceChildren(...planes.map(([, , box]) => box));
  const half = wide >= 940 && found.rankings.length > 1 ? (wide - 20) / 2 : Math.min(wide, 900);
  panels = found.rankings.map((ranking) => wayOf(ranking, half)).filter((chart) => chart.lines.length).map((chart) => {
    const [drawn, box] = figure(chart);
    cursorIn(drawn, chart);
    return { chart, drawn, box };
  });
  byId("ways").replaceChildren(tabs(), ...panels.map((panel) => panel.box), el("div", { id: "readout", "aria-live": "polite" }));
  drawCursor();
  link();
}

function tabs() {
  const open = Object.keys(TABS).filter((name) => name === "bits" || name === "round" || states.some((own) => own[name]));
  const list = el("div", { class: "tools", role: "tablist", "aria-label": "Against what" }, open.map((name) => {
    const tab = button(TABS[name][0], () => { state.tab = name; state.cursor = null; drawFigures(); remember(); focusTab(name); });
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-selected", String(state.tab === name));
    tab.dataset.tab = name;
    return tab;
  }));
  list.style.width = "100%";
  return list;
}

const focusTab = (name) => { const tab = document.querySelector(`[data-tab="${name}"]`); if (tab) tab.focus(); };

// ---- Cursor, brush, selection ----

function cursorIn(drawn, chart) {
  const move = (pixel) => { state.cursor = chart.at.value(pixel); drawCursor(); };
  drawn.addEventListener("pointermove", (event) => move(event.clientX - drawn.getBoundingClientRect().left));
  drawn.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const stops = [...new Set(chart.lines.flatMap((line) => line.rows.map((row) => row[state.tab])))].sort((a, b) => a - b);
    const i = state.cursor === null ? (step > 0 ? -1 : stops.length) : stops.filter((stop) => stop <= state.cursor * (1 + 1e-9)).length - 1;
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
      if (row && !hidden(entry.setting.place)) rows.push({ setting: entry.setting.place, cells: [key(entry), String(row.round), forms[formOf()](row.mean),
        row.values.length > 1 ? `${forms[formOf()](row.low)} to ${forms[formOf()](row.high)}` : "-", forms.bits(row.bits), forms.epsilon(row.epsilon)] });
    }
  }
  byId("readout").replaceChildren(state.cursor === null ? el("p", { class: "caption" }, "Point at a curve, or focus one and use the arrow keys, to read its values.") :
    tableOf(["setting", "round", "mean", "range of seeds", "bits/client", "ε spent"], rows, `At ${forms[TABS[state.tab][1]](state.cursor)} (${TABS[state.tab][0].toLowerCase()})`, [1, 2, 4, 5]));
}

/** Dragging over a plane selects the settings in the rectangle. */
function brushable(drawn, chart) {
  let start = null, box = null;
  const at = (event) => { const place = drawn.getBoundingClientRect(); return [event.clientX - place.left, event.clientY - place.top]; };
  drawn.addEventListener("pointerdown", (event) => { if (!event.target.closest("[data-s]")) { start = at(event); drawn.setPointerCapture(event.pointerId); event.preventDefault(); } });
  drawn.addEventListener("pointermove", (event) => {
    if (!start) return;
    const [x, y] = at(event);
    if (!box) drawn.append(box = svg("rect", { class: "brush" }));
    for (const [name, value] of [["x", Math.min(x, start[0])], ["y", Math.min(y, start[1])], ["width", Math.abs(x - start[0])], ["height", Math.abs(y - start[1])]]) box.setAttribute(name, value);
  });
  drawn.addEventListener("pointerup", (event) => {
    if (box) {
      const [x, y] = at(event), inside = (value, a, b) => value >= Math.min(a, b) && value <= Math.max(a, b);
      const inBox = chart.marks.filter((mark) => mark.kind === "dot" && inside(chart.at.px(mark.points[0][0]), x, start[0]) && inside(chart.at.py(mark.points[0][1]), y, start[1]));
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
    const setting = Number(node.dataset.s), out = state.picked.size > 0 && !state.picked.has(setting);
    node.classList.toggle("dim", out && !state.only);
    node.classList.toggle("gone", hidden(setting));
    node.classList.toggle("picked", state.picked.has(setting));
    node.classList.toggle("hot", state.hot === setting);
  }
  const others = data.runs.filter((run) => !state.picked.has(run.setting)).length;
  byId("chip").replaceChildren(...(state.picked.size ? [el("span", { class: "chip" }, `${others} of ${data.runs.length} runs ${state.only ? "hidden" : "dimmed"}`),
    button(state.only ? "Show all" : "Show only the selection", () => { state.only = !state.only; link(); drawCursor(); remember(); }),
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
  const settingOf = (event) => { const node = event.target.closest && event.target.closest("[data-s]"); return node ? Number(node.dataset.s) : null; };
  const heat = (event) => { const hot = settingOf(event); if (hot !== state.hot) { state.hot = hot; link(); } };
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
  window.addEventListener("hashchange", () => { if (location.hash.startsWith("#q?")) { recall(); fillBar(); answerAll(); } });
  let wide = innerWidth;
  window.addEventListener("resize", () => { if (innerWidth !== wide) { wide = innerWidth; requestAnimationFrame(drawFigures); } });
}

// ---- The question bar ----

const NUMBERS = [["epsilon", "ε at most"], ["rounds", "rounds at most"], ["seconds", "seconds at most"], ["target", "target value"]];

function bar() {
  const form = byId("question");
  const field = (label, control) => el("label", {}, label, control);
  const text = (name, hint) => el("input", { type: "text", name, placeholder: hint, autocomplete: "off", "aria-label": name });
  const numbers = NUMBERS.filter(([name]) => name !== "seconds" || states.some((own) => own.seconds));
  form.replaceChildren(el("div", {}, field("metric", el("select", { name: "metric" }, Object.entries(data.metrics).map(([name, metric]) =>
    el("option", { value: name }, metric.name)))), field("bits at most", text("bits", "9 kB, 72 kbit")),
  field("counted", el("select", { name: "perClient" }, el("option", { value: "1" }, "per client"), el("option", { value: "" }, "all clients"))),
  ...numbers.map(([name, label]) => field(label, text(name, "none"))), field("seeds that choose", text("tuning", "none")),
  button("Reset", () => ask({ ...initial })), el("span", { id: "chip", role: "status" })));
  form.addEventListener("input", () => { const part = readBar(); if (part) ask(part, true); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  fillBar();
}

/** The question in the bar; null while a field holds what is no number or size. */
function readBar() {
  const form = byId("question"), part = { ...initial };
  let good = true;
  const mark = (input, wrong) => { input.classList.toggle("wrong", wrong); input.setAttribute("aria-invalid", String(wrong)); good = good && !wrong; };
  const bits = form.elements.bits.value.trim();
  part.bits = bits ? bitsOf(bits) : null;
  mark(form.elements.bits, bits !== "" && part.bits === null);
  for (const [name] of NUMBERS) {
    const input = form.elements[name];
    if (!input) continue;
    const percent = input.value.trim().endsWith("%"), word = input.value.replace("%", "").trim();
    part[name] = word ? Number(word) / (percent ? 100 : 1) : null;
    mark(input, word !== "" && !(Number.isFinite(part[name]) && (part[name] > 0 || name === "target")));
  }
  const seeds = form.elements.tuning.value.split(/[ ,]+/).filter(Boolean).map(Number);
  mark(form.elements.tuning, seeds.some((seed) => !Number.isInteger(seed)));
  return good ? { ...part, tuning: seeds, metric: form.elements.metric.value, perClient: form.elements.perClient.value === "1" } : null;
}

function fillBar() {
  const { elements } = byId("question"), q = state.question;
  elements.metric.value = q.metric;
  elements.perClient.value = q.perClient ? "1" : "";
  elements.bits.value = q.bits === null ? "" : `${q.bits} bits`;
  for (const [name] of NUMBERS) if (elements[name]) elements[name].value = q[name] === null ? "" : String(q[name]);
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
  drawRankings();
  drawFigures();
  drawRunsHead();
}

/** The state of the page in its address, so that a link leads to the same view. */
function remember() {
  const q = new URLSearchParams();
  for (const [name, value] of Object.entries(state.question)) if (JSON.stringify(value) !== JSON.stringify(initial[name])) q.set(name, JSON.stringify(value));
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
  const checks = { bits: number, epsilon: number, rounds: number, seconds: number, target: number, perClient: (value) => typeof value === "boolean",
    metric: (value) => Object.hasOwn(data.metrics, value), tuning: (value) => Array.isArray(value) && value.every(Number.isInteger) };
  for (const [name, check] of Object.entries(checks)) {
    try {
      const value = JSON.parse(q.get(name) ?? "x");
      if (check(value)) state.question[name] = value;
    } catch { /* not in the address, or not written by this page */ }
  }
  state.tab = Object.hasOwn(TABS, q.get("tab")) ? q.get("tab") : "bits";
  state.picked = new Set((q.get("picked") || "").split(",").filter(Boolean).map(Number).filter((i) => data.settings[i]));
  state.only = q.get("only") === "1" && state.picked.size > 0;
}

// ---- Runs: sorting, and one run in full ----

function drawRunsHead() {
  const heads = [...document.querySelectorAll("#table th")];
  const end = (run, i, name) => { const values = states[i][name]; return values && values.length ? values[values.length - 1] : NaN; };
  const values = [(run) => run.mark, (run) => run.setting, (run) => run.seed, (run) => run.status, (run) => run.state,
    (run, i) => end(run, i, data.question.metric), (run, i) => end(run, i, "up") / run.clients, (run, i) => end(run, i, "epsilon")];
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
    else if (line.includes(" = ") && !line.startsWith("#")) keys.set(table + line.slice(0, line.indexOf(" = ")), line.slice(line.indexOf(" = ") + 3));
  }
  return keys;
}

function showRun(i) {
  const run = data.runs[i], setting = data.settings[run.setting];
  const rival = found.rankings.find((ranking) => ranking.entries.some((entry) => entry.setting.groups.any === setting.groups.any));
  const winner = rival ? rival.entries[0].setting.found.get(rival.entries[0].seeds[0]).run : i;
  const [own, other] = [settingsOf(configs[i]), settingsOf(configs[winner])];
  const rows = [...new Set([...own.keys(), ...other.keys()])].filter((name) => own.get(name) !== other.get(name))
    .map((name) => ({ cells: [name, own.get(name) ?? "-", other.get(name) ?? "-"] }));
  const file = `${run.mark}.toml`;
  byId("detail").replaceChildren(el("h3", {}, `${run.mark}: ${setting.name}, seed ${run.seed}`), el("p", {}, run.claim),
    el("p", { class: "caption" }, `File ${run.folder}/${run.file}, fingerprint ${run.fingerprint}, SHA-256 of the content ${run.sha256 || "not recorded"}`),
    rows.length ? tableOf(["setting", "this run", `first of its ranking (${data.runs[winner].mark})`], rows, "Differences to the first one of its ranking", []) :
      el("p", { class: "caption" }, "The settings are those of the first one of its ranking."),
    el("div", { class: "tools" }, button("TOML of this run", () => save(file, configs[i], "text/plain")), button("Copy the command", () => copy(`trilemma run ${file} --output ${run.mark}.h5`))),
    el("details", {}, el("summary", {}, "Resolved configuration"), el("pre", { tabindex: 0 }, configs[i])));
}

// ---- Exports ----

function button(text, act) {
  const node = el("button", { type: "button", class: "tool" }, text);
  node.addEventListener("click", act);
  return node;
}

function save(name, content, type) {
  const link_ = el("a", { href: URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type })), download: name });
  link_.click();
  setTimeout(() => URL.revokeObjectURL(link_.href), 1000);
}

function copy(text) {
  if (navigator.clipboard) navigator.clipboard.writeText(text).catch(() => window.prompt("Copy", text));
  else window.prompt("Copy", text);
}

const PAINT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-family", "font-weight", "paint-order"];

/** The chart as a file of its own: with its colours, its caption and where it comes from. */
function standalone(drawn, chart) {
  const copied = drawn.cloneNode(true), from = drawn.querySelectorAll("*"), to = copied.querySelectorAll("*");
  from.forEach((node, i) => { const paint = getComputedStyle(node); for (const name of PAINT) to[i].setAttribute(name, paint.getPropertyValue(name)); });
  copied.prepend(svg("metadata", {}, JSON.stringify({ title: chart.title, finding: chart.finding, command: commandOf(),
    runs: data.runs.map((run) => run.fingerprint) })), svg("rect", { width: chart.width, height: chart.height, fill: getComputedStyle(document.body).backgroundColor }));
  return new XMLSerializer().serializeToString(copied);
}

const saveSvg = (drawn, chart) => save("figure.svg", standalone(drawn, chart), "image/svg+xml");

function savePng(drawn, chart) {
  const image = new Image(), canvas = el("canvas", { width: 2 * chart.width, height: 2 * chart.height });
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

const csvOf = (chart) => csvRows([["setting", "mark", "x", "y", "high"], ...chart.marks.filter((mark) => mark.setting !== undefined && mark.kind !== "tag" && mark.kind !== "name")
  .flatMap((mark) => mark.points.map((point) => [data.settings[mark.setting].name, mark.kind, ...point]))]);

const markdownOf = (ranking) => { const rows = [headOf(), headOf().map(() => "---"), ...rowsOf(ranking)];
  return rows.map((row) => `| ${row.map((text) => text.replace(/\|/g, "\\|")).join(" | ")} |`).join("\n") + "\n"; };

function latexOf(ranking) {
  const safe = (text) => text.replace(/[\\{}$&#^_%~]/g, (letter) => (letter === "\\" ? "\\textbackslash{}" : "^~".includes(letter) ? `\\${letter}{}` : `\\${letter}`)).replace(/ε/g, "$\\varepsilon$");
  const rows = [headOf(), ...rowsOf(ranking)].map((row) => `${row.map(safe).join(" & ")} \\\\`);
  return `% ${ranking.title}\n\\begin{tabular}{rlrllrrr}\n${rows[0]}\n\\hline\n${rows.slice(1).join("\n")}\n\\end{tabular}\n`;
}

function exportsOfAnswer() {
  const all = (form) => found.rankings.map(form).join("\n");
  return [el("div", { class: "tools" }, button("Copy the command", () => copy(commandOf())), button("CSV", () => save("rankings.csv", csvRows([["ranking", ...headOf()],
    ...found.rankings.flatMap((ranking) => rowsOf(ranking).map((row) => [ranking.title, ...row]))]), "text/csv")),
  button("Markdown", () => save("rankings.md", all(markdownOf), "text/markdown")), button("LaTeX", () => save("rankings.tex", all(latexOf), "text/plain")),
  button("JSON", () => save("report.json", JSON.stringify(data, null, 1), "application/json")))];
}

async function start() {
  const packed = Uint8Array.from(atob(byId("curves").textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  ({ runs: states, configs } = unpack(new Uint8Array(await new Response(stream).arrayBuffer())));
  if (location.hash.startsWith("#q?")) recall();
  bar();
  listen();
  answerAll();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

if (typeof DecompressionStream !== "undefined") start();
})();
