import type { Settings } from '../kernel/plugins/plugin-config.ts';
import type { BootProblem } from '../kernel/problems/boot-problem.ts';
import { closestName } from '../kernel/text/closest-name.ts';
import { DEFAULT_CONFIG } from './default-config.ts';
import { PLUGIN_ALTERNATIVES, PLUGIN_CATALOG } from './plugin-catalog.ts';
import { isPlain } from './read-config-file.ts';

/** An enabled plugin, not yet imported. */
export interface PluginChoice {
  readonly name: string;
  /** The place of a third party's plugin, as the file spells it. */
  readonly from: string | undefined;
  readonly file: Settings | undefined;
  readonly overrides: Settings | undefined;
}

type Entry = boolean | Settings | string | undefined;
type Entries = Readonly<Record<string, Entry>> | undefined;

export interface PluginSources {
  readonly file: Entries;
  readonly overrides: Entries;
  /** Names of plugins that the program brings as objects; they are enabled by default. */
  readonly given: readonly string[];
}

/** Chooses the enabled plugins by the defaults, the file and the overrides; the last mention of a plugin decides. */
export const choosePlugins = (
  sources: PluginSources,
  problems: BootProblem[],
): { plugins: PluginChoice[]; disabled: string[] } => {
  const { given } = sources;
  const [file, overrides] = [withAlternatives(sources.file), withAlternatives(sources.overrides)];
  const defaults = DEFAULT_CONFIG.plugins ?? {};
  const plugins: PluginChoice[] = [];
  const disabled: string[] = [];
  for (const name of new Set([defaults, file, overrides].flatMap(Object.keys).concat(given))) {
    const [inFile, over] = [ownEntry(file, name), ownEntry(overrides, name)];
    const from = fromOf(over) ?? fromOf(inFile);
    const problem = entryProblem(name, [inFile, over], from, given);
    if (problem !== undefined) problems.push(problem);
    else if ((over ?? inFile ?? ownEntry(defaults, name)) === false) disabled.push(name);
    else
      plugins.push({ name, from: from as string | undefined, file: settingsIn(inFile), overrides: settingsIn(over) });
  }
  return { plugins, disabled };
};

/** Adds an entry for the plugin that replaces another one: `"search": "postgres"` names `search-postgres`. */
const withAlternatives = (entries: Entries = {}): NonNullable<Entries> => {
  const chosen = Object.entries(entries).flatMap(([name, entry]): [string, Entry][] => {
    const other = `${name}-${entry}`;
    if (typeof entry !== 'string' || !Object.hasOwn(PLUGIN_ALTERNATIVES, other)) return [[name, entry]];
    return [
      [name, false],
      [other, entries[other] ?? true],
    ];
  });
  return Object.fromEntries(chosen);
};

/** Reads own members only, because a plugin may be named like a member that every object inherits. */
const ownEntry = (entries: NonNullable<Entries>, name: string): Entry =>
  Object.hasOwn(entries, name) ? entries[name] : undefined;

const entryProblem = (
  name: string,
  entries: readonly Entry[],
  from: unknown,
  given: readonly string[],
): BootProblem | undefined => {
  const isOurs = Object.hasOwn(PLUGIN_CATALOG, name) || Object.hasOwn(PLUGIN_ALTERNATIVES, name);
  if (from === undefined && !isOurs && !given.includes(name)) return unknownPlugin(name);
  const wrong = entries.find((entry) => entry !== undefined && typeof entry !== 'boolean' && !isPlain(entry));
  if (wrong !== undefined) return wrongEntry(name, wrong);
  if (from === undefined || (typeof from === 'string' && from !== '')) return undefined;
  return { message: `plugins.${name}.from accepts a path or the name of a package` };
};

const wrongEntry = (name: string, entry: Entry): BootProblem => {
  const texts = Object.keys(PLUGIN_ALTERNATIVES)
    .filter((other) => other.startsWith(`${name}-`))
    .map((other) => other.slice(name.length + 1));
  const near = typeof entry === 'string' ? closestName(entry, texts) : undefined;
  return {
    message: `plugins.${name} accepts ${['true', 'false', ...texts.map((text) => `"${text}"`)].join(', ')}, or a JSON object of settings`,
    ...(near === undefined ? {} : { hint: `did you mean "${near}"?` }),
  };
};

const fromOf = (entry: Entry): unknown => (isPlain(entry) ? entry['from'] : undefined);

const unknownPlugin = (name: string): BootProblem => {
  const known = Object.keys(PLUGIN_CATALOG);
  const near = closestName(name, [...known, ...Object.keys(PLUGIN_ALTERNATIVES)]);
  return {
    message: `there is no plugin named ${JSON.stringify(name)}`,
    hint: near === undefined ? `ours are ${known.join(', ')}; a third party's needs "from"` : `did you mean ${near}?`,
  };
};

const settingsIn = (entry: Entry): Settings | undefined => {
  if (!isPlain(entry)) return undefined;
  const { from, ...settings } = entry;
  return settings;
};
