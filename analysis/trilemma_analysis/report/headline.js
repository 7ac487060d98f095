// The first screen and the notes of an answer, as headline.py, stats/answers.py and stats/bits_notes.py write them. Needs no page.

const UNLIKE = 1.1,
  USED_UP = 0.9,
  MOST_NAMED = 2,
  MOST_FILES = 3;

const whoOf = (question) => (question.perClient ? " per client" : " of all clients");
const shownOf = (question) => forms[question.target !== null ? "bits" : question.share ? "percent" : "number"];
const standsOf = (entry) => entry.seeds.map((seed) => entry.setting.found.get(seed));
const sentOf = (question) => (question.perClient ? "mean" : "bits");
const entriesIn = (found) => found.rankings.flatMap((ranking) => ranking.entries);
const withResult = (ranking, ...results) => ranking.entries.filter((entry) => results.includes(entry.result));
const leaderOf = (ranking) => withResult(ranking, RESULT.FIRST, RESULT.BEST_MEAN)[0];

// ---- Words of stats/judgement.py and stats/findings.py ----

const counted = (names, total, noun) => names.length <= MOST_NAMED ? joined(names)
  : names.length === total ? `all ${total} ${noun}` : `${names.length} of ${total} ${noun}`;

function valueRange(values, show) {
  const [low, high] = [show(Math.min(...values)), show(Math.max(...values))];
  if (low === high) return high;
  const [number, unit] = [low.split(" ")[0], low.includes(" ") ? low.slice(low.indexOf(" ") + 1) : ""];
  return `${unit && high.endsWith(` ${unit}`) ? number : low} to ${high}`;
}

/** What competes: the method, or the value of the setting `by` where no other method has it. */
function nameOf(entry, ranking) {
  const { value } = entry.setting;
  if (value === null) return entry.setting.methodName;
  return ranking.entries.filter((other) => other.setting.value === value).length === 1 ? value : entry.setting.methodName;
}

const commonSeeds = (ranking) => Math.max(...withResult(ranking, RESULT.TIED, RESULT.BEHIND, RESULT.UNKNOWN,
  RESULT.AHEAD).map((entry) => entry.difference.n));
const nounOf = (data) => (data.question.by ? "values" : "methods");

/** Who leads with which value, alone or tied, or that the seeds cannot tell. */
function leadIn(found, ranking, data) {
  const show = shownOf(found.question),
    first = leaderOf(ranking),
    name = nameOf(first, ranking);
  if (ranking.entries.length === 1) return `${name} reaches ${show(first.over.centre)}, with nothing to compare`;
  const told = first.result === RESULT.FIRST,
    tied = withResult(ranking, RESULT.TIED);
  const others = withResult(ranking, RESULT.BEHIND, RESULT.UNKNOWN, RESULT.AHEAD);
  const leaders = told ? [first, ...tied] : [first, ...tied, ...others];
  const values = valueRange(leaders.map((entry) => entry.over.centre), show);
  if (!told) return `${cannotTell(commonSeeds(ranking))} which of ${leaders.length} ${nounOf(data)} is best (${values})`;
  if (!tied.length) return `${name} ${others.length && others.every((entry) => entry.result === RESULT.BEHIND) ? "wins" :
    "is first"} with ${show(first.over.centre)}`;
  return `${counted(leaders.map((entry) => nameOf(entry, ranking)), ranking.entries.length, nounOf(data))} are tied at ` +
    values;
}

/** Who is first, alone or tied, without values. */
function inShort(ranking, data) {
  const first = leaderOf(ranking);
  if (!first || ranking.entries.length === 1) return verdict(ranking, data);
  if (first.result === RESULT.BEST_MEAN) return `${cannotTell(commonSeeds(ranking))} which is first`;
  const leaders = [first, ...withResult(ranking, RESULT.TIED)].map((entry) => nameOf(entry, ranking));
  return leaders.length === 1 ? `${leaders[0]} is first` :
    `${counted(leaders, ranking.entries.length, nounOf(data))} are tied`;
}

function overall(rankings, data) {
  const same = new Map();
  for (const ranking of rankings) {
    const words = inShort(ranking, data);
    same.set(words, [...(same.get(words) || []), ranking.short]);
  }
  return [...same].map(([words, where]) => `${joined(where)}: ${words}`).join("; ");
}

// ---- headline.py ----

