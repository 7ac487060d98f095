// Rankings of runs by the rules of `trilemma_analysis best`, from the states that a report holds. Needs no page.

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

// ---- The rules of `best` (stats/questions.py, stats/rankings.py, stats/judgement.py, stats/paired.py,
// model/budgets.py) ----

const LEAST_SEEDS = 3; // fewer distinguish nothing
const RESULT = {
  FIRST: "first",
  BEST_MEAN: "best mean",
  TIED: "tied",
  BEHIND: "behind",
  AHEAD: "ahead in common seeds",
  UNKNOWN: "unknown",
  NOT_REACHED: "not reached",
  DIVERGED: "diverged"
};
/** A difference with its sign, as `shown` has its size; where that rounds it to nothing, its first digit. */
const signed = (value, shown) => (Number.isNaN(value) ? "-" : (value < 0 ? "-" : "+")
  + (value !== 0 && shown(Math.abs(value)) === shown(0) ? general(Math.abs(value), 1) : shown(Math.abs(value))));
forms.points = (value) => signed(100 * value, (size) => size.toFixed(1));

const WITHIN = 1 + 1e-12; // as budgets are rounded

/** Mean of the known values with its 95 % interval; `student` has the quantiles of t by degrees of freedom. */
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
const cutTo = (over, least, most) => Number.isNaN(over.low) ? over
  : { ...over, low: Math.max(over.low, least), high: Math.min(over.high, most) };

/** What a run has spent at a state. */
function spentAt(run, states, i, sent) {
  const at = (name) => (states[name] ? states[name][i] : NaN);
  const bits = at(sent ? "up_sent" : "up");
  return {
    round: states.round[i],
    bits,
    mean: bits / run.clients,
    sentMean: at("up_sent") / run.clients,
    planned: run.planned !== null,
    epsilon: run.released ? at("epsilon") : 0,
    seconds: at("seconds"),
    time: at("time")
  };
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
  if (question.seconds !== null && !states.seconds) return { why: "unreliable times" };
  if ((question.bits !== null || question.target !== null) && !states.up) return { why: "no bits in the file (privacy.strict)" };
  const limits = limitsOf(question);
  const rows = known.filter((i) => {
    const spent = spentAt(run, states, i, false);
    return limits.every(([name, limit]) => spent[name] <= limit * WITHIN);
  });
  if (!rows.length) return { why: beyond(spentAt(run, states, known[0], false), question) };
  const higher = question.higher;
  const good = (i) => (higher ? values[i] >= question.target : values[i] <= question.target);
  const hit = question.target === null ? rows[rows.length - 1] : rows.find(good);
  const row = hit === undefined ? rows[rows.length - 1] : hit;
  const spent = spentAt(run, states, row, false);
  const value = question.target === null ? values[row] : hit === undefined ? Infinity
    : question.perClient ? spent.mean : spent.bits;
  const last = spentAt(run, states, states.round.length - 1, false),
    within = (each) => limitsOf(question).every(([name, limit]) => each[name] <= limit * WITHIN);
  const made = within(last);
  return { value, ...spent, of: run.rounds, made, could: made ? run.rounds : couldRun(run, rows, states, question) };
}

/** The last round within the limits: of planned bits any, else the last evaluated one. */
function couldRun(run, rows, states, question) {
  const evaluated = states.round[rows[rows.length - 1]];
  if (question.bits === null || limitsOf(question).length > 1 || !run.planned) return evaluated;
  const limit = question.bits / (question.perClient ? 1 : run.clients);
  return Math.max(evaluated, Math.floor((limit * WITHIN) / run.planned));
}

/** Bits as bytes, as in model/sizes.py. */
function sizeWords(bits) {
  const [factor, prefix] = PREFIXES.find(([size]) => Math.abs(bits / 8) >= 0.9995 * size) || [1, ""];
  return `${general(bits / 8 / factor, 3)} ${prefix}B`;
}

