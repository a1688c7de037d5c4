import type { BootProblem } from '../problems/boot-problem.ts';
import { closestName } from '../text/closest-name.ts';
import { isWord } from '../vocabulary/define-vocabulary.ts';
import type { AnyPlugin } from './plugin-definition.ts';

/** Returns the members of a plugin that have another form than they must have, and misspelled ones. */
export const partProblems = (plugin: AnyPlugin): BootProblem[] => [
  ...misspelled(plugin),
  ...wrongRequirements(plugin),
  ...LISTS.flatMap(({ part, isItem, wrong, hint }) => {
    const list: unknown = plugin[part];
    if (list === undefined) return [];
    if (!Array.isArray(list)) return [{ message: `${plugin.name} has a ${part} that is no list`, hint: LIST_HINT }];
    return list.every(isItem) ? [] : [{ message: `${plugin.name} ${wrong}`, hint }];
  }),
];

const LIST_HINT = 'write the items in square brackets, also a single one';

/** A member that resembles none is left alone, because a plugin may be an object of a class with members of its own. */
const misspelled = (plugin: AnyPlugin): BootProblem[] =>
  Object.keys(plugin)
    .filter((member) => !MEMBERS.includes(member))
    .flatMap((member) => {
      const near = closestName(member, MEMBERS);
      if (near === undefined || near in plugin) return [];
      return [{ message: `${plugin.name} has a member ${member}, which no plugin has`, hint: `did you mean ${near}?` }];
    });

const NO_REF = { wrong: 'requires or provides something that is not a ref', hint: 'use defineRef' };

const wrongRequirements = ({ name, requires }: AnyPlugin): BootProblem[] => {
  const given: unknown = requires ?? {};
  const needs = isObject(given) && !Array.isArray(given) ? Object.values(given) : [given];
  const isRight = needs.every((need) => isRef(isObject(need) && 'optional' in need ? need['optional'] : need));
  return isRight ? [] : [{ message: `${name} ${NO_REF.wrong}`, hint: NO_REF.hint }];
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isRef = (value: unknown): boolean => isObject(value) && typeof value['id'] === 'string';

const isMigration = (value: unknown): boolean => {
  if (!isObject(value)) return false;
  const { number, name, up } = value;
  return Number.isSafeInteger(number) && Number(number) > 0 && typeof name === 'string' && typeof up === 'function';
};

const namesTable = (value: unknown): boolean => isObject(value) && typeof value['table'] === 'string';

const isCommand = (value: unknown): boolean => {
  if (!isObject(value) || typeof value['name'] !== 'string') return false;
  const { commands, run } = value;
  return commands === undefined ? typeof run === 'function' : Array.isArray(commands) && commands.every(isCommand);
};

interface ListPart {
  readonly part: keyof AnyPlugin;
  /** Returns whether a value has the form of an item. */
  readonly isItem: (value: unknown) => boolean;
  /** The end of a sentence about a plugin with another item. */
  readonly wrong: string;
  readonly hint: string;
}

const TABLE_HINT = "name the table: { table: '...', ... }";
const LISTS: readonly ListPart[] = [
  { part: 'provides', isItem: isRef, ...NO_REF },
  {
    part: 'declares',
    isItem: isWord,
    wrong: 'declares something that is not a word',
    hint: 'use defineErrorCode, definePermission or another function that makes words',
  },
  {
    part: 'migrations',
    isItem: isMigration,
    wrong: 'has a migration without a positive whole number, a name or an up function',
    hint: "describe it: { number: 1_000_001, name: '...', up: async (...) => ... }",
  },
  { part: 'sealed', isItem: namesTable, wrong: 'has an item of sealed without a table', hint: TABLE_HINT },
  { part: 'contents', isItem: namesTable, wrong: 'has an item of contents without a table', hint: TABLE_HINT },
  {
    part: 'journals',
    isItem: isObject,
    wrong: 'has a journal that is no object',
    hint: "name its file: { file: '...' }",
  },
  {
    part: 'commands',
    isItem: isCommand,
    wrong: 'has a command without a name or a run function',
    hint: 'use defineCommand',
  },
];

/** All members. The type makes an omission an error. */
const MEMBERS: readonly string[] = Object.keys({
  name: true,
  version: true,
  kernelApi: true,
  summary: true,
  requires: true,
  provides: true,
  declares: true,
  config: true,
  migrations: true,
  sealed: true,
  contents: true,
  journals: true,
  commands: true,
  setup: true,
  inspect: true,
} satisfies Record<keyof AnyPlugin, true>);
