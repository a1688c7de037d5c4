import type { NodeInspection, StartProblem } from '../adapters/cli/command-line-deps.ts';
import { probeFolder } from '../adapters/files/probe-folder.ts';
import { problemsIn } from '../kernel/boot/inspect-store.ts';
import { BootError } from '../kernel/problems/boot-problem.ts';
import type { FactStore } from '../ports/ports.ts';
import { createNode, type Node, type NodeOptions } from './create-node.ts';
import { describeUnstarted } from './describe-unstarted.ts';
import { loadNodeConfig } from './node-config.ts';
import { workerCount } from './node-settings.ts';
import { openStore } from './open-store.ts';
import { refuseLostStore } from './refuse-lost-store.ts';
import { hasStore } from './require-store.ts';
import { storePlace } from './store-place.ts';

/**
 * Looks for every reason why a node would not start: in its settings, its plugins, its store, its folders and its
 * address. Read-only.
 */
export const inspectNode = async (options: Pick<NodeOptions, 'configFile' | 'env'>): Promise<NodeInspection> => {
  const config = await loadNodeConfig(options);
  const problems: StartProblem[] = [];
  const warnings: StartProblem[] = [];
  const node = await attempt(() => createNode({ ...options, overrides: { node: { logLevel: 'silent' } } }), problems);
  let isThere = false;
  let sealedWith: string | null = null;
  // Skips the checks after a problem, because a default replaces a refused setting and would name the wrong location.
  if (config.problems.length === 0) {
    const use = { processes: workerCount(config.node) };
    const { store, transport } = config;
    const open = (): Promise<FactStore> => openStore(config, node?.log ?? SILENT);
    const found = probeFolder(storePlace(config).dataFolder);
    const judged = (await store.adapter.inspect?.(store.settings, use)) ?? [];
    const damage = judged.filter(({ isWarning = false }) => !isWarning);
    warnings.push(...judged.filter(({ isWarning = false }) => isWarning));
    problems.push(...(found === undefined ? damage : [found, ...damage]));
    if (node !== undefined) {
      problems.push(...(await problemsIn(async () => refuseLostStore(config, node.kernel.settings))));
      problems.push(...(await problemsIn(async () => node.keySource?.readKeys())));
    }
    isThere = found === undefined && damage.length === 0 && (await hasStore(config, open));
    if (isThere && node !== undefined) {
      const readSeal = async (): Promise<void> => {
        sealedWith = (await node.seal.describe()).keyId;
      };
      problems.push(...(await problemsIn(readSeal)));
    } else if (node !== undefined && found === undefined && damage.length === 0) {
      problems.push(...(await problemsIn(() => node.seal.inspectNew())));
    }
    // Skips the store when its folder cannot be used.
    if (node !== undefined && found === undefined) problems.push(...(await lookInto(node, isThere ? open : undefined)));
    problems.push(...((await transport.adapter.inspect?.(transport.settings, use)) ?? []));
  }
  const description =
    node === undefined ? undefined : await attempt(() => describeUnstarted(options, node, undefined), problems);
  return {
    problems: distinct(problems),
    warnings,
    pluginCount: description?.plugins.filter(({ enabled }) => enabled).length ?? 0,
    store: storePlace(config).fullLocation,
    hasStore: isThere,
    sealedWith,
  };
};

/** Runs the work, and turns a refusal into problems. Returns undefined then. */
const attempt = async <T>(work: () => Promise<T>, problems: StartProblem[]): Promise<T | undefined> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BootError)) throw error;
    problems.push(...error.problems);
    return undefined;
  }
};

const nothing = (): void => {};
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => SILENT };

/** Runs the checks of store and plugins; without a store that can be opened, only those of the plugins. */
const lookInto = async (
  { kernel }: Node,
  open: (() => Promise<FactStore>) | undefined,
): Promise<readonly StartProblem[]> => {
  const store = await open?.();
  try {
    return await kernel.inspect(store, (path) => probeFolder(path));
  } finally {
    await store?.close();
  }
};

/** Removes duplicates. The check of a plugin and the trial of its setup find the same; the latter says who found it. */
const distinct = (problems: readonly StartProblem[]): StartProblem[] =>
  [...new Map(problems.map((problem) => [problem.message, problem])).values()].filter(
    ({ message }) => !problems.some((other) => other.message.endsWith(` failed in setup: ${message}`)),
  );
