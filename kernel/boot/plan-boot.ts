import { Authorizer, Clock, FactStore, type Migration, type OwnedMigration, Transport } from '../../ports/ports.ts';
import { Random } from '../crypto/random.ts';
import { SignatureWork } from '../crypto/signature-work.ts';
import { NodeDescription } from '../description/node-description.ts';
import { FactErasure } from '../facts/fact-erasure.ts';
import { FactFeed } from '../facts/fact-feed.ts';
import { FactFields } from '../facts/fact-fields.ts';
import { FactJson } from '../facts/fact-json.ts';
import { FactRestore } from '../facts/fact-restore.ts';
import { FactText } from '../facts/fact-text.ts';
import { Facts } from '../facts/facts.ts';
import { LocalRequests } from '../http/local-requests.ts';
import { Turns } from '../http/person-turns.ts';
import { NodeNotes } from '../identity/node-notes.ts';
import { NodeSelf } from '../identity/node-self.ts';
import { NodeSettings } from '../identity/node-settings.ts';
import { Leases } from '../leases/leases-api.ts';
import { StoreCopies } from '../leases/store-copies.ts';
import { Cursors } from '../pages/cursors.ts';
import { checkPlugin, isWellFormed, tablePrefix } from '../plugins/check-plugin.ts';
import type { Environment } from '../plugins/environment-value.ts';
import { orderPlugins, requirementsOf } from '../plugins/order-plugins.ts';
import { planMigrations } from '../plugins/plan-migrations.ts';
import { resolveSettings, type SettingReport, type Settings } from '../plugins/plugin-config.ts';
import type { AnyPlugin } from '../plugins/plugin-definition.ts';
import type { BootProblem } from '../problems/boot-problem.ts';
import { StoredRows } from '../store/stored-rows.ts';
import { Telemetry } from '../telemetry/telemetry-api.ts';
import { ServedTenants } from '../tenants/served-tenants.ts';
import { TenantRemoval } from '../tenants/tenant-removal.ts';
import type { Word } from '../vocabulary/define-vocabulary.ts';
import { collectWords, KERNEL_OWNER, type OwnedWord, Vocabulary } from '../vocabulary/vocabulary.ts';
import { commandProblems } from './command-problems.ts';
import { KERNEL_WORDS } from './kernel-words.ts';

/** An enabled plugin with its settings from the file and the command. */
export interface Installation {
  readonly plugin: AnyPlugin;
  /**
   * True for a plugin of the package. Its schemas compile at their first use, because the tests of the package compile
   * them. Those of other plugins compile before the node serves, so that an invalid one stops the start.
   */
  readonly isOfPackage?: boolean | undefined;
  readonly file?: Settings | undefined;
  readonly overrides?: Settings | undefined;
}

export interface PlanInput {
  readonly installations: readonly Installation[];
  readonly coreMigrations: readonly Migration[];
  readonly env: Environment;
  /** The ids of the refs that adapters provide in addition to those of every node. */
  readonly adapterRefs: ReadonlySet<string>;
  readonly node: NodeSettings;
  /** Words that stay in force while the plugin that declares them is disabled. */
  readonly reservedWords?: readonly OwnedWord[] | undefined;
  /** Whether to put plugin files into the data folder, regardless of other settings. */
  readonly usesOnlyDataFolder?: boolean | undefined;
  /** Returns the name of a disabled plugin that would provide the ref. */
  readonly suggestProvider: (refId: string) => string | undefined;
}

/** One plugin, ready to be set up. */
export interface PlannedPlugin {
  readonly plugin: AnyPlugin;
  readonly isOfPackage?: boolean | undefined;
  readonly config: unknown;
  readonly settings: readonly SettingReport[];
}

export interface BootPlan {
  /** The plugins in the order of setup. */
  readonly plugins: readonly PlannedPlugin[];
  readonly migrations: readonly OwnedMigration[];
  readonly vocabulary: Vocabulary;
}

/** The refs that the kernel provides before any plugin, and that plugins must not provide. */
const KERNEL_REFS: readonly { readonly id: string }[] = [
  Clock,
  Random,
  NodeSelf,
  NodeNotes,
  NodeSettings,
  NodeDescription,
  LocalRequests,
  Turns,
  Facts,
  FactFeed,
  FactErasure,
  FactRestore,
  ServedTenants,
  TenantRemoval,
  FactFields,
  FactJson,
  FactText,
  Cursors,
  Leases,
  SignatureWork,
  StoreCopies,
  StoredRows,
  Telemetry,
  Vocabulary,
];
/** The refs that every node has and a plugin may replace. */
const REPLACEABLE_REFS: readonly { readonly id: string }[] = [Transport];

