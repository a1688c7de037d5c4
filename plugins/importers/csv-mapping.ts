import { readFile } from 'node:fs/promises';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { isObject } from './origin-values.ts';
import { printable } from './refused-items.ts';

/** Members of a fact that a table may provide. */
export const MAPPED = [
  'entity',
  'relation',
  'value',
  'type',
  'source',
  'timestamp',
  'valid_from',
  'valid_until',
  'confidence',
  'scope',
  'garden',
  'session',
] as const;

export type MappedMember = (typeof MAPPED)[number];
export type CsvRow = Readonly<Record<string, string>>;

/** Reads each mapped member from a row; empty if the row has none. */
export type CsvMapping = Partial<Readonly<Record<MappedMember, (row: CsvRow) => string>>>;

const MAX_FILE = 64 * 1024;

/**
 * `member=column`, `member==text` for a constant, and `member=text {column} text`; a default after `?` replaces an
 * empty cell. Alternatively the path of a JSON file with these texts by member.
 */
export const readMapping = async (words: readonly string[]): Promise<ReadonlyMap<MappedMember, MemberRule>> => {
  const [only] = words;
  const pairs =
    words.length === 1 && only !== undefined && /\.json$/i.test(only) ? await readPairs(only) : words.map(pairOf);
  const rules = new Map<MappedMember, MemberRule>();
  for (const [name, rule] of pairs) {
    const known = MAPPED.find((one) => one === name);
    if (known === undefined) throw wrong(`--map names "${printable(name)}", which is no member of a fact`);
    rules.set(known, ruleOf(rule));
  }
  for (const name of ['entity', 'relation', 'value'] as const) {
    if (!rules.has(name)) throw wrong(`--map does not say what the ${name} of a fact is`);
  }
  return rules;
};

export interface MemberRule {
  /** Required columns. */
  readonly columns: readonly string[];
  read(row: CsvRow): string;
}

const pairOf = (word: string): [name: string, rule: string] => {
  const at = word.indexOf('=');
  if (at <= 0) throw wrong('--map is not a list of member=column');
  return [word.slice(0, at).trim(), word.slice(at + 1)];
};

const readPairs = async (path: string): Promise<[string, string][]> => {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) throw new ServiceError('lookup', `there is no file ${path}`);
  let mapping: unknown;
  try {
    mapping = text.length > MAX_FILE ? undefined : JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    mapping = undefined;
  }
  if (!isObject(mapping) || !Object.values(mapping).every((rule) => typeof rule === 'string')) {
    throw wrong('the mapping file is not a JSON object of texts');
  }
  return Object.entries(mapping) as [string, string][];
};

const ruleOf = (rule: string): MemberRule => {
  if (rule.startsWith('=')) return { columns: [], read: () => rule.slice(1) };
  const at = rule.lastIndexOf('?');
  const [source, otherwise] = at < 0 ? [rule, ''] : [rule.slice(0, at), rule.slice(at + 1)];
  const columns = [...source.matchAll(/\{([^{}]+)\}/g)].map(([, column = '']) => column.trim());
  if (columns.length === 0) {
    const column = source.trim();
    return { columns: [column], read: (row) => orElse(row[column] ?? '', otherwise) };
  }
  return {
    columns,
    read: (row) => {
      const cells = columns.map((column) => (row[column] ?? '').trim());
      // A pattern with an empty part would name something else.
      if (cells.some((cell) => cell === '')) return otherwise;
      return source.replaceAll(/\{([^{}]+)\}/g, (_, column: string) => (row[column.trim()] ?? '').trim());
    },
  };
};

const orElse = (cell: string, otherwise: string): string => (cell.trim() === '' ? otherwise : cell);

const wrong = (what: string): ServiceError =>
  new ServiceError('validation', what, {
    hint: `give it like --map "entity=user:{id},relation==memory:role,value=role"; members: ${MAPPED.join(', ')}`,
  });
