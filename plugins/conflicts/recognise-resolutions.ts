import { reachOf } from '../../kernel/internal-api.ts';
import { type AppendedBatch, type AppendedFact, noteOf, type WritableTables } from '../../kernel/plugin-api.ts';
import { type Citations, type CitedFact, type CitingFact, mayResolve, readCited, resolves } from './cited-facts.ts';
import { Resolution } from './conflicts-api.ts';
import { addWaiting, arrivedFacts, dropWaiting, type WaitingResolution, waitingFor } from './waiting-resolutions.ts';

/** A fact that resolves the contradictions of its triple in its garden: it supersedes older facts there. */
export interface EffectiveResolution {
  readonly fact: CitingFact & Pick<CitedFact, 'valueKey'>;
  /** The contradicting facts between which it decides. */
  readonly named: readonly CitedFact[];
  /** The only speaker whose facts it supersedes; null if it supersedes the facts of all speakers. */
  readonly reach: string | null;
  /** The note that `Conflicts.resolve` added to the fact. */
  readonly resolution: Resolution | undefined;
}

/**
 * Finds the resolutions that take effect with this batch. Returns them by the id of the fact in the batch that
 * completes them. A fact is a resolution if it names, by content id, two older facts of its triple and garden with
 * different values. That depends on the set of facts alone, so all nodes agree, in any order of arrival. The batch may
 * contain the resolution itself, or a fact that a stored resolution names.
 */
export const recogniseResolutions = async (
  batch: AppendedBatch,
  tables: WritableTables,
): Promise<ReadonlyMap<string, readonly EffectiveResolution[]>> => {
  const fresh = batch.facts.filter(({ fact }) => mayResolve(fact));
  const late = await waitingFor(arrivedFacts(batch), tables, batch.transaction);
  if (fresh.length === 0 && late.length === 0) return NOTHING;
  const known = await readCited(
    [...fresh, ...late].map(({ fact }) => fact),
    batch.transaction,
  );
  const places = new Map(batch.facts.map(({ fact }, at) => [fact.id, at]));
  const settled = new Map<string, EffectiveResolution[]>();
  const waiting: WaitingResolution[] = [];
  const done: CitingFact[] = [];
  const judge = ({ fact, reach }: WaitingResolution, at: number, resolution?: Resolution): boolean => {
    const { named } = known.get(fact.id) ?? NO_CITATIONS;
    if (resolution === undefined && !resolves(named)) return false;
    const by = batch.facts[Math.max(at, lastNeeded(named, places))]?.fact.id ?? fact.id;
    settled.set(by, [...(settled.get(by) ?? []), { fact, named, reach, resolution }]);
    return true;
  };
  for (const appended of fresh) {
    const { fact } = appended;
    const candidate = { fact, reach: reachOf(appended) };
    const isSettled = judge(candidate, places.get(fact.id) ?? 0, resolutionOf(appended));
    if (!isSettled && mayComeTrue(known.get(fact.id))) waiting.push(candidate);
  }
  for (const candidate of late) if (judge(candidate, -1)) done.push(candidate.fact);
  await addWaiting(tables, waiting);
  await dropWaiting(tables, done);
  return settled;
};

export const resolutionOf = ({ notes }: Pick<AppendedFact, 'notes'>): Resolution | undefined =>
  noteOf(notes, Resolution);

const NOTHING: ReadonlyMap<string, readonly EffectiveResolution[]> = new Map();
const NO_CITATIONS: Citations = { named: [], open: 0 };

/** Returns true if facts that arrive later could make this fact a resolution. */
const mayComeTrue = ({ named, open }: Citations = NO_CITATIONS): boolean => open + Math.min(named.length, 1) > 1;

/** Returns the index in the batch of the second of two differing facts; -1 if two were stored before. */
const lastNeeded = (named: readonly CitedFact[], places: ReadonlyMap<string, number>): number => {
  const first = new Map<string, number>();
  for (const { id, valueKey } of named) {
    first.set(valueKey, Math.min(first.get(valueKey) ?? Number.POSITIVE_INFINITY, places.get(id) ?? -1));
  }
  return [...first.values()].sort((a, b) => a - b)[1] ?? -1;
};