/** Why the first evaluated round is not within the budget. */
function beyond(first, question) {
  const shown = { mean: (bits) => `${sizeWords(bits)} per client`, bits: sizeWords,
    seconds: (value) => `${general(value, 3)} s`, epsilon: (value) => `epsilon ${forms.epsilon(value)}`,
    round: (value) => `round ${value}` };
  const over = limitsOf(question).filter(([name, limit]) => !(first[name] <= limit * WITHIN));
  return "never evaluated within the budget: the first evaluated round after the start, " +
    `${first.round}, has spent ${over.map(([name]) => shown[name](first[name])).join(" and ")}`;
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
    return [lost(setting, seeds) > 0 ? 1 : 0, -found.reached / seeds.length, lower ? found.over.centre : -found.over
      .centre];
  };
  const [a, b] = [key(one), key(other)];
  const i = a.findIndex((value, place) => value !== b[place]);
  return i < 0 ? 0 : a[i] - b[i];
}

/** The settings of a method that take part, each with the seeds it is chosen by, and how many do not. */
function taking(settings, tuning) {
  const on = settings.map((each) => [each, [...each.found.keys()].filter((seed) => !tuning.length || tuning.includes(
    seed))]);
  const most = Math.max(...on.map(([, seeds]) => seeds.length));
  let full = on.filter(([, seeds]) => seeds.length === most),
    judged = 0;
  const fewChoose = settings.length - full.length;
  if (tuning.length) {
    const judges = ([setting]) => [...setting.found.keys()].filter((seed) => !tuning.includes(seed)).length;
    judged = Math.max(...full.map(judges));
    full = full.filter((pair) => judges(pair) === judged || [...pair[0].seeds].every((seed) => tuning.includes(seed)));
  }
  const notes = tooFew(settings, fewChoose, most, "choose").concat(tooFew(settings, settings.length - fewChoose - full
    .length, judged, "be judged"));
  return { full, notes };
}

/** The sentence on settings of a method that do not compete for want of seeds. */
const tooFew = (settings, count, most, to) => count ? [`${settings[0].methodName}: ${count} of ${settings.length} settings, ` +
  `which have ${most > 1 ? `fewer than ${most} seeds` : "no seed"} to ${to} by`] : [];

/** The best setting of a method with its mean over the seeds that judge; null where none judges it. */
function best(settings, question, data) {
  const { student } = data;
  const tuned = settings.some((each) => question.tuning.some((seed) => each.found.has(seed)));
  const { full, notes } = taking(settings, tuned ? question.tuning : []);
  const chosen = full.reduce((least, pair) => (compared(pair, least, question.lower, student) < 0 ? pair : least));
  const [setting, on] = chosen;
  const seeds = [...setting.found.keys()].filter((seed) => !tuned || !question.tuning.includes(seed)).sort((a, b) => a -
    b);
  if (!seeds.length) return { notes: [...notes, `${setting.methodName}: its best setting (${setting.name}) has no value ` +
    "for any other seed than those for tuning"] };
  const found = over(setting, seeds, student);
  const rivals = full.filter(([other, their]) => other.choice !== setting.choice && !lost(other, their) &&
    notTold(setting, other, on, student)).length;
  return {
    setting,
    seeds,
    settings: full.length,
    notes,
    mostSpent: mostSpent(full.map(([other]) => other).filter((other) => other.alike === setting.alike)),
    chosenOnResults: !tuned && full.length > 1,
    rivals,
    reached: found.reached,
    over: cutTo(found.over, ...possible(question))
  };
}

const mostSpent = (settings) => Object.fromEntries(["bits", "mean", "epsilon", "seconds"].map((name) => [name, Math.max(
  ...settings.flatMap((each) => [...each.found.values()].map((stands) => stands[name])))]));

function notTold(setting, other, seeds, student) {
  const pairs = seeds.filter((seed) => other.found.has(seed)).map((seed) => [setting.found.get(seed).value, other.found
    .get(seed).value]).filter((pair) => pair.every(Number.isFinite));
  const apart = mean(pairs.map(([a, b]) => a - b), student);
  return apart.n === 1 || holdsZero(apart);
}

const possible = (question) => question.target !== null ? [0, Infinity]
  : [question.possible[0] ?? -Infinity, question.possible[1] ?? Infinity];

