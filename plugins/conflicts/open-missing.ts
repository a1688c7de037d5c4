import { SIBLING_LIMIT, type TripleKey } from '../../kernel/internal-api.ts';
import { all, equals, isIn, type PluginSnapshot, type StoredFact } from '../../kernel/plugin-api.ts';
import type { Membership } from './conflict-record.ts';
import type { RecordWriter } from './record-writer.ts';
import { type Contender, compareAge, strongestRival } from './strength.ts';

/** A triple with contradicting live facts but without an open record. */
export interface UnrecordedPlace {
  readonly triple: TripleKey;
  /** The live facts of the triple; of very many only the strongest. */
  readonly facts: readonly (Contender & Membership['fact'])[];
}

/**
 * Opens records for triples whose facts contradict each other without a new fact, for instance because a later
 * time-to-live revived one.
 */
export const openMissing = async (
  places: readonly UnrecordedPlace[],
  writer: RecordWriter,
  snapshot: PluginSnapshot,
): Promise<void> => {
  const missing = places.flatMap(({ triple, facts }) => {
    const [newest] = [...facts].sort(compareAge);
    const rival = newest && strongestRival(newest, facts);
    return newest === undefined || rival === undefined ? [] : [{ triple, facts, newest, rival }];
  });
  const [first] = missing;
  if (first === undefined) return;
  const ids = missing.map(({ newest }) => newest.id);
  const filter = all(equals('tenantId', first.triple.tenantId), isIn('id', ids));
  const found = await snapshot.find({ filter, order: 'feed', limit: ids.length });
  const stored = new Map<string, StoredFact>(found.map((fact) => [fact.id, fact]));
  for (const { triple, facts, newest, rival } of missing) {
    const fact = stored.get(newest.id);
    if (fact === undefined) continue;
    const others = facts.slice(0, SIBLING_LIMIT).filter(({ id }) => id !== fact.id && id !== rival.id);
    writer.open(triple, fact, rival, [fact, rival, ...others]);
  }
};
