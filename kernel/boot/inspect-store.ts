import { type FactStore, type OwnedMigration, ServiceError } from '../../ports/ports.ts';
import { checkNodeRecord, type NodeIdentitySettings } from '../identity/node-record.ts';
import type { BootProblem } from './boot-problem.ts';

/** Why a boot would refuse the store: it is newer than the program, or somebody else's. Changes nothing in it. */
export const inspectStore = async (
  store: FactStore,
  migrations: readonly OwnedMigration[],
  identity: NodeIdentitySettings,
): Promise<BootProblem[]> => [
  ...(await problemsIn(() => store.pending(migrations))),
  ...(await problemsIn(() => checkNodeRecord(store, identity))),
];

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
