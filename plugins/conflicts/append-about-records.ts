import {
  type AppendVerdict,
  type Clock,
  type FactDraft,
  type Facts,
  type NodeSelf,
  nodePrincipal,
  type PluginTables,
  type PluginTransaction,
  ServiceError,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import type { HeldRelations } from './held-relations.ts';
import type { WriterParts } from './record-writer.ts';

/** The services needed to adapt records to a changed rule. */
export interface FollowParts extends WriterParts {
  readonly facts: Facts;
  readonly clock: Clock;
  readonly self: NodeSelf;
  readonly tables: PluginTables;
  readonly relations: HeldRelations;
}

/** A change of records, planned on a snapshot. */
export interface RecordChange {
  readonly drafts: readonly FactDraft[];
  /** Writes the rows. Returns false, before it writes, if the plan is outdated. */
  write(own: WritableTables, transaction: PluginTransaction): Promise<boolean>;
}

/**
 * Appends system facts about records in one transaction with the rows. Returns false if the plan is outdated. Stores
 * nothing and rejects if a rule refuses one of the facts, because a record must not exist without the facts about it.
 */
export const appendAboutRecords = async (
  { drafts, write }: RecordChange,
  { facts, self, tables }: Pick<FollowParts, 'facts' | 'self' | 'tables'>,
  guard: (transaction: PluginTransaction) => Promise<void>,
  tenantId: string,
): Promise<boolean> => {
  let isOutdated = false;
  const verdicts = await facts.appendAll(drafts, nodePrincipal(self.names, tenantId), {
    origin: 'plugin',
    unmarked: true,
    exclusive: true,
    async guard(transaction) {
      await guard(transaction);
      isOutdated = !(await write(tables.in(transaction), transaction));
      if (isOutdated) throw new ServiceError('conflict', 'the records have changed meanwhile');
    },
    async beforeCommit(_transaction, verdicts) {
      if (!isOutdated) requireAll(verdicts);
    },
  });
  if (isOutdated) return false;
  requireAll(verdicts);
  return true;
};

const requireAll = (verdicts: readonly AppendVerdict[]): void => {
  for (const verdict of verdicts) if (verdict.kind === 'rejected') throw verdict.error;
};

/**
 * Changes records together; each alone if a rule refuses a fact about one of them. That one stays as it is, because a
 * refusal about one place must not hold up the others. Returns the number of changes.
 */
export const whereAllowed = async <T>(
  some: readonly T[],
  change: (some: readonly T[]) => Promise<number>,
): Promise<number> => {
  try {
    return await change(some);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    let changed = 0;
    if (some.length > 1) for (const one of some) changed += await whereAllowed([one], change);
    return changed;
  }
};