/** The entry with its difference to the first one, seed by seed, and the result. */
function judged(entry, first, question, student) {
  const pairs = entry.seeds.filter((seed) => first.seeds.includes(seed)).map((seed) => [entry.setting.found.get(seed)
    .value, first.setting.found.get(seed).value]).filter((pair) => pair.every(Number.isFinite));
  const [least, most] = possible(question);
  const difference = cutTo(mean(pairs.map(([a, b]) => a - b), student), least - most, most - least);
  return { ...entry, difference, result: withoutPlace(entry) || resultOf(difference, question.lower) };
}

/** The entry with the best mean, and its result. */
function leading(entry, others) {
  const results = others.map((other) => other.result);
  return { ...entry, difference: null, result: withoutPlace(entry) || leadOf(entry.seeds.length, results) };
}

function withoutPlace(entry) {
  if (lost(entry.setting, entry.seeds)) return RESULT.DIVERGED;
  return entry.reached < entry.seeds.length ? RESULT.NOT_REACHED : null;
}

function resultOf(difference, lower) {
  if (difference.n < LEAST_SEEDS) return RESULT.UNKNOWN;
  if (holdsZero(difference)) return RESULT.TIED;
  return difference.centre > 0 === lower ? RESULT.BEHIND : RESULT.AHEAD;
}

function leadOf(seeds, others) {
  const judged = others.filter((result) => result !== RESULT.NOT_REACHED && result !== RESULT.DIVERGED);
  const open = judged.includes(RESULT.AHEAD) || (judged.length > 0 && judged.every((each) => each === RESULT.UNKNOWN));
  return open || (judged.length > 0 && seeds < LEAST_SEEDS) ? RESULT.BEST_MEAN : RESULT.FIRST;
}

/** A whole question from a part of one: what is not given is no limit. */
function asked(data, part) {
  const question = {
    bits: null,
    perClient: true,
    epsilon: null,
    rounds: null,
    seconds: null,
    target: null,
    metric: data.question.metric,
    tuning: data.question.tuning,
    ...part
  };
  const metric = data.metrics[question.metric];
  return {
    ...question,
    higher: metric.higher,
    share: metric.share,
    possible: metric.possible,
    lower: question.target !== null || !metric.higher
  };
}

/** The answer to a question: rankings, each with its entries, best first, and reasons why runs are in none. `data` is
    the summary of the page, `states` has the columns of every run. */
function rank(data, states, part) {
  const question = asked(data, part);
  const settings = data.settings.map((each, place) => ({ ...each, place, found: new Map(), whyNot: new Map(),
    seeds: new Set(), methodName: data.methods[each.method] }));
  const skipped = new Map();
  data.runs.forEach((run, i) => {
    if (!run.ranked) return;
    const stands = standing(run, states[i], question);
    const setting = settings[run.setting];
    setting.seeds.add(run.seed);
    if (stands.why === undefined) setting.found.set(run.seed, { ...stands, run: i, diverged: run.lost });
    else {
      skipped.set(stands.why, (skipped.get(stands.why) || 0) + 1);
      setting.whyNot.set(run.seed, stands.why);
    }
  });
  const groups = grouped(data, settings, question);
  const rankings = [],
    notes = [];
  for (const { members, ...group } of groups) {
    const found = entriesOf(members, question, data);
    notes.push(...found.notes);
    if (found.entries.length) rankings.push({ ...group, entries: found.entries, absent: absentIn(members, found.entries) });
  }
  return { question, settings, skipped, notes, rankings };
}

/** The methods of which no setting is an entry, each with the first reason. */
function absentIn(members, entries) {
  const found = new Map();
  for (const { methodName, whyNot } of members)
    for (const why of whyNot.values()) if (!found.has(methodName)) found.set(methodName, why);
  return [...found].filter(([method]) => !entries.some((entry) => entry.setting.methodName === method));
}

/** The settings by what they must share. With a limit on epsilon, what releases nothing competes everywhere. */
function grouped(data, settings, question) {
  const name = question.epsilon === null ? "any" : "epsilon";
  const groups = data.groups[name].map((group) => ({ ...group, members: [] }));
  for (const place of data.given) groups[settings[place].groups[name]].members.push(settings[place]);
  if (name === "any") return groups;
  return groups.filter((local) => {
    if (local.released) return true;
    const hosts = groups.filter((other) => other.released && other.task === local.task
      && other.members.some((setting) => setting.found.size));
    for (const host of hosts) host.members.push(...local.members);
    return !hosts.length;
  });
}