const mainOf = (found) => found.rankings.reduce((best, each) => (
  [each.promised ? 1 : 0, each.entries.length].join() === [best.promised ? 1 : 0, best.entries.length].join()
  || each.promised > best.promised || (each.promised === best.promised && each.entries.length > best.entries.length)
  ? each : best));

function leastUpload(found) {
  const { question } = found;
  if (question.bits !== null || question.target !== null || !found.rankings.length) return null;
  const sent = mainOf(found).entries.map((entry) => Math.max(...standsOf(entry).map((each) => each[sentOf(question)])))
    .filter((value) => value > 0);
  return sent.length && Math.max(...sent) > UNLIKE * Math.min(...sent) ? Math.min(...sent) : null;
}

/** The answer to the same question within the smallest upload; null where there is none. */
function levelOf(found, data, states) {
  const bits = leastUpload(found);
  if (bits === null) return null;
  const level = rank(data, states, { ...found.question, bits });
  return level.rankings.length ? level : null;
}

function leadWords(found, ranking, data) {
  const first = leaderOf(ranking);
  if (!first) return verdict(ranking, data);
  const { question } = found;
  if (question.target === null) return leadIn(found, ranking, data);
  const target = question.share ? `${general(100 * question.target, 6)} %` : general(question.target, 4);
  return `${first.setting.methodName} needs ${forms.bits(first.over.centre)}${whoOf(question)} to reach ${target}; ` +
    verdict(ranking, data);
}

function withUpload(found, ranking, data) {
  const said = leadWords(found, ranking, data),
    first = leaderOf(ranking),
    { question } = found;
  if (!first || question.target !== null) return said;
  const leaders = first.result === RESULT.FIRST ? [first, ...withResult(ranking, RESULT.TIED)] : ranking.entries;
  const sent = leaders.map((entry) => mean(standsOf(entry).map((each) => each[sentOf(question)]), data.student).centre);
  const [low, high] = [forms.bits(Math.min(...sent)), forms.bits(Math.max(...sent))];
  const upload = `${low === high ? low : `${low} to ${high}`}${whoOf(question)}`;
  if (leaders.length > 1 || ranking.entries.length === 1 || Number.isNaN(first.over.low)) return `${said} (${upload})`;
  const ends = [first.over.low, first.over.high].map((end) => shownOf(question)(end).replace(/ %$/, ""));
  return `${said} [${ends.join(", ")}] and ${upload}`;
}

/** Why a ranking of one method has no other. */
function aloneIn({ entries, absent }) {
  if (entries.length > 1 || !absent.length) return "";
  const more = absent.length - MOST_NAMED;
  return ` (${absent.slice(0, MOST_NAMED).map(([method, why]) => `${method}: ${why}`).join("; ")}${more > 0 ?
    `; and ${more} more` : ""})`;
}

const scoreOf = (i, metric, data) => data.runs[i].constant[metric] ?? NaN;
const constantOf = (entries, question, data) => mean(entries.flatMap((entry) => standsOf(entry).map((each) =>
  scoreOf(each.run, question.metric, data))), data.student).centre;

/** The answer in one sentence. */
function headlineOf(found, level, data) {
  if (!found.rankings.length) return "No run can be compared within these limits";
  const ranking = mainOf(found),
    same = level && level.rankings.find((each) => each.place === ranking.place);
  const constant = constantOf(ranking.entries, found.question, data);
  const said = [withUpload(found, ranking, data) + aloneIn(ranking),
    ...(same ? [`at ${forms.bits(level.question.bits)}${whoOf(level.question)} ${leadWords(level, same, data)}${aloneIn(
      same)}`] : []),
    ...(Number.isNaN(constant) ? [] : [`a constant model scores ${forms[found.question.share ? "percent" : "number"](
      constant)}`])].join("; ");
  return found.rankings.length > 1 ? `${ranking.short}: ${said}` : said;
}

/** The finding of a figure about all rankings, or about those `of` them that it shows. */
const headingOf = (found, data, of = found.rankings) => found.rankings.length > 1 ? overall(of, data)
  : leadWords(found, found.rankings[0], data);

// ---- Notes (stats/answers.py, stats/bits_notes.py, stats/baselines.py, model/replicates.py, model/guarantees.py) ----

