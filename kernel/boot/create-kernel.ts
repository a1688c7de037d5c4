import {
  Authorizer,
  Clock,
  ContentSeal,
  FactStore,
  type Listener,
  type ServeOptions,
  ServiceError,
  Transport,
} from '../../ports/ports.ts';
import { createContainer } from '../container/awilix-container.ts';
import { Random } from '../crypto/random.ts';
import { createSignatureWork, SignatureWork } from '../crypto/signature-work.ts';
import { describeNode } from '../description/describe-node.ts';
import { type DescribedNode, NodeDescription } from '../description/node-description.ts';
import { raiseClock } from '../facts/raise-clock.ts';
import { nodeGreeting, nodeHealth, nodeMetadata, nodeReadiness } from '../hooks/node-hooks.ts';
import { createLocalRequests, LocalRequests } from '../http/local-requests.ts';
import { PersonTurns, Turns } from '../http/person-turns.ts';
import { shapeProblems } from '../http/route-shape.ts';
import { routeProblems } from '../http/route-table.ts';
import { createNodeNotes, NodeNotes } from '../identity/node-notes.ts';
import { openNodeRecord } from '../identity/node-record.ts';
import { NodeSelf } from '../identity/node-self.ts';
import { NodeSettings } from '../identity/node-settings.ts';
import { Cursors } from '../pages/cursors.ts';
import { createCursorCodec } from '../pages/page-cursor.ts';
import { requirementsOf } from '../plugins/order-plugins.ts';
import { openPlugin } from '../plugins/plugin-context.ts';
import { type BootProblem, pluginProblem, refuseProblems } from '../problems/boot-problem.ts';
import { measuredStore } from '../store/measured-store.ts';
import { createTelemetry } from '../telemetry/create-telemetry.ts';
import { measuredTransport } from '../telemetry/measured-transport.ts';
import { Telemetry } from '../telemetry/telemetry-api.ts';
import { tracedLog } from '../telemetry/traced-log.ts';
import { withinTime } from '../time/within-time.ts';
import { collectComponents } from '../vocabulary/components.ts';
import { Vocabulary } from '../vocabulary/vocabulary.ts';
import type { Assembly } from './assembly.ts';
import { compiledOrRefused, compileServed } from './compile-served.ts';
import { inspectPlugins, inspectStore } from './inspect-store.ts';
import type { Kernel, KernelOptions } from './kernel.ts';
import { knownMigrations, migrateStore } from './migrate-store.ts';
import { openFacts } from './open-facts.ts';
import { openHooks } from './open-hooks.ts';
import { openLeases } from './open-leases.ts';
import { openPluginHost } from './open-plugin-host.ts';
import { dropEnded, keepEndingPeriods } from './period-task.ts';
import { planBoot } from './plan-boot.ts';
import { CLOSING_RESERVE_MS, drain, leftToStopMs, unwind } from './stop-node.ts';
import { createStopStack } from './stop-stack.ts';
import { tellOfRefusedWrites } from './tell-of-refused-writes.ts';

/** The time limit in milliseconds for the setup of one plugin, and again for its start tasks. */
export const SETUP_LIMIT_MS = 10_000;

/**
 * Creates a node. Throws a `BootError` with all problems that are visible without opening anything: names, refs,
 * cycles, settings, migrations. `boot` opens the parts of the plan, and closes them when a later step fails.
 */
