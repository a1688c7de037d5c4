import { type LedgerPiece, ledgerPieces } from '../../kernel/internal-api.ts';
import {
  above,
  all,
  any,
  below,
  compareHlc,
  equals,
  type FactOutline,
  type FactReader,
  type Filter,
  isIn,
  not,
} from '../../kernel/plugin-api.ts';
import type { RelationRules } from '../relations/relations-api.ts';
import { filtersFor, type SynthesisFilters, type SynthesisQuery } from './synthesis-filters.ts';

/** An entity with at most this number of facts is read in one piece, by its index. */
const FEW_FACTS = 2_000;

/** The result of a synthesis without any value. Plain JSON, because jobs store it. */
export interface Survey {
  /** The strongest facts, strongest first. */
  readonly factIds: readonly string[];
  readonly factCount: number;
  readonly filteredCount: number;
  readonly expiredCount: number;
  readonly contradictionCount: number;
}

export interface SurveyOptions {
  /** The rules about relations that hold many values. */
  readonly rules: RelationRules | undefined;
  readonly signal?: AbortSignal;
  /** Called after each piece with the number of counted facts. */
  counted?(facts: number): void;
}

type Ranked = Pick<FactOutline, 'id' | 'confidence' | 'hlc'>;

/**
 * Counts the facts of a query and finds the strongest, in pieces of the ledger from its end. Memory holds the listed
 * facts and one piece. When the list is full, a piece yields only facts that are stronger than the weakest listed one.
 */
export const surveyFacts = async (
  reader: FactReader,
  query: SynthesisQuery,
  { rules, signal, counted }: SurveyOptions,
): Promise<Survey> => {
  const filters = await filtersFor(reader, query, rules);
  const counts = { factCount: 0, filteredCount: 0, expiredCount: 0, contradictionCount: 0 };
  let strongest: Ranked[] = [];
  for await (const piece of piecesFor(reader, query)) {
    signal?.throwIfAborted();
    const found = await countIn(reader, query, filters, piece);
    for (const name of COUNTS) counts[name] += found[name];
    counted?.(counts.factCount + counts.filteredCount);
    if (found.factCount === 0) continue;
    const cut = strongest.length < query.limit ? undefined : strongest.at(-1);
    strongest = [...strongest, ...(await strongerIn(reader, filters.matching, cut, piece))]
      .sort(strongestFirst)
      .slice(0, query.limit);
  }
  return { ...counts, factIds: strongest.map(({ id }) => id) };
};

const COUNTS = ['factCount', 'filteredCount', 'expiredCount', 'contradictionCount'] as const;

/** Yields the whole ledger as one piece for an entity with few facts, because its index finds them. */
async function* piecesFor(
  { caller: { tenantId }, snapshot }: FactReader,
  { entityKey }: SynthesisQuery,
): AsyncGenerator<LedgerPiece> {
  const { number: upTo } = await snapshot.ledgerHead(tenantId);
  const ofEntity = entityKey === null ? undefined : all(equals('tenantId', tenantId), equals('entityKey', entityKey));
  if (ofEntity !== undefined && (await snapshot.count(ofEntity)) <= FEW_FACTS) {
    yield { tenantId, above: 0, below: upTo + 1 };
  } else {
    yield* ledgerPieces(tenantId, { upTo, order: 'newest' });
  }
}

const countIn = async (
  { snapshot }: FactReader,
  { minConfidence, includeExpired }: SynthesisQuery,
  { matching, filtered, live, leads }: SynthesisFilters,
  piece: LedgerPiece,
): Promise<Pick<Survey, (typeof COUNTS)[number]>> => {
  const count = (filter: Filter): Promise<number> => snapshot.ledgerCount({ ...piece, filter });
  const factCount = await count(matching);
  const filteredCount = minConfidence > 0 ? await count(filtered) : 0;
  if (factCount === 0) return { factCount, filteredCount, expiredCount: 0, contradictionCount: 0 };
  const expiredCount = includeExpired ? factCount - (await count(live)) : 0;
  return { factCount, filteredCount, expiredCount, contradictionCount: await count(leads) };
};

const strongerIn = async (
  { caller: { tenantId }, snapshot }: FactReader,
  matching: Filter,
  cut: Ranked | undefined,
  piece: LedgerPiece,
): Promise<readonly Ranked[]> => {
  const filter = cut === undefined ? matching : all(matching, isNotWeaker(cut));
  const limit = piece.below - piece.above;
  const entries = await snapshot.ledger({ ...piece, filter, order: 'newest', limit, members: ['factId'] });
  if (entries.length === 0) return [];
  const ids = entries.map(({ factId }) => factId);
  const found = await snapshot.outline(all(equals('tenantId', tenantId), isIn('id', ids)));
  return found.map(({ id, confidence, hlc }) => ({ id, confidence, hlc }));
};

const isNotWeaker = ({ confidence, hlc }: Ranked): Filter =>
  any(above('confidence', confidence), all(not(below('confidence', confidence)), not(below('hlc', hlc))));

/** Orders exact ties by id, the lower one first, as contradictions do. */
export const strongestFirst = (a: Ranked, b: Ranked): number =>
  b.confidence - a.confidence || compareHlc(b.hlc, a.hlc) || (a.id < b.id ? -1 : 1);