/** A template of Python with values in place of its braces. */
const filled = (template, ...values) => values.reduce((text, value) => text.replace("{}", () => value), template);
const unique = (values) => [...new Set(values)];

function choiceNote(found, entries) {
  const peeked = unique(entries.filter((entry) => entry.chosenOnResults).map((entry) => entry.setting.methodName));
  const tuned = entries.some((entry) => entry.settings > 1 && !entry.chosenOnResults);
  const parts = tuned ? [`settings were chosen on the seeds for tuning (${found.question.tuning.join(", ")}) and judged ` +
    "by others"] : [];
  if (peeked.length) parts.push(`settings${tuned ? ` of ${joined(peeked)}` : ""} were chosen on the seeds that judge them, ` +
    "which flatters methods with many settings; --tune-seeds names seeds for the choice alone");
  const open = found.rankings.flatMap((ranking, i) => ranking.entries.filter((entry) => entry.rivals).map((entry) =>
    `${entry.setting.methodName} (${entry.rivals} of ${entry.settings - 1}` +
    `${found.rankings.length > 1 ? `, ranking ${i + 1}` : ""})`));
  if (open.length) parts.push(`other settings may be as good as the chosen one: ${open.join(", ")}; more seeds for tuning ` +
    "make the choice firm");
  return parts.join("; ") || "no method had settings to choose from";
}

function isCut({ over, difference }, question) {
  const [least, most] = possible(question);
  return [[over, least, most], [difference, least - most, most - least]].some(([each, low, high]) => each &&
    (each.low === low || each.high === high) && each.low < each.high);
}

function seedsNote(entries, data) {
  const several = entries.filter((entry) => entry.seeds.length > 1).map((entry) => standsOf(entry).map((each) => data
    .runs[each.run]));
  const split = several.filter((runs) => unique(runs.map((run) => run.split)).length > 1);
  if (!several.length) return [];
  if (!split.length) return [data.words.same];
  const also = `the partition and the split${split.flat().some((run) => run.generated) ? " and the generated records" :
    ""} (data.seed)`;
  return [split.length === several.length ? `seeds change ${data.words.ofARun}, and ${also}, so intervals cover them`
    : `seeds change ${data.words.ofARun}, and of ${split.length} of ${several.length} settings ${also}: intervals of the ` +
    "others leave out what another split would change"];
}

const isAsPlanned = (entry) => standsOf(entry).every((each) => Number.isNaN(each.sentMean)
  || Math.abs(each.sentMean - each.mean) <= 1e-9 * each.mean);

function bitsNotes(found, entries) {
  const { question } = found,
    notes = [],
    spans = [];
  if (question.target === null && question.bits === null)
    for (const ranking of found.rankings) {
      const sent = ranking.entries.flatMap((entry) => standsOf(entry).map((each) => each[sentOf(question)]))
        .filter((value) => value > 0);
      if (sent.length && Math.max(...sent) > UNLIKE * Math.min(...sent)) spans.push(sent);
    }
  if (spans.length) notes.push(`the methods are compared at unequal bits, ${forms.bits(Math.min(...spans.flat()))} to ` +
    `${forms.bits(Math.max(...spans.flat()))}${whoOf(question)}; --bits sets a budget`);
  if (!entries.every(isAsPlanned)) notes.push("bits are expected values over the random choice of clients, by which " +
    "budget.upload plans a run; what was sent varies between seeds ('sent per client'), and --sent takes it as the limit");
  const stands = entries.flatMap(standsOf),
    unknown = stands.filter((each) => !each.planned).length;
  if (unknown) notes.push(`for ${unknown} of ${stands.length} runs the bits are those that were sent: their messages differ ` +
    "in size, so that no expected value is recorded");
  return notes;
}

function skippedNotes(found, data) {
  const groups = new Map(),
    runs = new Map();
  for (const place of data.given) {
    const setting = found.settings[place],
      name = setting.methodName;
    runs.set(name, (runs.get(name) || 0) + setting.seeds.size);
    for (const why of setting.whyNot.values()) {
      const key = `${name}\n${why.replace(/\d+(?:\.\d+)?(?:e[+-]?\d+)?/g, "#")}`;
      groups.set(key, [...(groups.get(key) || []), [name, why]]);
    }
  }
  const told = [...groups.values()].map((whys) => `${whys[0][0]}: ${whys.length} of ${runs.get(whys[0][0])} runs: ` +
    whys[0][1]);
  const all = unique([...told, ...data.lost, ...found.notes]);
  return all.length ? ["not compared:", ...all.map((why) => `  ${why}`)] : [];
}

