import {
  all,
  type ErasedFacts,
  type ErasureSweep,
  equals,
  isIn,
  isNull,
  matchKey,
  not,
  type PluginTables,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';
import { conflictEntity } from './conflict-entity.ts';
import { RECORDS } from './conflict-record.ts';
import { PAST_WINS, placeDigest, WINS } from './timeline-rows.ts';

const RECORDS_AT_ONCE = 200;

/** Deletes the winner rows of erased facts. The rows hold value keys, from which anybody could guess a short value. */
export const eraseWins = async ({ tenantId, facts, transaction }: ErasedFacts, tables: PluginTables) => {
  const places = [...new Set(facts.map(placeDigest))];
  for (const table of [WINS, PAST_WINS]) {
    await tables.in(transaction)(table).where({ tenant_id: tenantId }).whereIn('triple', places).delete();
  }
};

/**
 * Erases the notes on resolutions, because people may quote values in them. Notes are facts, and are erased as facts.
 */
export const sweepNotes = (tables: PluginTables, names: ServiceNames): ErasureSweep => ({
  name: 'conflicts notes',
  async step({ tenantId, entityKey, scopes }, after, transaction) {
    const rows = (await tables
      .in(transaction)(RECORDS)
      .where({ tenant_id: tenantId, entity_key: entityKey })
      .whereIn('scope', scopes)
      .where('conflict_id', '>', after ?? '')
      .orderBy('conflict_id')
      .limit(RECORDS_AT_ONCE)
      .select('conflict_id')) as readonly { readonly conflict_id: string }[];
    const entities = rows.map(({ conflict_id }) => matchKey(conflictEntity(conflict_id, names), names));
    const ofNotes = all(
      equals('tenantId', tenantId),
      isIn('entityKey', entities),
      equals('relationKey', names.meta('conflict:note')),
      not(isNull('cid')),
    );
    const notes = entities.length === 0 ? [] : await transaction.outline(ofNotes);
    const isOver = rows.length < RECORDS_AT_ONCE;
    return {
      after: isOver ? null : (rows.at(-1)?.conflict_id ?? null),
      counts: { notes: notes.length },
      facts: notes.map(({ id }) => id),
    };
  },
});