function entriesOf(members, question, data) {
  const methods = new Map();
  for (const setting of members.filter((each) => each.found.size))
    methods.set(setting.method, [...(methods.get(setting.method) || []), setting]);
  const inOrder = (settings) => settings.sort((a, b) => a.place - b.place);
  const every = [...methods.values()].map((settings) => best(inOrder(settings), question, data));
  const notes = every.flatMap((entry) => entry.notes),
    entries = every.filter((entry) => entry.setting);
  entries.sort((a, b) => compared([a.setting, a.seeds], [b.setting, b.seeds], question.lower, data.student));
  const [first, ...rest] = entries;
  const others = rest.map((entry) => judged(entry, first, question, data.student));
  return { notes, entries: first ? [leading(first, others), ...others] : [] };
}

// ---- Words of an answer (stats/answers.py) ----

const joined = (names) => names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}` : names
  .join("");

const cannotTell = (seeds) => ["no common seed tells", "one seed cannot tell", "2 seeds cannot tell",
  "the seeds cannot tell"][Math.min(seeds, LEAST_SEEDS)];

/** Who wins, in a sentence; ties are named as ties. */
function verdict(ranking, data) {
  const names = (result) => ranking.entries.filter((entry) => entry.result === result)
    .map((entry) => data.methods[entry.setting.method]);
  const first = ranking.entries.find(({ result }) => result === RESULT.FIRST || result === RESULT.BEST_MEAN);
  const [tied, behind, missed, gone] = [RESULT.TIED, RESULT.BEHIND, RESULT.NOT_REACHED, RESULT.DIVERGED].map(names);
  const unknown = [...names(RESULT.UNKNOWN), ...names(RESULT.AHEAD)];
  const some = ranking.entries.some((entry) => entry.result === RESULT.NOT_REACHED && entry.reached) ? "all seeds" :
    "any seed";
  const diverged = gone.length ? [`${joined(gone)} diverged`] : [];
  if (!first) return [...(missed.length ? [`no method reached the target in ${some}`] : []), ...diverged].join("; ");
  const name = first.setting.name;
  if (ranking.entries.length === 1) return `${name} is the only method here`;
  const without = [...(missed.length ? [`${joined(missed)} did not reach the target in ${some}`] : []), ...diverged];
  if (first.result === RESULT.BEST_MEAN) {
    const seeds = Math.max(...ranking.entries.filter(({ result }) => [RESULT.TIED, RESULT.BEHIND, RESULT.UNKNOWN,
      RESULT.AHEAD].includes(result)).map((entry) => entry.difference.n));
    return [`${cannotTell(seeds)} which method is first; ${name} has the best mean`, ...without].join("; ");
  }
  const parts = [...without, ...(unknown.length ? [`the seeds cannot tell about ${joined(unknown)}`] : [])];
  const said = tied.length ? `tie: ${name} is first, but not significantly better than ${joined(tied)}`
    : behind.length ? `${name} wins${parts.length ? ` against ${joined(behind)}` : ""}`
    : missed.length ? `only ${name} reached the target` : `${name} is the only method left`;
  return [said, ...parts].join("; ");
}

/** The result of a method for its row. */
function resultWords(entry) {
  if (entry.result === RESULT.DIVERGED)
return `diverged (${lost(entry.setting, entry.seeds)} of ${entry.seeds.length})`;
  if (entry.result === RESULT.NOT_REACHED && entry.reached)
  return `reached by ${entry.reached} of ${entry.seeds.length} seeds`;
  if (entry.result === RESULT.TIED && entry.difference.low === 0 && entry.difference.high === 0)
  return "equal in every seed";
  if (entry.result === RESULT.UNKNOWN) return ["no seed in common", "one seed: unknown", "2 seeds cannot tell"][entry
    .difference.n];
  return entry.result;
}

