import {
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

/** Appends system facts about records in one transaction with the rows. Returns false if the plan is outdated. */
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
  });
  if (isOutdated) return false;
  const failure = verdicts.find((verdict) => verdict.kind === 'rejected');
  if (failure?.kind === 'rejected') throw failure.error;
  return true;
};
