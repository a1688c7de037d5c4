import { dirname, join } from 'node:path';
import type { NodeInspection, StartProblem } from '../adapters/cli/command-line-deps.ts';
import { FIRST_KEY_FILE } from '../adapters/cli/first-key.ts';
import { readKeyFile } from '../adapters/cli/key-file.ts';
import { probeFolder } from '../adapters/files/probe-folder.ts';
import { BootError } from '../kernel/boot/boot-problem.ts';
import { problemsIn } from '../kernel/boot/inspect-store.ts';
import { createNodeNotes } from '../kernel/identity/node-notes.ts';
import { findNodeKey } from '../plugins/node-info/node-identity.ts';
import { readNodeKey } from '../plugins/node-info/node-key-file.ts';
import type { FactStore } from '../ports/ports.ts';
import { createNode, type Node, type NodeOptions, openStore } from './create-node.ts';
import { nodeKeyPlace } from './create-node-key.ts';
import { describeUnstarted } from './describe-unstarted.ts';
import { loadNodeConfig, type NodeConfig } from './node-config.ts';
import { workerCount } from './node-settings.ts';
import { hasStore } from './require-store.ts';
import { storePlace } from './store-place.ts';

/**
 * Looks for every reason why a node would not start: in its settings, its plugins, its store, its folders and its
 * address. Creates and changes nothing.
 */
export const inspectNode = async (options: Pick<NodeOptions, 'configFile' | 'env'>): Promise<NodeInspection> => {
  const config = await loadNodeConfig(options);
  const problems: StartProblem[] = [];
  const node = await attempt(() => createNode({ ...options, overrides: { node: { logLevel: 'silent' } } }), problems);
  let isThere = false;
  // A default stands in for what was refused: looking there would tell of a place that nobody means.
  if (config.problems.length === 0) {
    const use = { processes: workerCount(config.node) };
    const { store, transport } = config;
    const open = (): Promise<FactStore> => openStore(config, node?.log ?? SILENT);
    const found = [...foldersIn(config, node), ...((await store.adapter.inspect?.(store.settings, use)) ?? [])];
    if (found.length === 0) {
      isThere = await hasStore(config, open);
      if (node !== undefined)
        found.push(...(isThere ? await contentsIn(node, open) : await filesIn(node, options.env)));
    }
    found.push(...((await transport.adapter.inspect?.(transport.settings, use)) ?? []));
    problems.push(...found);
  }
  const description =
    node === undefined ? undefined : await attempt(() => describeUnstarted(options, node, undefined), problems);
  return {
    problems: distinct(problems),
    pluginCount: description?.plugins.filter(({ enabled }) => enabled).length ?? 0,
    store: storePlace(config).location,
    hasStore: isThere,
  };
};

/** Undefined when the work was refused; the reasons are added to the problems. */
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

/** Of the store, of the node's own key, and of the search index. */
const foldersIn = (config: NodeConfig, node: Node | undefined): StartProblem[] => {
  const settings = node?.kernel.settings ?? [];
  const key = nodeKeyPlace(settings);
  const snapshots = settings.find(({ owner, key }) => owner === 'plugins.search' && key === 'snapshotFolder')?.value;
  return [
    storePlace(config).dataFolder,
    ...(key === undefined || key.byVariable ? [] : [dirname(key.file)]),
    ...(typeof snapshots === 'string' ? [snapshots] : []),
  ].flatMap((folder) => probeFolder(folder) ?? []);
};

/** Of a store that is there. */
const contentsIn = async ({ kernel }: Node, open: () => Promise<FactStore>): Promise<StartProblem[]> => {
  const store = await open();
  try {
    const place = nodeKeyPlace(kernel.settings);
    const findKey = async () =>
      place === undefined || place.byVariable || (await findNodeKey(place.file, createNodeNotes(store)));
    return [...(await kernel.inspect(store)), ...(await problemsIn(findKey))];
  } finally {
    await store.close();
  }
};

/** The files that a first start finds, of an earlier attempt or of the operator. */
const filesIn = async ({ kernel, config }: Node, env: NodeOptions['env']): Promise<StartProblem[]> => {
  const place = nodeKeyPlace(kernel.settings);
  const findKey = async () => place === undefined || place.byVariable || (await readNodeKey(place.file));
  const findFirstKey = async () => readKeyFile(join(storePlace(config).dataFolder, FIRST_KEY_FILE));
  const wantsFirstKey = config.node.authRequired && (env['SVC_BOOTSTRAP_KEY'] ?? '') === '';
  return [...(await problemsIn(findKey)), ...(wantsFirstKey ? await problemsIn(findFirstKey) : [])];
};

const distinct = (problems: readonly StartProblem[]): StartProblem[] => [
  ...new Map(problems.map((problem) => [problem.message, problem])).values(),
];