/** The scores of an entry and of constant models, with the name of the row. */
function scored(entry, found, data, states) {
  const { question } = found,
    each = standsOf(entry);
  const own = question.target === null ? each.map((stands) => scoreOf(stands.run, question.metric, data)) : [NaN];
  if (!own.every(Number.isNaN)) return { name: entry.setting.name, metric: question.metric,
    pairs: each.map((stands, i) => [stands.value, own[i]]) };
  const metric = data.scores.find((name) => states[each[0].run][name]) ?? data.scores[0];
  const last = (stands) => {
    const values = states[stands.run][metric] || [],
      rounds = states[stands.run].round;
    const known = [...values.keys()].filter((i) => rounds[i] <= stands.round && !Number.isNaN(values[i]));
    return known.length ? values[known[known.length - 1]] : NaN;
  };
  const pairs = each.map((stands) => [last(stands), scoreOf(stands.run, metric, data)]);
  const { share } = data.metrics[metric] || { share: true };
  const value = mean(pairs.map(([mine]) => mine), data.student).centre;
  return { name: `${entry.setting.name} with ${share ? "accuracy" : "test error"} ${forms[share ? "percent" : "number"](
    value)}`, metric, pairs };
}

function baselineNotes(found, entries, data, states) {
  const worse = new Map(),
    unclear = new Map();
  for (const { name, metric, pairs } of entries.map((entry) => scored(entry, found, data, states))) {
    const { higher, share, name: of } = data.metrics[metric] || {};
    const ahead = mean(pairs.map(([mine, constant]) => (mine - constant) * (higher ? 1 : -1)), data.student);
    const stated = [of, forms[share ? "percent" : "number"], pairs[0][1]];
    if (ahead.n && ahead.centre <= 0) worse.set(name, stated);
    else if (ahead.n && ahead.low <= 0) unclear.set(name, stated);
  }
  const values = (rows) => unique([...rows.values()].map(([of]) => of)).map((of) => {
      const same = [...rows.values()].filter(([other]) => other === of);
      return `${of} ${valueRange(same.map(([, , value]) => value), same[0][1])}`;
    }).join(" or "),
    names = (rows) => [...rows.keys()].join(", ");
  return [...(worse.size ? [`no better than the best constant model (${values(worse)}): ${names(worse)}`] : []),
    ...(unclear.size ? [`not clearly better than the best constant model (${values(unclear)}), which lies within the ` +
      `95 % interval of the mean: ${names(unclear)}`] : [])];
}

function choosingNote(usable) {
  const counts = new Map();
  for (const run of usable) if (run.status !== "not_private" && run.released) counts.set(run.data, (counts.get(run
    .data) || 0) + 1);
  const several = unique([...counts.values()].filter((count) => count > 1)).sort((a, b) => a - b);
  const numbers = several.length === 1 ? several[0] : `${several[0]} to ${several[several.length - 1]}`;
  return several.length ? [`each epsilon is that of one run, not of choosing the best of the ${numbers} with a ` +
    "claim over the same data (`trilemma privacy tuning` accounts for that)"] : [];
}

/** A note for every promise that models of users break (model/origins.py). */
const promiseNotes = (usable, data) => data.words.promises.flatMap((words, i) => {
  const broken = usable.filter((run) => run.broken && run.broken.includes(i)),
    more = broken.length - MOST_FILES;
  return broken.length ? [filled(words, joined(unique(broken.map((run) => run.model)).sort()), joined([...broken.map((run) =>
    run.file).sort().slice(0, MOST_FILES), ...(more > 0 ? [`${more} more`] : [])]))] : [];
});

