import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSystemClock } from '../adapters/clock/system-clock.ts';
import { createPinoLogger } from '../adapters/log/pino-logger.ts';
import { createSystemRandom } from '../adapters/random/system-random.ts';
import { CORE_MIGRATIONS } from '../adapters/sql/core-migrations.ts';
import { createKernel } from '../kernel/boot/create-kernel.ts';
import type { Kernel, KernelOptions } from '../kernel/boot/kernel.ts';
import type { Installation } from '../kernel/boot/plan-boot.ts';
import type { DescribedNode } from '../kernel/description/node-description.ts';
import type { NodeSettings } from '../kernel/identity/node-settings.ts';
import type { Logger } from '../kernel/log/logger.ts';
import { isLoopbackHost } from '../kernel/net/loopback-host.ts';
import type { Environment } from '../kernel/plugins/environment-value.ts';
import type { AnyPlugin } from '../kernel/plugins/plugin-definition.ts';
import { settingProperties } from '../kernel/plugins/setting-property.ts';
import { type BootProblem, problemOf } from '../kernel/problems/boot-problem.ts';
import type { ContentColumns } from '../kernel/store/content-border.ts';
import type { Clock, KeySource, Listener, ObjectStores } from '../ports/ports.ts';
import { type AdapterOverrides, bindAdapters } from './bind-adapters.ts';
import { cacheMemoryOf } from './cache-memory.ts';
import type { PluginChoice } from './choose-plugins.ts';
import { addressesWithoutDatabase, dishonouredVariables } from './contract-variables.ts';
import { createKeySource } from './create-key-source.ts';
import type { BackupPlaces } from './key-copies.ts';
import { loadThirdPartyPlugin } from './load-third-party-plugin.ts';
import { loadNodeConfig, type NodeConfig } from './node-config.ts';
import { createNodeSeal, type NodeSeal } from './node-seal.ts';
import { workerCount } from './node-settings.ts';
import { createObjectStores } from './object-stores.ts';
import { openStore, partsOf } from './open-store.ts';
import { importBundled, PLUGIN_CATALOG, suggestProvider } from './plugin-catalog.ts';
import type { NodeConfigInput } from './read-config-file.ts';
import { RESERVED_WORDS } from './reserved-words.ts';
import { storePlace } from './store-place.ts';
import { unusedVariables } from './unused-variables.ts';

const MAIN = fileURLToPath(new URL('main.js', import.meta.url));

export interface NodeOptions {
  /** The path of the configuration file. Default: no file, only defaults and variables. */
  readonly configFile?: string | undefined;
  readonly env: Environment;
  /** Settings that override variables and file. */
  readonly overrides?: NodeConfigInput;
  /** Adapters that replace those of the configuration, for tests and embedding programs. */
  readonly adapters?: AdapterOverrides;
  /** Plugins as objects, in addition to those of the catalog, or in place of one with the same name. */
  readonly plugins?: readonly AnyPlugin[];
  /**
   * Index, from 0, of one of several processes that serve together. Its log lines name the process, and it leaves
   * common work to the process that prepared them.
   */
  readonly worker?: number | undefined;
  /** Whether log lines are readable also outside a terminal, because they stand among the words of a command. */
  readonly logsForPeople?: boolean | undefined;
  readonly inspectReplies?: KernelOptions['inspectReplies'];
  /** Whether to put plugin files into the data folder, regardless of other settings. */
  readonly usesOnlyDataFolder?: boolean | undefined;
}

/** A composed node; nothing is opened before `start`. */
export interface Node {
  readonly kernel: Kernel;
  readonly config: NodeConfig;
  readonly settings: NodeSettings;
  readonly log: Logger;
  readonly clock: Clock;
  readonly objects: ObjectStores;
  /** The keys of the operator. Undefined for a node that seals nothing. */
  readonly keySource: KeySource | undefined;
  readonly seal: NodeSeal;
  /** Returns the columns of all plugins that repeat what somebody said, also of disabled ones. */
  contents(): Promise<readonly ContentColumns[]>;
  /** Boots and serves. */
  start(): Promise<Listener>;
  /** Boots without serving, for work that comes once before several processes serve. */
  prepare(): Promise<void>;
  /** Drains, then closes everything within ten seconds. Idempotent, and harmless before `start`. */
  stop(): Promise<void>;
  /** Describes the node; boots it if needed. */
  describe(): Promise<DescribedNode>;
}

