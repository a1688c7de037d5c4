/**
 * Rebuilds kernel/text/unicode-table.ts: lower case and canonical composition in one version of Unicode.
 *
 *   node scripts/make-unicode-table.mjs
 *
 * The data comes from the runtime, which must have just this version. So it needs no download, and every Node.js of
 * that version writes the same file.
 */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const VERSION = '17.0';
const OUT = join(dirname(dirname(fileURLToPath(import.meta.url))), 'kernel', 'text', 'unicode-table.ts');
const COLUMNS = 118;
const HANGUL = /^\p{Script=Hangul}$/u;
/** Marks of the lowest and of the highest class. */
const [OVERLAY, IOTA] = ['\u0334', '\u0345'];

const codeOf = (character) => character.codePointAt(0);
const codesOf = (text) => Array.from(text, codeOf);
const isOne = (text) => codesOf(text).length === 1;
/** Returns true when canonical order puts the second mark before the first. */
const isBefore = (second, first) => `a${first}${second}`.normalize('NFD') !== `a${first}${second}`;

const main = () => {
  const runtime = process.versions.unicode;
  if (runtime !== VERSION) throw new Error(`this table needs Unicode ${VERSION}; this Node.js has ${runtime}`);
  const all = Array.from({ length: 0x11_0000 }, (_, code) => code)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code));
  const tables = [
    ['LOWER_CASE', 'start, count, step, distance to the lower case', runs(lowerCases(all))],
    ['MARKS', 'start, count, step, rank of the canonical combining class', runs(ranks(all))],
    ['COMPOSED', 'character, first part, second part', deltas(composed(all))],
    ['DECOMPOSED', 'character, first part, number of further parts, these parts', decomposed(all)],
    ['CASED', 'start, count, step', ranges(all, /\p{Cased}/u)],
    ['CASE_IGNORABLE', 'start, count, step', ranges(all, /\p{Case_Ignorable}/u)],
  ];
  writeFileSync(OUT, `${HEAD}export const UNICODE_VERSION = '${VERSION}';\n${tables.map(constant).join('')}`);
};

const HEAD = `/**
 * scripts/make-unicode-table.mjs writes this file. Each table is a list of numbers of base 36. The first number of an
 * entry is the distance from the end of the entry before it.
 */

/** The version of Unicode by which names are compared. */
`;

const lowerCases = (all) =>
  all
    .filter((one) => one.toLowerCase() !== one && isOne(one.toLowerCase()))
    .map((one) => [codeOf(one), codeOf(one.toLowerCase()) - codeOf(one)]);

/** Ranks the classes by their order alone, because normalisation needs no more. */
const ranks = (all) => {
  const whole = all.filter((one) => one.normalize('NFD') === one);
  const marks = whole.filter((one) => isBefore(one, IOTA) || isBefore(OVERLAY, one));
  marks.push(OVERLAY);
  const classes = [];
  for (const mark of marks) {
    const same = classes.find(([first]) => !isBefore(mark, first) && !isBefore(first, mark));
    if (same === undefined) classes.push([mark]);
    else same.push(mark);
  }
  classes.sort(([one], [other]) => (isBefore(one, other) ? -1 : 1));
  const ranked = classes.flatMap((members, at) => members.map((mark) => [codeOf(mark), at + 1]));
  return [...new Map(ranked)].sort(([one], [other]) => one - other);
};

const isComposed = (one) => one.normalize('NFC') === one;
const decomposing = (all) => all.filter((one) => one.normalize('NFD') !== one && !HANGUL.test(one));

/** The last part joins last, so the others are a character themselves. */
const composed = (all) =>
  decomposing(all)
    .filter(isComposed)
    .map((one) => {
      const parts = [...one.normalize('NFD')];
      const second = parts.pop();
      const first = parts.join('').normalize('NFC');
      if (!isOne(first)) throw new Error(`${one} is no pair`);
      return [codeOf(one), codeOf(first), codeOf(second)];
    });

const decomposed = (all) => {
  let before = [0, 0];
  return decomposing(all)
    .filter((one) => !isComposed(one))
    .flatMap((one) => {
      const [first, ...others] = codesOf(one.normalize('NFD'));
      const entry = [codeOf(one) - before[0], first - before[1], others.length, ...others];
      before = [codeOf(one), first];
      return entry;
    });
};

/** Joins neighbours of one value, with a step of one or, as where capitals and small letters alternate, of two. */
const runs = (entries) => {
  const found = [];
  for (const [code, value] of entries) {
    const last = found.at(-1);
    const step = last === undefined ? 0 : code - last.end;
    if (last?.value === value && (step === last.step || (last.count === 1 && step <= 2))) {
      Object.assign(last, { count: last.count + 1, step, end: code });
    } else found.push({ start: code, count: 1, step: 1, value, end: code });
  }
  let before = 0;
  return found.flatMap(({ start, count, step, value, end }) => {
    const gap = start - before;
    before = end;
    return [gap, count, step, value];
  });
};

const ranges = (all, expression) =>
  runs(all.filter((one) => expression.test(one)).map((one) => [codeOf(one), 0])).filter((_, at) => at % 4 !== 3);

/** Returns each number as its difference from the same number of the entry before. */
const deltas = (entries) =>
  entries.flatMap((entry, at) => entry.map((number, column) => number - (at === 0 ? 0 : entries[at - 1][column])));

const constant = ([name, entry, numbers]) => {
  const lines = [''];
  for (const word of numbers.map((number) => number.toString(36))) {
    if (lines.at(-1).length + word.length >= COLUMNS) lines.push('');
    lines.push(`${lines.pop()} ${word}`.trimStart());
  }
  return `\n/** Entries: ${entry}. */\nexport const ${name} = \`\n${lines.join('\n')}\`;\n`;
};

main();
