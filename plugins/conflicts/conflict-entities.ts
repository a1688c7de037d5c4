import { matchKey, type PluginTables, type ServiceNames } from '../../kernel/plugin-api.ts';
import { conflictEntity } from './conflict-entity.ts';
import { joinedFacts, statusFact } from './conflict-facts.ts';
import { RECORDS, recordOf } from './conflict-record.ts';
import type { ConflictEntities } from './conflicts-api.ts';
import { membersOf } from './record-members.ts';
import { strongestRival } from './strength.ts';

export const createConflictEntities = (tables: PluginTables, names: ServiceNames): ConflictEntities => {
  const keyOf = (conflictId: string): string => matchKey(conflictEntity(conflictId, names), names);
  const prefix = keyOf('');
  const idsOf = (keys: readonly string[]): string[] =>
    keys.flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  return {
    async about(snapshot, tenantId, entityKey, { from = prefix, limit }) {
      const rows = (await tables
        .in(snapshot)(RECORDS)
        .where({ tenant_id: tenantId, entity_key: entityKey })
        .where('conflict_id', '>=', idsOf([from])[0] ?? '')
        .orderBy('conflict_id')
        .limit(limit)
        .select('conflict_id')) as readonly { readonly conflict_id: string }[];
      return rows.map(({ conflict_id }) => keyOf(conflict_id));
    },
    async subjects(snapshot, tenantId, conflictKeys) {
      const ids = idsOf(conflictKeys);
      if (ids.length === 0) return new Map();
      const rows = await tables.in(snapshot).select(RECORDS, { tenant_id: tenantId, conflict_id: ids });
      return new Map(rows.map(recordOf).map((record) => [keyOf(record.id), record]));
    },
    async members(snapshot, tenantId, conflictKeys) {
      const records = idsOf(conflictKeys).map((id) => ({ tenantId, id }));
      const found = await membersOf(tables.in(snapshot), records);
      return new Map([...found].map(([id, { ids }]) => [keyOf(id), ids]));
    },
    joined(conflictKey, fact, rivals) {
      const rival = strongestRival(fact, rivals);
      const [id] = idsOf([conflictKey]);
      if (rival === undefined || id === undefined) return undefined;
      const record = { id, gardenId: fact.gardenId };
      return {
        between: joinedFacts(record, fact, rival, names),
        unresolved: statusFact(record, 'unresolved', fact, names),
      };
    },
  };
};
