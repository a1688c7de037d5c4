import type { FeedPage } from '../../../kernel/internal-api.ts';
import {
  all,
  compareHlc,
  equals,
  FACT_RETURNED,
  type Hlc,
  isIn,
  type PluginSnapshot,
  type ServiceNames,
  type StoredFact,
  type SuppressedFacts,
} from '../../../kernel/plugin-api.ts';
import { ttlTarget } from '../../facts/facts-api.ts';
import type { Generation } from '../vectors/generation.ts';
import type { VectorStore } from '../vectors/vector-store.ts';
import { isEmbedded } from './embed-text.ts';

export interface ChoiceParts {
  readonly store: Pick<VectorStore, 'without'>;
  /** Undefined if no plugin hides facts. */
  readonly suppressed: SuppressedFacts | undefined;
  readonly names: ServiceNames;
}

type Read = Omit<FeedPage<undefined>, 'more'>;

/**
 * Returns the facts of a feed page that need a vector: new facts, and facts without one that a revoked tombstone or a
 * new time-to-live makes visible again.
 */
export const newFactsToEmbed = async (
  { entries, facts }: Read,
  generation: Generation,
  snapshot: PluginSnapshot,
  { store, names }: ChoiceParts,
): Promise<readonly StoredFact[]> => {
  const ttl = names.meta('ttl');
  const again = [
    ...entries.filter(({ kind }) => kind === FACT_RETURNED.id).map(({ tenantId, subjectId: id }) => ({ tenantId, id })),
    ...facts
      .filter(({ relationKey }) => relationKey === ttl)
      .map(({ tenantId, entity }) => ({ tenantId, id: ttlTarget(entity, names) })),
  ];
  const wanted = facts.filter(isEmbedded);
  if (again.length === 0) return wanted;
  const here = new Set(facts.map(({ tenantId, id }) => `${tenantId} ${id}`));
  const elsewhere = again.filter(({ tenantId, id }) => !here.has(`${tenantId} ${id}`));
  const bare = elsewhere.length === 0 ? [] : await store.without(generation, elsewhere, snapshot);
  for (const tenantId of new Set(bare.map((fact) => fact.tenantId))) {
    const ids = [...new Set(bare.filter((fact) => fact.tenantId === tenantId).map(({ id }) => id))];
    const filter = all(equals('tenantId', tenantId), isIn('id', ids));
    const found = await snapshot.find({ filter, order: 'feed', limit: ids.length });
    // The job for older facts embeds the others later.
    wanted.push(...found.filter((fact) => isEmbedded(fact) && !isAhead(fact.feed, generation)));
  }
  return wanted;
};

/**
 * Returns the facts of a page from before the generation that need a vector: those without one that are not erased,
 * hidden by a tombstone or expired.
 */
export const oldFactsToEmbed = async (
  { facts }: Read,
  generation: Generation,
  snapshot: PluginSnapshot,
  nowMs: number,
  { store, suppressed }: ChoiceParts,
): Promise<readonly StoredFact[]> => {
  const goal = generation.backlog?.goal;
  const wanted = facts.filter(
    (fact) =>
      isEmbedded(fact) && (goal === undefined || compareHlc(fact.feed, goal) <= 0) && !isOver(fact.validUntilMs, nowMs),
  );
  if (wanted.length === 0) return [];
  const expiries = await snapshot.expiries(wanted);
  const expired = new Set(
    expiries.filter(({ expiresMs }) => isOver(expiresMs, nowMs)).map(({ tenantId, factId }) => `${tenantId} ${factId}`),
  );
  const hidden = new Set(await suppressed?.among(snapshot, wanted));
  const findable = wanted.filter((fact) => !hidden.has(fact) && !expired.has(`${fact.tenantId} ${fact.id}`));
  return findable.length === 0 ? [] : store.without(generation, findable, snapshot);
};

const isOver = (endMs: number | null, nowMs: number): boolean => endMs !== null && endMs <= nowMs;

/** Returns true if the backlog has not reached this position of the feed yet. */
const isAhead = (feed: Hlc, { backlog }: Generation): boolean =>
  backlog !== undefined && compareHlc(feed, backlog.position) > 0 && compareHlc(feed, backlog.goal) <= 0;
