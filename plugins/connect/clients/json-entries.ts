import type { JsonEdit } from '../config-edit.ts';
import { readJson, valueAt } from '../json-edit.ts';
import type { CommandOf, HookName, WrittenEntry } from './client.ts';

/** The member `name` of the object that holds a client's servers. */
export const serverMember = (group: string, name: string, value: object): JsonEdit => ({
  form: 'json',
  changes: [{ kind: 'member', path: [group, name], value }],
});

/** Reads an entry with the member names that all JSON clients share. */
export const readServerMember =
  (group: string) =>
  async (text: string, name: string): Promise<WrittenEntry | undefined> =>
    writtenEntry(valueAt(await readJson(text), [group, name]));

export const writtenEntry = (found: unknown): WrittenEntry | undefined => {
  if (typeof found !== 'object' || found === null) return undefined;
  const { command, args, env, environment, url, httpUrl, headers } = found as Readonly<Record<string, unknown>>;
  // Some clients write the program and its arguments as one list.
  const [program, ...more]: readonly unknown[] = Array.isArray(command) ? command : [command];
  return {
    command: textOf(program),
    args: [...more, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string'),
    env: textsOf(env ?? environment),
    url: textOf(url ?? httpUrl),
    headers: textsOf(headers),
    bearerVariable: textOf((found as Readonly<Record<string, unknown>>)['bearer_token_env_var']),
  };
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const textsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(typeof value === 'object' && value !== null ? value : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );

/** The client's event, and its timeout, for each of our hooks. */
export type EventNames = Readonly<Partial<Record<HookName, { readonly event: string; readonly timeout?: number }>>>;

/** Adds one item to the list of each event. `spell` converts a command to the client's format. */
export const hookItems = (
  events: EventNames,
  commandOf: CommandOf,
  spell: (command: string, timeout: number | undefined) => object,
): JsonEdit['changes'] =>
  Object.entries(events).flatMap(([hook, { event, timeout }]) => {
    const command = commandOf(hook as HookName);
    if (command === undefined) return [];
    const marker = `hook ${hook} --client`;
    return [{ kind: 'item' as const, path: ['hooks', event], value: spell(command, timeout), marker }];
  });
