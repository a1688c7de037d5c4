import type { PluginTransaction } from '../../kernel/plugin-api.ts';
import { type FollowParts, whereAllowed } from './append-about-records.ts';
import { conflictKeys } from './conflict-entities.ts';
import { type ConflictRecord, RECORDS, recordOf, WITHDRAWN } from './conflict-record.ts';
import type { ConflictRevisions } from './conflicts-api.ts';
import { judgeReturned, judgeWithoutHidden } from './judge-anew.ts';
import { openByRule } from './open-by-rule.ts';
import { reviseConflicts } from './revise-conflicts.ts';

export const createConflictRevisions = (parts: FollowParts): ConflictRevisions => {
  const { tables, clock } = parts;
  const { keyOf, idsOf } = conflictKeys(parts.names);
  const now = () => ({ ...parts, nowMs: clock.nowMs() });
  return {
    async revise(transaction, tenantId, keys) {
      const own = tables.in(transaction);
      const ids = idsOf(keys);
      if (ids.length === 0) return [];
      const rows = await own.select(RECORDS, { tenant_id: tenantId, conflict_id: ids });
      const [withdrawn, present] = [true, false].map((wanted) =>
        rows.filter((row) => (row['status'] === WITHDRAWN) === wanted).map(recordOf),
      ) as [ConflictRecord[], ConflictRecord[]];
      const revised = await reviseConflicts(present, own, transaction, now());
      // Visible facts that have met since the withdrawal have a conflict of their own.
      const kept = withdrawn.map((record) => ({ record, sinceMs: undefined, between: [], status: [] }));
      return [...revised, ...kept].map(({ record, ...rest }) => ({ key: keyOf(record.id), ...rest }));
    },
    hide: (transaction, facts) => judgeWithoutHidden(facts, tables.in(transaction), transaction, now()),
    show: (transaction, facts) => judgeReturned(facts, tables.in(transaction), transaction, now()),
    open: async (tenantId, triples) => {
      await whereAllowed(triples, (some) => openByRule(some, parts, unguarded, tenantId));
    },
  };
};

const unguarded = (_transaction: PluginTransaction): Promise<void> => Promise.resolve();
