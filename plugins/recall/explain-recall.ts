import { NO_LONG_VALUES } from '../../kernel/internal-api.ts';
import { all, type FactView, isIn } from '../../kernel/plugin-api.ts';
import { type Admission, leftOutBy } from './admission.ts';
import { normaliseStages, type StageHits } from './fuse-stages.ts';
import { packByMmr } from './pack-by-mmr.ts';
import type { RecallContext } from './recall-api.ts';
import { packingOf, type RecallRequest } from './recall-request.ts';
import { type Found, weighty } from './recall-stages.ts';
import type { Candidate } from './score-found.ts';
import { similarityOf } from './text-signature.ts';
import type { FoundBy, Why, WhyNot, WhyNotStage } from './why-not.ts';

/** One finished recall, with what it kept from stage to stage. */
export interface Reached {
  readonly found: Found;
  readonly scored: readonly Candidate[];
  /** The candidates without copies, best first. */
  readonly ranked: readonly Candidate[];
  /** The packed facts, in the order in which they were packed. */
  readonly packed: readonly Candidate[];
  readonly unfit: readonly Candidate[];
}

export interface Explained {
  readonly request: RecallRequest;
  readonly reached: Reached;
  readonly card: FactView | null;
  readonly context: RecallContext;
  readonly admission: Admission;
  /** Runs the stages once more, as deep as any answer needs. */
  readonly searchDeeper: () => Promise<Found>;
}

/** Adds to each fact of the answer its place in every stage. */
export const withWhy = (facts: readonly Candidate[], { found, ranked, packed }: Reached): readonly Candidate[] => {
  const foundBy = placesIn(found);
  const ranks = new Map(ranked.map((one, at) => [one, at + 1]));
  const turns = new Map(packed.map((one, at) => [one, at + 1]));
  const whyOf = (one: Candidate): Why => ({
    foundBy: foundBy(one.view.fact.id),
    rank: ranks.get(one) as number,
    packed: turns.get(one) as number,
  });
  return facts.map((one) => ({ why: whyOf(one), ...one }));
};

/**
 * Returns for each named fact the first step of the recall that left it out. A fact that the caller may not see is as
 * unknown as one that never existed.
 */
export const whyNot = async (explained: Explained): Promise<readonly WhyNot[]> => {
  const { request, context, admission } = explained;
  const { reader } = context;
  const given = [...new Set(request.whyNot)];
  const seen = await reader.snapshot.outline(all(await reader.constraint('visible'), isIn('id', given)));
  const ids = seen.map(({ id }) => id);
  const live = await reader.find(isIn('id', ids), {
    view: 'live',
    order: 'any',
    limit: ids.length,
    longValues: NO_LONG_VALUES,
  });
  const views = new Map((await reader.annotate(live)).map((view) => [view.fact.id, view]));
  const known = new Set(ids);
  const lost = stepOf(explained);
  const answers: WhyNot[] = [];
  for (const id of given) {
    const view = views.get(id);
    if (!known.has(id)) answers.push({ id, stage: 'unknown' });
    else if (view === undefined) answers.push({ id, stage: 'not_live' });
    else answers.push({ id, ...(filteredOut(view, admission) ?? (await lost(view))) });
  }
  return answers;
};

type Step = Omit<WhyNot, 'id'>;

const filteredOut = (view: FactView, admission: Admission): Step | undefined => {
  const by = leftOutBy(view, admission);
  if (by === undefined) return undefined;
  return by === 'include_contradicted' ? { stage: 'contradicted' } : { stage: 'filtered', by };
};

/** Returns the step that left out a fact that the filters let through. */
const stepOf = ({ request, reached, card, context, searchDeeper }: Explained): ((view: FactView) => Promise<Step>) => {
  const { found, scored, ranked, packed, unfit } = reached;
  const foundBy = placesIn(found);
  let deeper: Promise<Found> | undefined;
  const notScored = async (id: string): Promise<Step> => {
    if (!found.isCut) return { stage: 'not_found' };
    deeper ??= searchDeeper();
    const more = await deeper;
    return weighty(more, request).has(id) ? { stage: 'depth', foundBy: placesIn(more)(id) } : { stage: 'not_found' };
  };
  return async ({ fact: { id, entityKey } }) => {
    if (card !== null && entityKey === context.view.entityKey) return { stage: 'card', by: card.fact.id };
    const candidate = scored.find(({ view }) => view.fact.id === id);
    if (candidate === undefined) return notScored(id);
    const known = { foundBy: foundBy(id), score: candidate.score };
    const at = ranked.findIndex(({ view }) => view.fact.id === id);
    const one = ranked[at];
    if (one === undefined) {
      const stands = ranked.find(({ copies }) => copies?.includes(id) === true);
      return { stage: 'repeated', by: stands?.view.fact.id, ...known };
    }
    const ranks = { ...known, rank: at + 1 };
    if (packed.includes(one)) return { stage: 'returned', ...ranks };
    const stage: WhyNotStage = unfit.includes(one) ? 'budget' : 'limit';
    return {
      ...(packsAlone(one, ranked, request) ? { stage: 'variety', by: nearest(one, packed) } : { stage }),
      ...ranks,
    };
  };
};

/**
 * True if a selection by score alone (lambda 1) would include the fact, so its similarity to packed facts excluded it.
 */
const packsAlone = (one: Candidate, ranked: readonly Candidate[], request: RecallRequest): boolean =>
  request.lambdaMmr < 1 && packByMmr(ranked, { ...packingOf(request), lambda: 1 }).packed.includes(one);

/** Returns the id of the packed fact most similar to this fact. */
const nearest = (one: Candidate, packed: readonly Candidate[]): string | undefined => {
  const own = one.signature();
  const [first] = packed
    .map(({ view, signature }) => ({ id: view.fact.id, likeness: similarityOf(own, signature()) }))
    .sort((a, b) => b.likeness - a.likeness);
  return first?.id;
};

/** Returns for a fact its rank and score in each stage that found it. */
const placesIn = (hits: StageHits): ((id: string) => FoundBy) => {
  const scores = [...normaliseStages(hits)];
  const ranks = STAGES.map((stage) => {
    const inStage = scores.flatMap(([id, of]) => (of[stage] > 0 ? [{ id, score: of[stage] }] : []));
    inStage.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
    return [stage, new Map(inStage.map(({ id, score }, at) => [id, { rank: at + 1, score }]))] as const;
  });
  return (id) => Object.fromEntries(ranks.flatMap(([stage, of]) => (of.has(id) ? [[stage, of.get(id)]] : [])));
};

const STAGES = ['lexical', 'semantic', 'graph'] as const;