/**
 * The composition root: makes one node of configuration, plugins and adapters. Rejects with a `BootError` that holds
 * every problem which shows without opening anything.
 */
export const createNode = async (options: NodeOptions): Promise<Node> => {
  const { env, adapters = {}, plugins: given = [] } = options;
  const config = await loadNodeConfig({ ...options, given: given.map(({ name }) => name) });
  const problems: BootProblem[] = [...config.problems, ...exposureProblems(config), ...unaskedProblems(config)];
  const installations = await install(config, given, problems);
  const used = [
    ...config.report.map(({ variable }) => variable),
    ...installations.flatMap(({ plugin }) => variablesOf(plugin)),
  ];
  problems.push(...(await dishonouredVariables(env, used)), ...addressesWithoutDatabase(env, used));
  const log = adapters.log ?? logOf(config, options);
  const random = adapters.random ?? createSystemRandom();
  const parts = partsOf(log, createSystemClock(), random);
  const clock = adapters.clock ?? (await config.clock.adapter.create(config.clock.settings, parts));
  const environment = { ...parts, clock };
  const keySource = createKeySource(config, environment);
  const objects = createObjectStores(env, keySource);
  const seal = createNodeSeal({
    config,
    keySource,
    log,
    objects,
    openClear: () => openStore(config, log),
    // The copies of the keys belong to the store of the node, not to a throw-away one.
    backupPlaces: options.usesOnlyDataFolder ? undefined : () => kernel.configOf('backup') as BackupPlaces,
  });
  const { node, transport } = config;
  const switchedOff = () => Promise.all(config.disabled.flatMap((name) => PLUGIN_CATALOG[name]?.() ?? []));
  const allPlugins = async () => [...installations.map(({ plugin }) => plugin), ...(await switchedOff())];
  const settings = nodeSettingsOf(config, options, allPlugins);
  const kernel = createKernel({
    installations,
    coreMigrations: CORE_MIGRATIONS,
    identity: { serviceName: node.serviceName, nodeId: node.id, nodeUrl: node.url },
    node: settings,
    usesOnlyDataFolder: options.usesOnlyDataFolder,
    allowsOrigin: transport.adapter.allowsOrigin?.(transport.settings) ?? (() => false),
    env,
    log,
    settings: config.report,
    problems,
    suggestProvider,
    reservedWords: RESERVED_WORDS,
    switchedOff,
    inspectReplies: options.inspectReplies,
    adapters: bindAdapters({ given: adapters, config, environment, random, objects, seal }, () => kernel.settings),
  });
  const beforeStart = once(async () => {
    warnOfUnusedVariables(env, used, log);
    await keySource?.readKeys();
  });
  return {
    kernel,
    config,
    settings,
    log,
    clock,
    objects,
    keySource,
    seal,
    contents: async () => (await allPlugins()).flatMap(({ contents }) => contents ?? []),
    prepare: async () => {
      await beforeStart();
      await kernel.boot();
    },
    start: async () => {
      if (options.worker === undefined) await beforeStart();
      const listener = await kernel.start();
      log.info('the node serves', { url: listener.url });
      return listener;
    },
    stop: () => kernel.stop(),
    describe: () => kernel.describe(),
  };
};

/** `prepare` and `start` both begin with this work, and a command may call `prepare` before `start`. */
const once = (work: () => Promise<void>): (() => Promise<void>) => {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
};

const logOf = ({ node }: NodeConfig, { worker, logsForPeople }: NodeOptions): Logger =>
  createPinoLogger({
    level: node.logLevel,
    fields: worker === undefined ? undefined : { pid: process.pid },
    isForPeople: logsForPeople,
  });