export const createKernel = (given: KernelOptions): Kernel => {
  const problems = [...(given.problems ?? [])];
  const plan = planBoot(
    {
      ...given,
      adapterRefs: new Set(given.adapters.extras?.map(({ ref }) => ref.id)),
      suggestProvider: given.suggestProvider ?? (() => undefined),
    },
    problems,
  );
  refuseProblems(problems);

  const telemetry = createTelemetry();
  const options = { ...given, log: tracedLog(given.log, telemetry) };
  const hooks = openHooks(options, telemetry);
  const node: Assembly = {
    options,
    telemetry,
    plugins: plan.plugins,
    vocabulary: plan.vocabulary,
    hooks,
    container: createContainer(),
    stops: createStopStack(options.log),
    routes: [],
    lives: [],
    settings: [...(options.settings ?? []), ...plan.plugins.flatMap((planned) => planned.settings)],
    served: undefined,
    hasNewStore: false,
    isServing: false,
    isStopping: false,
    stopByMs: undefined,
  };
  let booted: Promise<void> | undefined;
  let started: Promise<Listener> | undefined;
  let stopped = false;
  let stopping: Promise<void> | undefined;
  const boot = (): Promise<void> => {
    if (stopped) return Promise.reject(new ServiceError('unavailable', 'the node has been stopped'));
    booted ??= orUnwind(node, async () => {
      await openStore(node, plan.migrations);
      openLeases(node);
      node.container.provide(NodeDescription, descriptionOf(node));
      await setUpPlugins(node);
      await finishSetup(node);
    });
    return booted;
  };
  const startOnce = async (): Promise<Listener> => {
    await boot();
    if (stopped) throw new ServiceError('unavailable', 'the node was stopped while it started');
    return orUnwind(node, () => serve(node));
  };
  return {
    boot,
    start: () => {
      started ??= startOnce();
      return started;
    },
    stop: async () => {
      stopped = true;
      await (started ?? booted)?.catch(() => undefined);
      stopping ??= drain(node).then(() => unwind(node));
      await stopping;
    },
    describe: async () => {
      await boot();
      return node.container.get(NodeDescription).read();
    },
    inspect: async (store, probeFolder) => [
      ...(store === undefined ? [] : await inspectStore(store, plan.migrations, options.identity)),
      ...(await inspectPlugins(plan.plugins, options.node, store, probeFolder)),
    ],
    migrations: plan.migrations,
    knownMigrations: () => knownMigrations(node),
    settings: node.settings,
    configOf: (name) => plan.plugins.find(({ plugin }) => plugin.name === name)?.config,
    hasNewStore: () => node.hasNewStore,
    greet: (isDue = false) => hooks.collect(nodeGreeting, { isDue }),
    get: node.container.get,
    has: node.container.has,
  };
};

const orUnwind = async <T>(node: Assembly, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    await unwind(node);
    throw error;
  }
};

/** Opens the adapters, applies migrations, reads the identity, and provides the kernel's own services. */
const openStore = async (node: Assembly, migrations: Parameters<FactStore['migrate']>[0]): Promise<void> => {
  const { options, plugins, vocabulary, hooks, container, stops } = node;
  const { adapters, log } = options;
  const { clock, random } = adapters;
  stops.push('hooks', () => hooks.close());
  stops.push('container', () => container.dispose());
  container.provide(Clock, clock);
  container.provide(Random, random);
  container.provide(Telemetry, node.telemetry);
  container.provide(Vocabulary, vocabulary);
  const opened = await adapters.store();
  stops.push('store', () => opened.close());
  const store = measuredStore(opened, node.telemetry, clock);
  container.provide(FactStore, store);
  const seal = await adapters.contentSeal?.();
  if (seal !== undefined) container.provide(ContentSeal, seal);
  container.provide(Transport, measuredTransport(await adapters.transport(), node.telemetry, clock));
  const required = new Set(plugins.flatMap(({ plugin }) => requirementsOf(plugin).map(({ ref }) => ref.id)));
  for (const binding of adapters.extras ?? []) {
    if (!required.has(binding.ref.id)) continue;
    const made = await binding.create(container.get);
    stops.push(binding.ref.id, () => binding.close?.(made));
    container.provide(binding.ref, made);
  }
  if (!container.has(SignatureWork)) container.provide(SignatureWork, createSignatureWork());
  await migrateStore(node, store, migrations);
  await adapters.afterMigrations?.(store);
  await dropEnded(node, store, seal);
  await raiseClock(store, clock.nowMs(), log);

  const { self, cursorSecret } = await openNodeRecord(store, options.identity, random);
  container.provide(NodeSelf, self);
  container.provide(NodeSettings, options.node);
  container.provide(NodeNotes, createNodeNotes(store));
  container.provide(Cursors, createCursorCodec(cursorSecret));
  const routes = { served: () => node.served?.(), names: self.names, telemetry: node.telemetry };
  container.provide(LocalRequests, createLocalRequests(routes));
  container.provide(Turns, new PersonTurns());
  openFacts({ store, seal, clock, random, self, log, vocabulary, hooks, container, stops });
  // Sets a default that plugins may override later.
  const auth = options.node.authRequired ? 'required' : 'none';
  hooks.register('kernel', nodeMetadata, () => ({ auth }), { order: 'first' });
  hooks.register('kernel', nodeHealth, () => store.ping());
  hooks.register('kernel', nodeReadiness, () => (node.isStopping ? 'the node is stopping' : undefined));
};

