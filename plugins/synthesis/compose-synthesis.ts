import { LIST_BYTES, plainView, readVisiblePage, tripleId } from '../../kernel/internal-api.ts';
import {
  all,
  compareHlc,
  equals,
  type FactReader,
  type Filter,
  isIn,
  markOf,
  not,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import type { IntactFacts } from '../facts/facts-api.ts';
import { GARDEN_URI } from '../gardens/gardens-api.ts';
import type { RelationRules } from '../relations/relations-api.ts';
import { type Survey, strongestFirst } from './survey-facts.ts';
import type { Synthesis, SynthesisedFact, SynthesisedTriple } from './synthesis-api.ts';
import { contestable, hasRival, type SynthesisQuery } from './synthesis-filters.ts';

/**
 * The maximum size in bytes of the values of listed facts, and of other rivals. The limit is a third of a reply,
 * because triples repeat the values.
 */
const FACT_BYTES = Math.floor(LIST_BYTES / 3);
const RIVAL_BYTES = Math.floor(LIST_BYTES / 3);

export interface ComposingParts {
  readonly intact: IntactFacts | undefined;
  /** The rules about relations that hold many values. */
  readonly rules: RelationRules | undefined;
}

export type ComposedSynthesis = Pick<Synthesis, 'facts' | 'triples' | 'isCut'>;

/** Reads the facts of a survey that the reader may see now. */
export const composeSynthesis = async (
  reader: FactReader,
  { includeExpired }: SynthesisQuery,
  { factIds }: Pick<Survey, 'factIds'>,
  { intact, rules }: ComposingParts,
): Promise<ComposedSynthesis> => {
  const { facts: found, beyond } = await readVisiblePage(reader, factIds, 'newest', FACT_BYTES);
  const whole = await keepIntact(found, reader, intact);
  const judge = await judgeFor(reader, whole, rules);
  const facts = whole
    .sort(strongestFirst)
    .map(judge)
    // A fact may have ended after the job counted it.
    .filter(({ isLive, isExpired }) => isLive || (includeExpired && isExpired));
  const live = facts.filter(({ isLive }) => isLive);
  const { triples, isCut } = await summarise(reader, live, rules);
  return { facts, triples, isCut: isCut || beyond.size > 0 };
};

const keepIntact = async (
  facts: readonly StoredFact[],
  { caller }: FactReader,
  intact: IntactFacts | undefined,
): Promise<StoredFact[]> => {
  const views = facts.map(plainView);
  return ((await intact?.keepIntact(views, caller)) ?? views).map(({ fact }) => fact);
};

interface Judged extends SynthesisedFact {
  readonly isLive: boolean;
}

const judgeFor = async (
  reader: FactReader,
  facts: readonly StoredFact[],
  rules: RelationRules | undefined,
): Promise<(fact: StoredFact) => Judged> => {
  const { snapshot, nowMs } = reader;
  const live = await reader.constraint('live');
  const ids = facts.map(({ id }) => id);
  const named = isIn('id', ids);
  const idsOf = async (filter: Filter) => new Set((await snapshot.outline(filter)).map(({ id }) => id));
  const alive = await idsOf(all(live, named));
  const contradicted =
    alive.size === 0 ? alive : await idsOf(all(live, named, ...contestable(reader, rules), hasRival(live)));
  const expiries = (await snapshot.expiries(facts)).sort((a, b) => compareHlc(a.hlc, b.hlc));
  const ends = new Map(expiries.map(({ factId, expiresMs }) => [factId, expiresMs]));
  const inGardens = await reader.annotate(facts.filter(({ gardenId }) => gardenId !== null));
  const gardens = new Map(inGardens.map((view) => [view.fact.id, markOf(view, GARDEN_URI) ?? view.fact.gardenId]));
  return (fact) => ({
    fact,
    garden: gardens.get(fact.id) ?? null,
    isLive: alive.has(fact.id),
    isExpired: Math.min(fact.validUntilMs ?? Infinity, ends.get(fact.id) ?? Infinity) <= nowMs,
    isContradicted: contradicted.has(fact.id),
  });
};

/**
 * Returns the winners of the listed triples. Facts arrive strongest first, so the first fact of a triple is its winner,
 * and the next one with another value is its strongest rival. Only an unlisted rival needs a query.
 */
const summarise = async (
  reader: FactReader,
  facts: readonly Judged[],
  rules: RelationRules | undefined,
): Promise<Pick<ComposedSynthesis, 'triples' | 'isCut'>> => {
  const verdicts = rules?.at(reader.caller.tenantId);
  const winners = new Map<string, Judged>();
  const rivals = new Map<string, StoredFact>();
  for (const judged of facts) {
    const triple = tripleId(judged.fact);
    const winner = winners.get(triple);
    if (winner === undefined) winners.set(triple, judged);
    else if (verdicts?.holdsMany(judged.fact.relationKey) === true) continue;
    else if (!rivals.has(triple) && winner.fact.valueKey !== judged.fact.valueKey) rivals.set(triple, judged.fact);
  }
  const missing = [...winners].filter(([triple, { isContradicted }]) => isContradicted && !rivals.has(triple));
  const { found, isCut } = await unlistedRivals(
    reader,
    missing.map(([, { fact }]) => fact),
  );
  const triples = [...winners].map(([triple, { fact: winner, garden, isContradicted }]): SynthesisedTriple => {
    const rival = rivals.get(triple) ?? found.get(winner.id) ?? null;
    return { winner, garden, isContradicted, rival };
  });
  return { triples, isCut };
};

/** Returns rivals by the id of the winner. */
const unlistedRivals = async (
  reader: FactReader,
  winners: readonly StoredFact[],
): Promise<{ readonly found: ReadonlyMap<string, StoredFact>; readonly isCut: boolean }> => {
  const chosen = new Map<string, string>();
  for (const winner of winners) {
    const rival = await strongestRival(reader, winner);
    if (rival !== undefined) chosen.set(winner.id, rival);
  }
  const { facts, beyond } = await readVisiblePage(reader, [...chosen.values()], 'newest', RIVAL_BYTES);
  const byId = new Map(facts.map((fact) => [fact.id, fact]));
  const found = new Map(
    [...chosen].flatMap(([winner, rival]) => {
      const fact = byId.get(rival);
      return fact === undefined ? [] : [[winner, fact] as const];
    }),
  );
  return { found, isCut: beyond.size > 0 };
};

const strongestRival = async (reader: FactReader, winner: StoredFact): Promise<string | undefined> => {
  const rivals = all(await reader.constraint('live'), ...differingFrom(winner));
  return (await reader.snapshot.outline(rivals, 1, 'strength'))[0]?.id;
};

const differingFrom = ({ entityKey, relationKey, scope, gardenId, valueKey }: StoredFact): readonly Filter[] => [
  equals('entityKey', entityKey),
  equals('relationKey', relationKey),
  equals('scope', scope),
  equals('place', gardenId ?? ''),
  not(equals('valueKey', valueKey)),
];
