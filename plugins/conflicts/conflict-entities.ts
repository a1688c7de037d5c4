import { matchKey, type PluginTables, type ServiceNames } from '../../kernel/plugin-api.ts';
import { conflictEntity } from './conflict-entity.ts';
import { RECORDS, recordOf } from './conflict-record.ts';
import type { ConflictEntities } from './conflicts-api.ts';
import { membersOf } from './record-members.ts';

/** Translates between the ids of records and the match keys of the entities that their system facts are about. */
export const conflictKeys = (names: ServiceNames) => {
  const keyOf = (conflictId: string): string => matchKey(conflictEntity(conflictId, names), names);
  const prefix = keyOf('');
  const idsOf = (keys: readonly string[]): string[] =>
    keys.flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  return { keyOf, idsOf, prefix };
};

export const createConflictEntities = (tables: PluginTables, names: ServiceNames): ConflictEntities => {
  const { keyOf, idsOf, prefix } = conflictKeys(names);
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
  };
};
