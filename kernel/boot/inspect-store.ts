import { type FactStore, type OwnedMigration, ServiceError } from '../../ports/ports.ts';
import { createNodeNotes } from '../identity/node-notes.ts';
import { checkNodeRecord, type NodeIdentitySettings } from '../identity/node-record.ts';
import type { NodeSettings } from '../identity/node-settings.ts';
import type { BootProblem } from './boot-problem.ts';
import type { PlannedPlugin } from './plan-boot.ts';

/** Why a boot would refuse the store: it is newer than the program, or somebody else's. Changes nothing in it. */
export const inspectStore = async (
  store: FactStore,
  migrations: readonly OwnedMigration[],
  identity: NodeIdentitySettings,
): Promise<BootProblem[]> => [
  ...(await problemsIn(() => store.migrate(migrations, { isTrial: true }))),
  ...(await problemsIn(() => checkNodeRecord(store, identity))),
];

/** What stands in the way of files in a folder; undefined when nothing does. */
export type ProbeFolder = (path: string) => BootProblem | undefined;

/** What the plugins find about their files and settings, each by its own `inspect`. */
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

/** What the work is refused with, as a problem; anything else that it throws is a bug. */
export const problemsIn = async (work: () => Promise<unknown>): Promise<BootProblem[]> => {
  try {
    await work();
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [{ message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) }];
  }
};
