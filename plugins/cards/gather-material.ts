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
/**
 * The maximum number of live facts that are compared with each other, the newest ones. It limits the work for a large
 * entity.
 */
const MAX_WEIGHED = 10_000;
/** The maximum bytes of the values in one card. A single value may have 1 MiB, of which a card shows a line. */
const MAX_VALUE_BYTES = 4 * 1024 * 1024;

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
  const ranked = (await weighed(reader, subject, liveCount)).sort(strongestFirst);
  const strongest = await viewsOf(reader, fitting(ranked));
  const [first] = strongest;
  if (first === undefined) return null;
  const contested = new Set(strongest.filter(isContradicted).map(({ fact }) => fact.relationKey));
  const { entity } = first.fact;
  if (contested.size === 0) return { entity, scope: subject.scope, facts: strongest, unlistedRivals: new Map() };
  const facts = await viewsOf(reader, chooseAround(ranked, contested));
  return { entity, scope: subject.scope, facts, unlistedRivals: countUnlisted(ranked, facts) };
};

type Ranked = Pick<FactOutline, 'id' | 'confidence' | 'timestampMs' | 'relationKey'>;
type Candidate = Ranked & { readonly valueBytes: number };

const weighed = async (reader: FactReader, subject: CardSubject, liveCount: number): Promise<Candidate[]> => {
  const about = all(await reader.constraint('live'), aboutSubject(subject));
  if (liveCount <= MAX_WEIGHED) return reader.snapshot.outline(about);
  return reader.snapshot.outline(about, MAX_WEIGHED, 'timestamp');
};

/** Returns the first candidates whose number and values fit into a card, at least one. */
const fitting = (ranked: readonly Candidate[]): readonly Candidate[] => {
  let bytes = 0;
  const most = ranked.slice(0, MAX_FACTS);
  const end = most.findIndex(({ valueBytes }, at) => {
    bytes += valueBytes;
    return at > 0 && bytes > MAX_VALUE_BYTES;
  });
  return end < 0 ? most : most.slice(0, end);
};

const strongestFirst = (a: Ranked, b: Ranked): number =>
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
  return [...fitting([...rivals, ...undisputed])].sort(strongestFirst);
};

const countUnlisted = (ranked: readonly Candidate[], facts: readonly FactView[]): Map<string, number> => {
  const unlisted = new Map<string, number>();
  for (const relation of new Set(facts.filter(isContradicted).map(({ fact }) => fact.relationKey))) {
    const isOf = ({ relationKey }: Pick<Ranked, 'relationKey'>): boolean => relationKey === relation;
    const missing = ranked.filter(isOf).length - facts.filter(({ fact }) => isOf(fact)).length;
    if (missing > 0) unlisted.set(relation, missing);
  }
  return unlisted;
};
