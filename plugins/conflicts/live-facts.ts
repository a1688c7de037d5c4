import type { FactOutline, PluginSnapshot, TripleKey } from '../../kernel/plugin-api.ts';
import { type LiveFact, NEVER, type Standing, standingOf } from './standing.ts';

/** Live facts of one place that are looked at when something is taken from it: its strongest. */
export const CROWD = 1_000;

type Mortal = Pick<FactOutline, 'tenantId' | 'id' | 'valueKey' | 'confidence' | 'hlc' | 'validUntilMs'>;
type Store = Pick<PluginSnapshot, 'expiries' | 'siblings'>;

/**
 * The facts with the instants at which they expire: by their own `valid_until`, or by a time-to-live if that is
 * earlier.
 */
export const withExpiries = async (store: Pick<Store, 'expiries'>, facts: readonly Mortal[]): Promise<LiveFact[]> => {
  if (facts.length === 0) return [];
  const found = await store.expiries(facts);
  const expiries = new Map(found.map(({ factId, expiresMs }) => [factId, expiresMs]));
  return facts.map(({ id, valueKey, confidence, hlc, validUntilMs }) => ({
    id,
    valueKey,
    confidence,
    hlc,
    untilMs: Math.min(validUntilMs ?? NEVER, expiries.get(id) ?? NEVER),
  }));
};

/** A place, worked out anew. */
export interface Judged {
  readonly triple: TripleKey;
  /** Its strongest live facts. */
  readonly facts: readonly FactOutline[];
  readonly standing: Standing;
}

/** Works places out from their facts in the store, as they are now. */
export const judgePlaces = async (store: Store, triples: readonly TripleKey[], nowMs: number): Promise<Judged[]> => {
  if (triples.length === 0) return [];
  const groups = await store.siblings(triples, nowMs, CROWD);
  const contested = groups.filter((facts) => facts.some(({ valueKey }) => valueKey !== facts[0]?.valueKey));
  const live = new Map((await withExpiries(store, contested.flat())).map((fact) => [fact.id, fact]));
  return triples.map((triple, at) => {
    const facts = groups[at] ?? [];
    const own = facts.flatMap(({ id }) => live.get(id) ?? []);
    // A place of one value is not contested. An append that joins it later reads its facts.
    const known = facts.length < CROWD ? NEVER : Math.max(...own.map(({ untilMs }) => untilMs), nowMs);
    return { triple, facts, standing: standingOf(own, nowMs, known) };
  });
};