const descriptionOf = (node: Assembly): NodeDescription => ({
  read: () => readDescription(node),
  readSeal: node.options.adapters.readSeal ?? (async () => ({ isSealed: false, keyId: null })),
  readReplicas: async () => (await node.container.get(FactStore).replicas?.()) ?? [],
});

const readDescription = async (node: Assembly): Promise<DescribedNode> =>
  describeNode({
    ...node,
    enabled: node.plugins.map(({ plugin }) => plugin),
    switchedOff: (await node.options.switchedOff?.()) ?? [],
    hooks: node.hooks.describe(),
    tables: await node.container.get(FactStore).tables(),
    tasks: node.plugins.flatMap(({ plugin }, place) =>
      (node.lives[place]?.tasks ?? []).map(({ intervalMs }) => ({ plugin: plugin.name, intervalMs })),
    ),
  });

const setUpPlugins = async (node: Assembly): Promise<void> => {
  const { stops } = node;
  const host = openPluginHost(node);
  for (const { plugin, config } of node.plugins) {
    const life = openPlugin(plugin, config, host);
    const late = (what: string) => () => new ServiceError('unavailable', `${plugin.name} took too long to ${what}`);
    stops.push(plugin.name, () => withinTime(host.clock, leftToStopMs(node), () => life.stop(), late('stop')));
    node.lives.push(life);
    await orRefuse(node, plugin.name, 'setup', () =>
      withinTime(host.clock, SETUP_LIMIT_MS, () => plugin.setup(life.context), late('set up')),
    ).finally(() => life.endSetup());
  }
};

/** Turns a failure of a plugin before the node serves into a boot problem. */
const orRefuse = async (
  { options }: Assembly,
  plugin: string,
  doing: string,
  work: () => Promise<void>,
): Promise<void> => {
  try {
    await work();
  } catch (error) {
    options.log.debug(`a plugin failed in ${doing}`, { plugin, error });
    refuseProblems([pluginProblem(plugin, doing, error)]);
  }
};

/** Runs the checks that need all plugins set up, and prevents further registrations. */
const finishSetup = async (node: Assembly): Promise<void> => {
  const { options, hooks, container, routes } = node;
  const components = collectComponents(node.vocabulary);
  const problems: BootProblem[] = [
    ...shapeProblems(routes, node.vocabulary, components),
    ...routeProblems(routes).map((message) => ({ message })),
  ];
  node.plugins.forEach(({ plugin }, place) => {
    for (const { id } of plugin.provides ?? []) {
      if (node.lives[place]?.provided.has(id) !== true) {
        problems.push({ message: `${plugin.name} declares ${id} but never provided it` });
      }
    }
  });
  refuseProblems(problems);
  hooks.seal();
  const { adapters, log } = options;
  const { clock, random } = adapters;
  const inner = container.has(Authorizer) ? container.get(Authorizer) : undefined;
  // Throws without any Authorizer, because a missing one must not open the node.
  const authorizer = (await adapters.authorizer?.(inner)) ?? container.get(Authorizer);
  const { allowsOrigin = () => false } = options;
  const inspectReply = options.inspectReplies?.(components);
  const { telemetry } = node;
  const parts = { routes, container, hooks, clock, random, log, telemetry, authorizer, allowsOrigin, inspectReply };
  let served: ServeOptions | undefined;
  // Defers the compilation, so that a command that does not serve need not compile some hundred schemas.
  node.served = () => {
    served ??= compileServed(parts);
    return served;
  };
};

const serve = async (node: Assembly): Promise<Listener> => {
  if (node.served === undefined) throw new Error('the routes are there after boot');
  const { clock } = node.options.adapters;
  await tellOfRefusedWrites(node);
  await node.beginLeases?.();
  for (const [place, { plugin }] of node.plugins.entries()) {
    const late = () => new ServiceError('unavailable', `${plugin.name} took too long to start`);
    const begin = () => node.lives[place]?.beforeServing();
    await orRefuse(node, plugin.name, 'onStart', () => withinTime(clock, SETUP_LIMIT_MS, begin, late));
  }
  // Compiles last, because it takes long and the plugins' threads start in the meantime.
  const served = compiledOrRefused(node.served);
  const listener = await node.container.get(Transport).serve(served);
  node.isServing = true;
  node.stops.push('listener', () => listener.close(Math.max(0, leftToStopMs(node) - CLOSING_RESERVE_MS)));
  for (const life of node.lives) life.start();
  keepEndingPeriods(node);
  return listener;
};