/** Plans a boot without opening anything. Adds all problems to the list; the plan is valid only without any. */
export const planBoot = (input: PlanInput, problems: BootProblem[]): BootPlan => {
  for (const { plugin } of input.installations) problems.push(...checkPlugin(plugin));
  const plugins = input.installations.map(({ plugin }) => plugin).filter(isWellFormed);
  checkNames(plugins, problems);
  problems.push(...commandProblems(plugins));
  const providers = indexProviders(plugins, problems);
  for (const plugin of plugins) checkRequirements(plugin, providers, input, problems);
  if (input.node.authRequired && !providers.has(Authorizer.id) && !input.adapterRefs.has(Authorizer.id)) {
    problems.push({
      message: 'requests need a key, but no plugin checks keys',
      hint: "enable 'keys', or set SVC_AUTH_REQUIRED=false for local development",
    });
  }
  const ordered = orderPlugins(plugins, providers, problems);
  const migrations = planMigrations(input.coreMigrations, plugins, problems);
  const vocabulary = collectWords(allWords(plugins, input.reservedWords), problems);
  const byPlugin = new Map(input.installations.map((installation) => [installation.plugin, installation]));
  const planned = ordered.map((plugin) => {
    const { isOfPackage, file, overrides } = byPlugin.get(plugin) ?? {};
    const { env, usesOnlyDataFolder } = input;
    const { dataFolder } = input.node;
    const owner = `plugins.${plugin.name}`;
    const sources = { owner, isOfPackage, env, dataFolder, usesOnlyDataFolder, file, overrides };
    const resolved = resolveSettings(plugin.config, sources, problems);
    return { plugin, isOfPackage, config: resolved?.value, settings: resolved?.report ?? [] };
  });
  return { plugins: planned, migrations, vocabulary };
};

const allWords = (plugins: readonly AnyPlugin[], reserved: readonly OwnedWord[] = []): readonly OwnedWord[] => {
  const declared = [...ownedBy(KERNEL_OWNER, KERNEL_WORDS), ...plugins.flatMap(wordsOf)];
  const isDeclared = ({ owner, word }: OwnedWord): boolean =>
    declared.some((one) => one.owner === owner && one.word.vocabulary === word.vocabulary && one.word.id === word.id);
  return [...declared, ...reserved.filter((one) => !isDeclared(one))];
};

const wordsOf = ({ name, declares = [] }: AnyPlugin): OwnedWord[] => ownedBy(name, declares);

const ownedBy = (owner: string, words: readonly Word[]): OwnedWord[] => words.map((word) => ({ word, owner }));

/** Refuses two plugins with one name, and a plugin whose tables another one could access. */
const checkNames = (plugins: readonly AnyPlugin[], problems: BootProblem[]): void => {
  plugins.forEach((plugin, place) => {
    for (const other of plugins.slice(place + 1)) {
      const [a, b] = [tablePrefix(plugin.name), tablePrefix(other.name)];
      if (plugin.name === other.name) {
        problems.push({ message: `two plugins are named ${plugin.name}`, hint: 'rename or disable one of them' });
      } else if (a.startsWith(b) || b.startsWith(a)) {
        problems.push({
          message: `the tables of ${plugin.name} and ${other.name} cannot be told apart: both start with ${a.length < b.length ? a : b}`,
          hint: 'rename or disable one of them',
        });
      }
    }
  });
};

const indexProviders = (plugins: readonly AnyPlugin[], problems: BootProblem[]): Map<string, AnyPlugin> => {
  const providers = new Map<string, AnyPlugin>();
  const fixed = new Set([...KERNEL_REFS, FactStore].map(({ id }) => id));
  for (const plugin of plugins) {
    for (const { id } of plugin.provides ?? []) {
      const first = providers.get(id);
      if (fixed.has(id)) problems.push({ message: `${plugin.name} cannot provide ${id}: it is the kernel's own` });
      else if (first === undefined) providers.set(id, plugin);
      else if (first !== plugin) {
        problems.push({
          message: `${id} is provided by ${first.name} and by ${plugin.name}`,
          hint: 'disable one of them',
        });
      }
    }
  }
  return providers;
};

const checkRequirements = (
  plugin: AnyPlugin,
  providers: ReadonlyMap<string, AnyPlugin>,
  { adapterRefs, suggestProvider, installations }: PlanInput,
  problems: BootProblem[],
): void => {
  const present = new Set([...KERNEL_REFS, ...REPLACEABLE_REFS].map(({ id }) => id));
  for (const { ref, optional } of requirementsOf(plugin)) {
    if (ref.id === FactStore.id) {
      problems.push({
        message: `${plugin.name} requires ${ref.id}, which plugins do not get`,
        hint: 'require Facts for facts, and use the tables of the context for the rest',
      });
    } else if (providers.get(ref.id) === plugin) {
      problems.push({ message: `${plugin.name} both requires and provides ${ref.id}` });
    } else if (!optional && !present.has(ref.id) && !adapterRefs.has(ref.id) && !providers.has(ref.id)) {
      const suggestion = suggestProvider(ref.id);
      const enable = suggestion === undefined ? 'enable a plugin that provides it' : `enable '${suggestion}'`;
      const isOfPackage = installations.some((one) => one.plugin === plugin && one.isOfPackage === true);
      // The configuration takes "false" for names of the package alone.
      const off = isOfPackage
        ? `switch ${plugin.name} off as well: { "plugins": { "${plugin.name}": false } }`
        : `leave ${plugin.name} out as well`;
      problems.push({ message: `${plugin.name} requires ${ref.id}`, hint: `${enable}, or ${off}` });
    }
  }
};
