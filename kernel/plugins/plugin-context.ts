import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, type ContentSeal, type FactStore, type Ref, ServiceError } from '../../ports/ports.ts';
import type { Container } from '../container/awilix-container.ts';
import type { HandlerOptions } from '../hooks/define-hook.ts';
import type { HookBus } from '../hooks/hook-bus.ts';
import type { OwnedRoute } from '../http/route-table.ts';
import { NodeSettings } from '../identity/node-settings.ts';
import type { Logger } from '../log/logger.ts';
import { isOutage, sparingLog } from '../log/sparing-log.ts';
import { ContentBorder } from '../store/content-border.ts';
import { openBytes, sealBytes } from '../store/sealed-bytes.ts';
import type { ReportDamage } from '../store/stored-rows.ts';
import type { Awaitable } from '../time/awaitable.ts';
import { type RepeatedTask, repeatTask } from '../time/repeat-task.ts';
import { AwaitedListeners } from './awaited-listeners.ts';
import { followSignal } from './followed-signal.ts';
import { requirementsOf } from './order-plugins.ts';
import type { AnyPlugin, PluginContext, PluginFiles, PluginTables } from './plugin-definition.ts';
import { createPluginTables, pluginTopic } from './plugin-tables.ts';

export interface PluginHost {
  readonly store: FactStore;
  readonly clock: Clock;
  readonly container: Container;
  readonly hooks: HookBus;
  readonly log: Logger;
  readonly routes: OwnedRoute[];
  /** The names of the plugins of the package. */
  readonly ofPackage: ReadonlySet<string>;
  readonly reportDamage: ReportDamage;
  /** Seals what the plugins write; undefined on a node without a key of the operator. */
  readonly seal?: ContentSeal | undefined;
}

/** A plugin of a running node, from setup to stop. */
export interface PluginLife {
  // biome-ignore lint/suspicious/noExplicitAny: a context of any requirement and configuration
  readonly context: PluginContext<any, any>;
  /** The ids of the refs that the plugin has provided. */
  readonly provided: ReadonlySet<string>;
  /** The repeated tasks of the plugin. */
  readonly tasks: readonly Pick<RepeatedTask, 'intervalMs'>[];
  /** Ends the setup, after which the context accepts no registrations. */
  endSetup(): void;
  /** Runs the tasks of `onStart`, in order. Rejects with the first error. */
  beforeServing(): Promise<void>;
  /** Starts the repeated tasks, which may use the whole node. */
  start(): void;
  /** Ends the tasks, then runs those of `onStop`, last first. A failure is logged and does not stop the others. */
  stop(): Promise<void>;
}

export const openPlugin = (plugin: AnyPlugin, config: unknown, host: PluginHost): PluginLife => {
  const log = sparingLog(host.log.child({ plugin: plugin.name }), host.clock);
  const tasks: RepeatedTask[] = [];
  const starts: (() => Awaitable<void>)[] = [];
  const stops: (() => Awaitable<void>)[] = [];
  const provided = new Set<string>();
  const listening: (() => void)[] = [];
  const awaited = new AwaitedListeners();
  let running: (() => Promise<void>)[] = [];
  let isOpen = true;
  const during = (call: string, ...work: readonly unknown[]): void => {
    if (!isOpen) throw new Error(`${plugin.name} called ${call} after its setup: registrations belong into setup`);
    refuseNoFunction(plugin.name, call, work);
  };
  const attempt = async (task: () => Awaitable<void>): Promise<void> => {
    try {
      await task();
    } catch (error) {
      log.error('a plugin failed to stop', { error });
    }
  };
  return {
    provided,
    tasks,
    context: {
      config,
      log,
      tables: tablesOf(plugin, host, awaited),
      files: sealedFiles(plugin.name, host.seal),
      use: resolveRequirements(plugin, host.container),
      hooks: host.hooks.asCaller(),
      on: (hook: Parameters<HookBus['register']>[1], handler: unknown, options?: HandlerOptions) => {
        during('on');
        host.hooks.register(plugin.name, hook, handler as Parameters<HookBus['register']>[2], options);
      },
      route: (route) => {
        during('route');
        refuseNoRoute(plugin.name, route);
        host.routes.push({ route, plugin: plugin.name, isOfPackage: host.ofPackage.has(plugin.name) });
      },
      provide: <T>(ref: Ref<T>, implementation: NoInfer<T>) => {
        during('provide');
        declareProvided(plugin, ref, implementation, provided);
        host.container.replace(ref, implementation);
      },
      dataFolder: () => {
        const folder = join(host.container.get(NodeSettings).dataFolder, plugin.name);
        createPrivateFolder(folder);
        return folder;
      },
      onStart: (task) => {
        during('onStart', task);
        starts.push(task);
      },
      every: (intervalMs, run) => {
        during('every', run);
        refuseNoInterval(plugin.name, intervalMs);
        tasks.push({ intervalMs, run, failed: (error) => tellFailure(log, error) });
      },
      onSignal: (topic, listener, { isAwaited = false } = {}) => {
        during('onSignal', listener);
        const { hear, end } = followSignal(host.clock, listener, (error) => tellUnheard(log, topic, error));
        const off = host.store.onSignal(pluginTopic(plugin.name, topic), () => {
          const run = hear();
          if (isAwaited) awaited.add(run);
        });
        listening.push(off, end);
      },
      onStop: (task) => {
        during('onStop', task);
        stops.push(task);
      },
    },
    endSetup: () => {
      isOpen = false;
    },
    beforeServing: async () => {
      for (const task of starts) await task();
    },
    start: () => {
      running = tasks.map((task) => repeatTask(host.clock, task));
    },
    stop: async () => {
      isOpen = false;
      for (const end of listening.splice(0)) end();
      await Promise.all(running.map((end) => attempt(end)));
      for (const task of stops.splice(0).reverse()) await attempt(task);
    },
  };
};

