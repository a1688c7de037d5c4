import { type Environment, givenText } from '../kernel/plugins/environment-value.ts';
import type { SettingSources, Settings } from '../kernel/plugins/plugin-config.ts';
import type { BootProblem } from '../kernel/problems/boot-problem.ts';
import { closestName } from '../kernel/text/closest-name.ts';
import {
  Authorizer,
  type AuthorizerAdapter,
  Clock,
  type ClockAdapter,
  Embedder,
  type EmbedderAdapter,
  FactStore,
  KeySource,
  type KeySourceAdapter,
  type Schema,
  type StoreAdapter,
  schema,
  Transport,
  type TransportAdapter,
} from '../ports/ports.ts';
import {
  AUTHORIZERS,
  type Catalog,
  CLOCKS,
  EMBEDDERS,
  KEY_SOURCES,
  PREVIOUS_EMBEDDERS,
  STORES,
  TRANSPORTS,
} from './adapter-catalog.ts';
import { DEFAULT_CONFIG } from './default-config.ts';
import { type AdapterSlot, loadThirdPartyAdapter } from './load-third-party-adapter.ts';
import { EMBEDDER_VARIABLES, PREVIOUS_VARIABLES } from './previous-variables.ts';
import type { AdapterSlotName, NodeConfigInput } from './read-config-file.ts';

/** An adapter with its settings, whose type only the adapter knows. */
export interface AdapterChoice<A> {
  readonly adapter: A;
  readonly settings: unknown;
}

export interface ChosenAdapters {
  readonly store: AdapterChoice<StoreAdapter<unknown>>;
  readonly transport: AdapterChoice<TransportAdapter<unknown>>;
  readonly embedder: AdapterChoice<EmbedderAdapter<unknown>>;
  /** The former embedder. Absent: the node searches only by vectors of its own embedder. */
  readonly previousEmbedder: AdapterChoice<EmbedderAdapter<unknown>> | undefined;
  readonly clock: AdapterChoice<ClockAdapter<unknown>>;
  /** The authorizer. Absent: the plugins check credentials. */
  readonly authorizer: AdapterChoice<AuthorizerAdapter<unknown>> | undefined;
  /** The source of the operator's keys. Absent: nothing is sealed. */
  readonly keySource: AdapterChoice<KeySourceAdapter<unknown>> | undefined;
}

/** A part of the node with settings. `isOfPackage` is true for a part of the package. */
export type SettledPart = Required<Pick<SettingSources, 'owner' | 'isOfPackage'>>;

export interface AdapterSources {
  readonly file: NodeConfigInput;
  readonly overrides: NodeConfigInput;
  readonly env: Environment;
  /** The folder to which paths in the file are relative. */
  readonly folder: string;
  /** Checks settings of the owner against the schema, and reports the source of each. */
  settle<T>(schema: Schema<T>, part: SettledPart, given?: Settings, over?: Settings): T;
}

/** Chooses the adapters of the node, each with its settings. */
export const chooseAdapters = async (sources: AdapterSources, problems: BootProblem[]): Promise<ChosenAdapters> => {
  const { env } = sources;
  // A database URL selects the PostgreSQL store by default.
  const databaseNamed = givenText(env, 'SVC_DATABASE_URL') ? 'postgres' : undefined;
  return {
    store: await required(sources, SLOTS.store, STORES, databaseNamed, problems),
    transport: await required(sources, SLOTS.transport, TRANSPORTS, undefined, problems),
    embedder: await required(sources, SLOTS.embedder, EMBEDDERS, embedderNamed(env, EMBEDDER_VARIABLES), problems),
    previousEmbedder: await choose(
      sources,
      SLOTS.previousEmbedder,
      PREVIOUS_EMBEDDERS,
      embedderNamed(env, PREVIOUS_VARIABLES),
      problems,
    ),
    clock: await required(sources, SLOTS.clock, CLOCKS, undefined, problems),
    authorizer: await choose(sources, SLOTS.authorizer, AUTHORIZERS, undefined, problems),
    keySource: await choose(sources, SLOTS.keySource, KEY_SOURCES, keySourceNamed(env, problems), problems),
  };
};

type Slot = AdapterSlot & { readonly name: AdapterSlotName };

const SLOTS = {
  store: { name: 'store', port: FactStore, define: 'defineStore', functions: ['place'] },
  transport: { name: 'transport', port: Transport, define: 'defineTransport', functions: ['host'] },
  embedder: { name: 'embedder', port: Embedder, define: 'defineEmbedder', functions: [] },
  previousEmbedder: { name: 'previousEmbedder', port: Embedder, define: 'defineEmbedder', functions: [] },
  clock: { name: 'clock', port: Clock, define: 'defineClock', functions: [] },
  authorizer: { name: 'authorizer', port: Authorizer, define: 'defineAuthorizer', functions: [] },
  keySource: { name: 'keySource', port: KeySource, define: 'defineKeySource', functions: [] },
} as const satisfies Readonly<Record<AdapterSlotName, Slot>>;