/** Returns the part of the configuration that plugins may read. */
const nodeSettingsOf = (
  config: NodeConfig,
  { worker, configFile }: NodeOptions,
  allPlugins: () => Promise<readonly AnyPlugin[]>,
): NodeSettings => {
  const { node, transport } = config;
  const place = storePlace(config);
  return {
    serviceName: node.serviceName,
    displayName: node.displayName,
    authRequired: node.authRequired,
    maxBodyBytes: node.maxBodyBytes,
    trustedProxies: node.trustedProxies,
    crossOrigin: transport.adapter.crossOrigin?.(transport.settings) ?? { configured: false, devLocalhost: false },
    workers: workerCount(node),
    workerPlace: worker,
    pluginCacheBytes: cacheMemoryOf(node).ofPlugins,
    drainDelayMs: node.drainDelayS * 1_000,
    maxStampLeadMs: node.maxStampLeadS * 1_000,
    dataFolder: place.dataFolder,
    storeLocation: place.location,
    commandLine: (command) => [
      process.execPath,
      MAIN,
      ...command,
      ...(configFile === undefined ? [] : ['--config', resolve(configFile)]),
    ],
    journals: async () => (await allPlugins()).flatMap(({ journals }) => journals ?? []),
  };
};

const warnOfUnusedVariables = (env: Environment, used: Iterable<string | undefined>, log: Logger): void => {
  for (const { name, near } of unusedVariables(env, used)) {
    const hint = near === undefined ? {} : { hint: `did you mean ${near}?` };
    log.warn('a variable is set that nothing in this node reads', { variable: name, ...hint });
  }
};

/** Returns a problem when a node without keys would be reachable from other machines. */
const exposureProblems = ({ node, transport }: NodeConfig): BootProblem[] =>
  node.authRequired || node.allowInsecure || isLoopbackHost(transport.adapter.host(transport.settings))
    ? []
    : [
        {
          message: 'a node that needs no keys listens on an address that others can reach',
          hint: 'set SVC_HOST=127.0.0.1, or SVC_AUTH_REQUIRED=true, or, if you mean it, SVC_ALLOW_INSECURE=true',
        },
      ];

/** Returns a problem when the configuration names an authorizer but switches authentication off. */
const unaskedProblems = ({ node, authorizer }: NodeConfig): BootProblem[] =>
  authorizer === undefined || node.authRequired
    ? []
    : [
        {
          message: 'adapters.authorizer is set, but no request needs a credential',
          hint: 'set SVC_AUTH_REQUIRED=true, or remove adapters.authorizer',
        },
      ];

/** Imports the enabled plugins, and nothing else. */
const install = async (
  config: NodeConfig,
  given: readonly AnyPlugin[],
  problems: BootProblem[],
): Promise<Installation[]> => {
  const installations: Installation[] = [];
  for (const choice of config.plugins) {
    const brought = given.filter(({ name }) => name === choice.name);
    const imported = brought.length > 0 ? undefined : await importPlugin(choice, config.folder, problems);
    const { file, overrides } = choice;
    const isOfPackage = imported !== undefined && choice.from === undefined;
    for (const plugin of imported === undefined ? brought : [imported]) {
      installations.push({ plugin, isOfPackage, file, overrides });
    }
  }
  return installations;
};

/** Imports a plugin. Returns undefined, and adds a problem, when that fails. */
export const importPlugin = async (
  { name, from }: PluginChoice,
  folder: string,
  problems: BootProblem[],
): Promise<AnyPlugin | undefined> => {
  if (from !== undefined) return loadThirdPartyPlugin({ name, from, folder }, problems);
  try {
    return await importBundled(name);
  } catch (error) {
    problems.push(problemOf(error, `the plugin ${name} cannot be imported`));
    return undefined;
  }
};

const variablesOf = (plugin: AnyPlugin): (string | undefined)[] =>
  settingProperties(plugin.config?.json ?? {}).map(({ schema }) => schema.env);
