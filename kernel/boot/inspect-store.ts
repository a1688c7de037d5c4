import { type FactStore, type OwnedMigration, ServiceError } from '../../ports/ports.ts';
import { createNodeNotes } from '../identity/node-notes.ts';
import { checkNodeRecord, type NodeIdentitySettings } from '../identity/node-record.ts';
import type { NodeSettings } from '../identity/node-settings.ts';
import type { BootProblem } from '../problems/boot-problem.ts';
import type { PlannedPlugin } from './plan-boot.ts';

/**
 * Returns the reasons why a boot would refuse the store: it is newer than the program, or belongs to another node.
 * Read-only.
 */
export const inspectStore = async (
  store: FactStore,
  migrations: readonly OwnedMigration[],
  identity: NodeIdentitySettings,
): Promise<BootProblem[]> => [
  ...(await problemsIn(() => store.migrate(migrations, { isTrial: true }))),
  ...(await problemsIn(() => checkNodeRecord(store, identity))),
];

/** Returns the reason why no file can be created in a folder; undefined when one can. */
export type ProbeFolder = (path: string) => BootProblem | undefined;

/** Runs the `inspect` of each plugin and returns the problems that they find. */
export const inspectPlugins = async (
  plugins: readonly PlannedPlugin[],
  node: NodeSettings,
  store: FactStore | undefined,
  probeFolder: ProbeFolder,
): Promise<BootProblem[]> => {
  const found: BootProblem[] = [];
  const notes = store === undefined ? undefined : createNodeNotes(store);
  const probe = (path: string): void => void found.push(...[probeFolder(path) ?? []].flat());
  for (const { plugin, config } of plugins) {
    found.push(...(await problemsIn(async () => plugin.inspect?.({ config, node, notes, probeFolder: probe }))));
  }
  return found;
};

/** Returns an operating error of the work as a problem. Any other error is a bug and is thrown. */
export const problemsIn = async (work: () => Promise<unknown>): Promise<BootProblem[]> => {
  try {
    await work();
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [{ message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) }];
  }
};
