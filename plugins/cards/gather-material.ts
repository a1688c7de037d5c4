import { NO_LONG_VALUES } from '../../kernel/internal-api.ts';
import {
  all,
  equals,
  type FactOutline,
  type FactReader,
  type FactView,
  type Filter,
  isIn,
  type Scope,
} from '../../kernel/plugin-api.ts';
import { isContradicted } from '../conflicts/conflicts-api.ts';
import { type Narrowed, narrowingFilter } from '../facts/facts-api.ts';
import type { CardMaterial } from './cards-api.ts';

/** The maximum number of facts in one card. */
export const MAX_FACTS = 20;
/** The maximum number of live facts that are compared with each other. It limits the work for a large entity. */
const MAX_WEIGHED = 10_000;
/** The number of newest facts to compare when an entity has more than `MAX_WEIGHED`. */
const MAX_NEWEST = 100;

/** The entity and the scope of a card. */
export interface CardSubject {
  readonly entityKey: string;
  readonly scope: Scope;
  /** Selects some of the subject's facts, for a card that is not stored. */
  readonly narrowed?: Narrowed | undefined;
}

export const aboutSubject = ({ entityKey, scope, narrowed }: CardSubject): Filter =>
  all(
    equals('entityKey', entityKey),
    equals('scope', scope),
    ...(narrowed === undefined ? [] : [narrowingFilter(narrowed)]),
  );

/** Counts the live facts of the subject that the reader sees. */
export const countLive = async (reader: FactReader, subject: CardSubject): Promise<number> =>
  reader.snapshot.count(all(await reader.constraint('live'), aboutSubject(subject)));

/**
 * Gathers the facts for a card of this reader. Returns null when the reader sees no live fact of the entity in the
 * scope.
 */
export const gatherMaterial = async (
  reader: FactReader,
  subject: CardSubject,
  liveCount: number,
): Promise<CardMaterial | null> => {
  if (liveCount === 0) return null;
  const ranked = [...(await weighed(reader, subject, liveCount))].sort(strongestFirst);
  const strongest = await viewsOf(reader, ranked.slice(0, MAX_FACTS));
  const [first] = strongest;
  if (first === undefined) return null;
  const contested = new Set(strongest.filter(isContradicted).map(({ fact }) => fact.relationKey));
  const { entity } = first.fact;
  if (contested.size === 0) return { entity, scope: subject.scope, facts: strongest, unlistedRivals: new Map() };
  const chosen = chooseAround(ranked, contested);
  const facts = await viewsOf(reader, chosen);
  return { entity, scope: subject.scope, facts, unlistedRivals: countUnlisted(ranked, facts) };
};

type Candidate = Pick<FactOutline, 'id' | 'confidence' | 'timestampMs' | 'relationKey'>;

const weighed = async (reader: FactReader, subject: CardSubject, liveCount: number): Promise<readonly Candidate[]> => {
  const about = aboutSubject(subject);
  if (liveCount > MAX_WEIGHED) {
    return reader.find(about, { view: 'live', order: 'timestamp', limit: MAX_NEWEST, longValues: NO_LONG_VALUES });
  }
  return reader.snapshot.outline(all(await reader.constraint('live'), about));
};

const strongestFirst = (a: Candidate, b: Candidate): number =>
  b.confidence - a.confidence || b.timestampMs - a.timestampMs || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

const viewsOf = async (reader: FactReader, candidates: readonly Candidate[]): Promise<FactView[]> => {
  const ids = candidates.map(({ id }) => id);
  const facts = await reader.find(isIn('id', ids), { view: 'live', order: 'feed', limit: ids.length });
  return [...(await reader.annotate(facts.sort(strongestFirst)))];
};

/** Lists all rivals of each contradiction, even weak ones, before undisputed facts. */
const chooseAround = (ranked: readonly Candidate[], contested: ReadonlySet<string>): Candidate[] => {
  const rivals = [...contested].flatMap((relation) => ranked.filter(({ relationKey }) => relationKey === relation));
  const undisputed = ranked.filter(({ relationKey }) => !contested.has(relationKey));
  return [...rivals, ...undisputed].slice(0, MAX_FACTS).sort(strongestFirst);
};

const countUnlisted = (ranked: readonly Candidate[], facts: readonly FactView[]): Map<string, number> => {
  const unlisted = new Map<string, number>();
  for (const relation of new Set(facts.filter(isContradicted).map(({ fact }) => fact.relationKey))) {
    const isOf = ({ relationKey }: Candidate): boolean => relationKey === relation;
    const missing = ranked.filter(isOf).length - facts.filter(({ fact }) => isOf(fact)).length;
    if (missing > 0) unlisted.set(relation, missing);
  }
  return unlisted;
};
