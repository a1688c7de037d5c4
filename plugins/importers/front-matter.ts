import { isObject } from './origin-values.ts';

const MAX_FRONT_MATTER = 64 * 1024;
/** The maximum nesting. The YAML parser is recursive, so deeper nesting could overflow its stack. */
const MAX_DEPTH = 200;
const MAX_LINES = 1_000;

export interface FrontMatter {
  readonly members: Readonly<Record<string, unknown>>;
  /** The reason why the block is not read as YAML; undefined for valid YAML. */
  readonly problem: string | undefined;
}

/** Reads front matter as YAML, or line by line if it is not valid YAML, as Basic Memory does. */
export const readFrontMatter = async (yaml: string): Promise<FrontMatter> => {
  const members = await parseYaml(yaml);
  return typeof members === 'string'
    ? { members: membersByLine(yaml), problem: members }
    : { members, problem: undefined };
};

/** Returns the members, or the reason why the text cannot be read as YAML. */
const parseYaml = async (yaml: string): Promise<Readonly<Record<string, unknown>> | string> => {
  if (yaml.trim() === '') return {};
  if (yaml.length > MAX_FRONT_MATTER) return 'front matter that is too large';
  if (depthOf(yaml) > MAX_DEPTH) return `front matter that is nested deeper than ${MAX_DEPTH} levels`;
  const { parseDocument, visit, isScalar } = await import('yaml');
  try {
    // The parser would compare each name with all others, and count the lines before each of its errors.
    const options = { schema: 'core', logLevel: 'silent', uniqueKeys: false, prettyErrors: false } as const;
    const document = parseDocument(yaml, options);
    let isTwice = false;
    visit(document, {
      Map(_, { items }) {
        const names = items.map(({ key }) => (isScalar(key) ? key.value : key));
        isTwice ||= new Set(names).size < names.length;
      },
    });
    const isBroken = isTwice || document.errors.length > 0;
    const value: unknown = isBroken ? undefined : document.toJS({ maxAliasCount: 10 });
    return isObject(value) ? value : 'front matter that is not valid YAML';
  } catch {
    return 'front matter that is not valid YAML';
  }
};

/** Returns an upper bound for the nesting of a YAML text, from its brackets, indentation and list marks. */
const depthOf = (yaml: string): number => {
  let brackets = 0;
  let deepest = 0;
  for (const line of yaml.split('\n')) {
    for (const mark of line) {
      if (mark === '[' || mark === '{') brackets += 1;
      if (mark === ']' || mark === '}') brackets = Math.max(0, brackets - 1);
      deepest = Math.max(deepest, brackets);
    }
    const lead = /^[-?:\s]*/.exec(line)?.[0] ?? '';
    deepest = Math.max(deepest, brackets + lead.length);
  }
  return deepest;
};

const NAME = /^[\p{L}_][\p{L}\p{N}_ -]{0,63}$/u;
const LIST_ITEM = /^\s*-\s(.*)$/s;
const MAX_LINE = 10_000;

/** Returns the first value of each name, from `name: value` lines and from `- item` lines below a bare `name:`. */
const membersByLine = (yaml: string): Readonly<Record<string, unknown>> => {
  const members = new Map<string, unknown>();
  let list: string[] | undefined;
  for (const line of yaml.split(/\r?\n/, MAX_LINES)) {
    if (line.length > MAX_LINE) continue;
    const [, item] = LIST_ITEM.exec(line) ?? [];
    if (item !== undefined) list?.push(bare(item));
    const colon = line.indexOf(':');
    if (colon === -1) continue;
    const name = line.slice(0, colon).trimEnd();
    const value = line.slice(colon + 1);
    if (!NAME.test(name) || /^\S/.test(value)) continue;
    list = value.trim() === '' ? [] : undefined;
    if (!members.has(name)) members.set(name, list ?? scalarOf(value));
  }
  return Object.fromEntries([...members].filter(([, value]) => !Array.isArray(value) || value.length > 0));
};

/** Returns the list in brackets, or else the whole text. */
const scalarOf = (value: string): string | readonly string[] => {
  const [, inside] = /^\[(.*)\]$/.exec(value.trim()) ?? [];
  return inside === undefined ? bare(value) : inside.split(',').map(bare);
};

const bare = (value: string): string => value.trim().replace(/^(["'])(.*)\1$/, '$2');