/** Returns the embedder that a configured endpoint or model selects by default. */
const embedderNamed = (env: Environment, prefix: string): string | undefined => {
  if (givenText(env, `${prefix}URL`)) return 'http';
  if (givenText(env, `${prefix}MODEL_FOLDER`)) return 'local-model';
  return givenText(env, `${prefix}SENTENCE_MODEL`) ? 'sentence-model' : undefined;
};

/** Returns the source that a configured file or command selects by default. Adds a problem where both are. */
const keySourceNamed = (env: Environment, problems: BootProblem[]): string | undefined => {
  const isGiven = (name: string): boolean => givenText(env, name) !== undefined;
  const [file, command] = ['SVC_ENCRYPTION_KEY_FILE', 'SVC_ENCRYPTION_KEY_COMMAND'].map(isGiven);
  if (file && command) {
    problems.push({
      message: 'SVC_ENCRYPTION_KEY_FILE and SVC_ENCRYPTION_KEY_COMMAND are both set',
      hint: 'set one of them; earlier keys stand after the present one in the same source',
    });
  }
  if (file) return 'file';
  return command ? 'command' : undefined;
};

type AnyAdapter = { readonly settings?: Schema<unknown> };

/** Returns a chosen adapter, or a default in place of a refused one, whose problem stops the start. */
const required = async <A extends AnyAdapter>(
  sources: AdapterSources,
  slot: Slot,
  known: Catalog<A>,
  byVariable: string | undefined,
  problems: BootProblem[],
): Promise<AdapterChoice<A>> => {
  const chosen = await choose(sources, slot, known, byVariable, problems);
  if (chosen !== undefined) return chosen;
  const adapter = Object.values(known)[0] as A;
  const part = { owner: `adapters.${slot.name}`, isOfPackage: true };
  return { adapter, settings: sources.settle(adapter.settings ?? NO_SETTINGS, part) };
};

const choose = async <A extends AnyAdapter>(
  { file, overrides, folder, settle }: AdapterSources,
  slot: Slot,
  known: Catalog<A>,
  byVariable: string | undefined,
  problems: BootProblem[],
): Promise<AdapterChoice<A> | undefined> => {
  const owner = `adapters.${slot.name}`;
  const [inFile, over] = [file.adapters?.[slot.name], overrides.adapters?.[slot.name]];
  for (const part of [inFile, over]) {
    if (part?.['use'] === undefined || part['from'] === undefined) continue;
    problems.push({ message: `${owner} accepts either use or from`, hint: 'from is for an adapter of somebody else' });
  }
  const from = over?.['from'] ?? (over?.['use'] === undefined ? inFile?.['from'] : undefined);
  const usedByFile = inFile?.['use'] ?? DEFAULT_CONFIG.adapters?.[slot.name]?.['use'];
  const use = from === undefined ? (over?.['use'] ?? byVariable ?? usedByFile) : undefined;
  const adapter =
    from === undefined
      ? pick(known, use, slot, problems)
      : await loadThirdPartyAdapter<A>(slot, { from, folder }, problems);
  if (adapter === undefined) return undefined;
  // Ignores settings of an adapter that was not chosen.
  const isOfFile =
    from === undefined ? inFile?.['from'] === undefined && usedByFile === use : inFile?.['from'] === from;
  const given = isOfFile ? settingsIn(inFile) : undefined;
  const part = { owner, isOfPackage: from === undefined };
  return { adapter, settings: settle(adapter.settings ?? NO_SETTINGS, part, given, settingsIn(over)) };
};

const pick = <A>(known: Catalog<A>, use: unknown, slot: Slot, problems: BootProblem[]): A | undefined => {
  if (use === undefined) return undefined;
  if (Object.hasOwn(known, String(use))) return known[String(use)];
  const names = Object.keys(known).sort().join(', ');
  const near = typeof use === 'string' ? closestName(use, Object.keys(known)) : undefined;
  problems.push({
    message:
      names === ''
        ? `adapters.${slot.name} accepts "from" alone: the path or package of an adapter`
        : `adapters.${slot.name}.use accepts one of ${names}`,
    ...(near === undefined ? {} : { hint: `did you mean ${near}?` }),
  });
  return undefined;
};

const NO_SETTINGS: Schema<unknown> = schema({ type: 'object', additionalProperties: false, properties: {} });

const settingsIn = (part: Settings | undefined): Settings | undefined => {
  if (part === undefined) return undefined;
  const { use, from, ...settings } = part;
  return settings;
};
