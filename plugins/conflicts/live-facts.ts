import { openAmong, type TripleKey } from '../../kernel/internal-api.ts';
import {
  type AppendedBatch,
  type AppendedFact,
  all,
  equals,
  type FactOutline,
  isIn,
  type PluginSnapshot,
} from '../../kernel/plugin-api.ts';
import { type HiddenRivals, withoutHidden } from './hidden-rivals.ts';
import { type LiveFact, NEVER, timelineOf, type WinnerTimeline } from './winner-timeline.ts';

/** The maximum number of live facts of a triple that are read, strongest first, to compute its winners again. */
export const CROWD = 1_000;

type ExpiringFact = Pick<
  FactOutline,
  'tenantId' | 'id' | 'valueKey' | 'confidence' | 'hlc' | 'validFromMs' | 'validUntilMs'
>;

/** Adds to each fact its beginning, and the instant at which it expires by `valid_until` or an earlier time-to-live. */
export const withExpiries = async (
  store: Pick<PluginSnapshot, 'expiries'>,
  facts: readonly ExpiringFact[],
): Promise<LiveFact[]> => {
  if (facts.length === 0) return [];
  const found = await store.expiries(facts);
  const expiries = new Map(found.map(({ factId, expiresMs }) => [factId, expiresMs]));
  return facts.map(({ id, valueKey, confidence, hlc, validFromMs, validUntilMs }) => ({
    id,
    valueKey,
    confidence,
    hlc,
    fromMs: validFromMs ?? 0,
    untilMs: Math.min(validUntilMs ?? NEVER, expiries.get(id) ?? NEVER),
  }));
};

/** A triple in a garden with its winners, computed from its stored facts. */
export interface JudgedPlace {
  readonly triple: TripleKey;
  /** The strongest live facts of the triple, without those that are hidden beside visible ones. */
  readonly facts: readonly FactOutline[];
  /** True if there may be more facts. */
  readonly isCut: boolean;
  readonly timeline: WinnerTimeline;
}

/** Computes the winners of triples from their facts in the store. */
export const judgePlaces = async (
  store: PluginSnapshot,
  triples: readonly TripleKey[],
  nowMs: number,
  hiddenRivals: HiddenRivals,
): Promise<JudgedPlace[]> => {
  if (triples.length === 0) return [];
  const read = await store.siblings(triples, nowMs, CROWD);
  const hidden = await hiddenRivals(read.flat(), store);
  const groups: (readonly FactOutline[])[] = [];
  for (const [at, triple] of triples.entries()) {
    const search = { triple, store, moment: { nowMs }, hiddenRivals };
    groups.push(await withoutHidden(read[at] ?? [], hidden, CROWD, search));
  }
  const contested = groups.filter((facts) => facts.some(({ valueKey }) => valueKey !== facts[0]?.valueKey));
  const live = new Map((await withExpiries(store, contested.flat())).map((fact) => [fact.id, fact]));
  return triples.map((triple, at) => {
    const facts = groups[at] ?? [];
    const own = facts.flatMap(({ id }) => live.get(id) ?? []);
    // A triple with one value has no contradiction, so its timeline needs no end. An append with another value reads
    // its facts again.
    const isCut = facts.length >= CROWD;
    const known = isCut ? Math.max(...own.map(({ untilMs }) => untilMs), nowMs) : NEVER;
    return { triple, facts, isCut, timeline: timelineOf(own, nowMs, known) };
  });
};

/** Returns the ids of those replicated facts that no stored fact has ended before they arrived. */
export const liveArrivals = async (
  { transaction, nowMs }: AppendedBatch,
  contenders: readonly AppendedFact[],
): Promise<ReadonlySet<string>> => {
  const ids = contenders.flatMap(({ fact, origin }) => (origin === 'peer' ? [fact.id] : []));
  if (ids.length === 0) return new Set();
  const ofTenant = equals('tenantId', contenders[0]?.fact.tenantId ?? '');
  const live = await transaction.outline(openAmong(all(ofTenant, isIn('id', ids)), { nowMs }));
  return new Set(live.map(({ id }) => id));
};
