import { canonicalJson, isErased, isIntact } from '../../kernel/internal-api.ts';
import {
  all,
  equals,
  isNull,
  not,
  type PluginSnapshot,
  type PluginTables,
  type Random,
  type StoredFact,
  type SuppressedFacts,
  sha256Hex,
} from '../../kernel/plugin-api.ts';
import type { SampledFact, StoreSamples } from './backup-api.ts';

interface SamplesParts {
  readonly tables: PluginTables;
  readonly random: Random;
  readonly suppressed: SuppressedFacts | undefined;
}

/** Draws facts from a store, and reads the same facts from another copy of it. */
export const createSamples = ({ tables, random, suppressed }: SamplesParts): StoreSamples => {
  const read = (snapshot: PluginSnapshot, tenantId: string, id: string): Promise<SampledFact> =>
    sampleOf(snapshot, { tenantId, id }, suppressed);
  return {
    async draw(count) {
      const ends = await tables.read((_own, snapshot) => snapshot.ledgerEnds());
      const total = ends.reduce((sum, { number }) => sum + number, 0);
      const found = new Map<string, SampledFact>();
      for (let at = 0; at < Math.min(count, total); at += 1) {
        const { tenantId, above } = placeOf(total <= count ? at : Math.floor(random.fraction() * total), ends);
        const drawn = await tables.read(async (_own, snapshot) => {
          const [entry] = await snapshot.ledger({ tenantId, above, order: 'oldest', limit: 1, members: ['factId'] });
          return entry === undefined ? undefined : read(snapshot, tenantId, entry.factId);
        });
        if (drawn !== undefined) found.set(`${tenantId} ${drawn.id}`, drawn);
      }
      return [...found.values()];
    },
    async again(facts) {
      const found: SampledFact[] = [];
      for (const { tenantId, id } of facts) {
        found.push(await tables.read((_own, snapshot) => read(snapshot, tenantId, id)));
      }
      return found;
    },
  };
};

/** Returns the ledger and the number before the entry at this place, counted over all ledgers. */
const placeOf = (
  place: number,
  ends: readonly { readonly tenantId: string; readonly number: number }[],
): { readonly tenantId: string; readonly above: number } => {
  let above = place;
  for (const { tenantId, number } of ends) {
    if (above < number) return { tenantId, above };
    above -= number;
  }
  return { tenantId: ends[0]?.tenantId ?? '', above: 0 };
};

const sampleOf = async (
  snapshot: PluginSnapshot,
  name: { readonly tenantId: string; readonly id: string },
  suppressed: SuppressedFacts | undefined,
): Promise<SampledFact> => {
  const fact = await snapshot.get(name.tenantId, name.id);
  if (fact === undefined) return { ...name, state: 'missing', digest: null, references: [] };
  // An erased fact has no value, and a damaged one is found by the checks.
  if (!isIntact(fact)) {
    const isKeyless = isErased(fact) && (await hasStoredCid(snapshot, name));
    return { ...name, state: isKeyless ? 'keyless' : 'erased', digest: null, references: [] };
  }
  const isHidden = suppressed?.isSuppressing === true && (await suppressed.among(snapshot, [fact])).length > 0;
  return { ...name, state: isHidden ? 'hidden' : 'there', digest: digestOf(fact), references: fact.derivedFrom };
};

/** An erasure removes the content id from the row, and only the key where the row is a copy of before. */
const hasStoredCid = async (
  snapshot: PluginSnapshot,
  { tenantId, id }: { readonly tenantId: string; readonly id: string },
): Promise<boolean> =>
  (await snapshot.count(all(equals('tenantId', tenantId), equals('id', id), not(isNull('cid'))))) > 0;

/** The digest of the value and the provenance of a fact, without members that may change, as references do. */
const digestOf = (fact: StoredFact): string => {
  const { entity, relation, value, source, timestamp, confidence, validFrom, validUntil, cid } = fact;
  const { replaces, sessionId, assertedBy, receivedFrom, originNodeId, hlcText } = fact;
  const said = { entity, relation, value, source, timestamp, confidence, validFrom, validUntil, cid };
  const origin = { replaces, sessionId, assertedBy, receivedFrom, originNodeId, hlcText };
  return sha256Hex(canonicalJson({ ...said, ...origin }));
};