/** In which parts the guarantees of runs differ, in words; empty where in none. */
function differing(usable, data) {
  const known = unique(usable.map((run) => run.guarantee)).filter((i) => i !== null).map((i) => data.guarantees[i]);
  const names = data.words.parts.filter((_, part) => unique(known.map((each) => each[part])).length > 1);
  return !names.length ? "" : names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]} differ` :
    `${names[0]} differs`;
}

/** The note on runs whose objective ended above that of the start. */
function grownNote(entries, data) {
  const counts = new Map();
  for (const entry of entries.filter(({ result }) => result !== RESULT.DIVERGED))
    counts.set(entry.setting.methodName, (counts.get(entry.setting.methodName) || 0)
      + standsOf(entry).filter((each) => data.runs[each.run].grown).length);
  const words = [...counts].filter(([, count]) => count).map(([name, count]) =>
    filled(data.words.grownIn[count > 1 ? 1 : 0], name, count));
  return words.length ? [filled(data.words.grown, words.join(", "))] : [];
}

/** What must be said once below the rankings. */
function notesOf(found, data, states) {
  if (!found.rankings.length) return skippedNotes(found, data);
  const entries = entriesIn(found),
    usable = found.settings.flatMap((setting) => [...setting.found.values()].map((each) => data.runs[each.run]));
  const apart = differing(usable, data),
    most = Math.max(...found.rankings.map((ranking) => ranking.entries.length - 1));
  return [...grownNote(entries, data),
    ...(found.rankings.length > 1 ? [`methods are compared within a ranking only${apart ?
      `; epsilons of different rankings cannot be compared (${apart})` : ""}`] : []), choiceNote(found, entries),
    ...(most > 0 ? [`differences are those to the first method, seed by seed, with 95 % intervals by Student's t${most > 1 ?
      `, each by itself and not for all ${most} comparisons at once` : ""}`] : []),
    ...(entries.some((entry) => isCut(entry, found.question)) ? ["intervals end at values that are possible"] : []),
    ...seedsNote(entries, data), "seconds are those of the rounds, without evaluation and recording",
    ...bitsNotes(found, entries), ...skippedNotes(found, data), ...baselineNotes(found, entries, data, states),
    ...choosingNote(usable), ...promiseNotes(usable, data),
    ...(data.remarks[unique(usable.map((run) => run.origin)).sort((a, b) => a - b).join()]
      || data.remarks.all)];
}

/** What stands below one ranking: fewer seeds, budgets that were not used up, evaluations too far apart. */
function belowOf(found, ranking) {
  const { question } = found,
    most = Math.max(...ranking.entries.map((entry) => entry.seeds.length));
  const fewer = ranking.entries.filter((entry) => entry.seeds.length < most).map((entry) =>
    `${entry.setting.methodName} with ${entry.seeds.length}`);
  const notes = fewer.length ? [`fewer seeds than other methods, which have up to ${most}: ${fewer.join(", ")}; a mean over ` +
    "other seeds is another mean"] : [];
  if (question.target !== null) return [...notes, "the target counts as reached at the first evaluated round that is as good"];
  for (const [word, column, limit] of [["bits", sentOf(question), question.bits], ["epsilon", "epsilon", question.epsilon],
    ["seconds", "seconds", question.seconds]]) {
    const idle = !limit ? [] : ranking.entries.filter((entry) => standsOf(entry).every((each) => each.round === each.of)
      && !(entry.mostSpent[column] >= USED_UP * limit)).map((entry) => [entry.setting.methodName, Math.max(...standsOf(
      entry).map((each) => each[column])) / limit]).filter(([, share]) => share > 0 && share < USED_UP);
    if (idle.length) notes.push(`the budget of ${word} was not used up: ${idle.map(([name, share]) =>
      `${name} used ${forms.percent(share)} of it`).join(", ")}; with ${word === "epsilon" ? "less noise or more rounds" :
      "more rounds"} the order may change`);
  }
  const first = ranking.entries.map((entry) => [entry.setting.methodName, standsOf(entry)[0]]);
  const late = first.filter(([, each]) => each.round < each.could).map(([name, each]) =>
    `${name} at round ${each.round} of ${each.could}`);
  const early = first.filter(([, each]) => each.could < each.of && !each.made).map(([name, each]) =>
    `${name} after ${each.round} of ${each.of} rounds`);
  if (late.length) notes.push(`last evaluated before the budget was used up: ${late.join(", ")}; a smaller evaluate.every ` +
    "shows more");
  if (early.length) notes.push(`compared before their end: ${early.join(", ")}; step sizes and noise are those of all rounds, ` +
    "and runs that are planned for this budget may rank otherwise");
  return notes;
}

if (typeof module !== "undefined") module.exports = { forms, bitsOf, unpack, mean, rank, verdict, resultWords, headlineOf,
  headingOf, levelOf, notesOf, belowOf };