const tablesOf = (
  { name, contents = [] }: AnyPlugin,
  { store, reportDamage, seal }: PluginHost,
  awaited: AwaitedListeners,
): PluginTables =>
  createPluginTables(store, name, reportDamage, new ContentBorder(seal, contents), () => awaited.ended());

/** The name of the plugin goes before that of each file, so that no plugin opens files of another one. */
const sealedFiles = (plugin: string, seal: ContentSeal | undefined): PluginFiles => ({
  isSealing: seal !== undefined,
  seal: (name, bytes) =>
    seal === undefined ? bytes : sealBytes(seal, { tenantId: null, name: `${plugin}/${name}` }, bytes),
  open: (name, bytes) =>
    seal === undefined ? bytes : openBytes(seal, { tenantId: null, name: `${plugin}/${name}` }, bytes),
});

const tellFailure = (log: Logger, error: unknown): void => {
  if (isOutage(error)) log.warn('a repeated task could not be done; it will be tried again', { error });
  else log.error('a repeated task failed', { error });
};

const tellUnheard = (log: Logger, topic: string, error: unknown): void => {
  if (isOutage(error)) log.warn('a change could not be taken in; it will be tried again', { topic, error });
  else log.error('a listener for a signal failed; it will be called again', { topic, error });
};

/** A foreign plugin in JavaScript may pass anything. */
const refuseNoFunction = (plugin: string, call: string, work: readonly unknown[]): void => {
  if (work.every((task) => typeof task === 'function')) return;
  throw new Error(`${plugin} calls ${call} with something that is no function`);
};

const refuseNoRoute = (plugin: string, route: unknown): void => {
  if (typeof route === 'object' && route !== null && 'path' in route && typeof route.path === 'string') return;
  throw new Error(
    `${plugin} calls route without a path: it takes one object, such as { method: 'GET', path: '/v1/x' }`,
  );
};

const refuseNoInterval = (plugin: string, intervalMs: unknown): void => {
  if (typeof intervalMs === 'number' && intervalMs > 0) return;
  throw new RangeError(`${plugin} repeats a task every ${String(intervalMs)} ms`);
};

const declareProvided = (
  plugin: AnyPlugin,
  ref: { readonly id: string },
  implementation: unknown,
  provided: Set<string>,
): void => {
  const declared = (plugin.provides ?? []).some(({ id }) => id === ref.id);
  if (!declared) throw new Error(`${plugin.name} provides ${ref.id} without naming it in "provides"`);
  if (provided.has(ref.id)) throw new Error(`${plugin.name} provides ${ref.id} twice`);
  if (implementation === undefined || implementation === null) {
    throw new Error(`${plugin.name} provides nothing as ${ref.id}`);
  }
  provided.add(ref.id);
};

const resolveRequirements = (plugin: AnyPlugin, container: Container): Record<string, unknown> =>
  Object.fromEntries(
    requirementsOf(plugin).map(({ key, ref, optional }) => [
      key,
      optional && !container.has(ref) ? undefined : container.get(ref),
    ]),
  );

/** Throws `unavailable` if the operating system refuses. */
const createPrivateFolder = (folder: string): void => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new ServiceError('unavailable', `the folder ${folder} cannot be made (${code})`, {
      hint: 'let the user of the node own the folder above it, and move a file of that name away',
      cause: error,
    });
  }
};
