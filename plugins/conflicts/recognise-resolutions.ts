import { type AppendedBatch, type AppendedFact, noteOf, type WritableTables } from '../../kernel/plugin-api.ts';
import { Resolution } from './conflicts-api.ts';
import { mayResolve, type Named, type NamedFacts, type Naming, readNamed, resolves } from './named-facts.ts';
import { addWaiting, arrivedFacts, dropWaiting, waitingFor } from './waiting-resolutions.ts';

/** A fact that settles its triple: all that is older there, in its place, is superseded. */
export interface Settling {
  readonly fact: Naming & Pick<Named, 'valueKey'>;
  /** The rivals between which it decides. */
  readonly named: readonly Named[];
  /** What `Conflicts.resolve` noted on it. */
  readonly resolution: Resolution | undefined;
}

/**
 * Which facts settle their triple from now on, by the id of the fact of the batch that brings it about. A fact does
 * when it names, by their content ids, at least two facts of its own triple and place that differ in value and have
 * lower stamps. That follows from the set of facts alone, so all nodes agree on it, whoever asserted the fact and
 * whatever came first: the fact itself, or one that it names. In the second case it has waited.
 */
export const recogniseResolutions = async (
  batch: AppendedBatch,
  tables: WritableTables,
): Promise<ReadonlyMap<string, readonly Settling[]>> => {
  const fresh = batch.facts.filter(({ fact }) => mayResolve(fact));
  const late = await waitingFor(arrivedFacts(batch), tables, batch.transaction);
  if (fresh.length === 0 && late.length === 0) return NOTHING;
  const known = await readNamed([...fresh.map(({ fact }) => fact), ...late], batch.transaction);
  const places = new Map(batch.facts.map(({ fact }, at) => [fact.id, at]));
  const settled = new Map<string, Settling[]>();
  const waiting: Naming[] = [];
  const done: Naming[] = [];
  const judge = (fact: Settling['fact'], at: number, resolution?: Resolution): boolean => {
    const { named } = known.get(fact.id) ?? NO_NAMED;
    if (resolution === undefined && !resolves(named)) return false;
    const by = batch.facts[Math.max(at, lastNeeded(named, places))]?.fact.id ?? fact.id;
    settled.set(by, [...(settled.get(by) ?? []), { fact, named, resolution }]);
    return true;
  };
  for (const appended of fresh) {
    const { fact } = appended;
    const isSettled = judge(fact, places.get(fact.id) ?? 0, resolutionOf(appended));
    if (!isSettled && mayComeTrue(known.get(fact.id))) waiting.push(fact);
  }
  for (const fact of late) if (judge(fact, -1)) done.push(fact);
  await addWaiting(tables, waiting);
  await dropWaiting(tables, done);
  return settled;
};

export const resolutionOf = ({ notes }: Pick<AppendedFact, 'notes'>): Resolution | undefined =>
  noteOf(notes, Resolution);

const NOTHING: ReadonlyMap<string, readonly Settling[]> = new Map();
const NO_NAMED: NamedFacts = { named: [], open: 0 };

/** Whether facts that are still to come could make it settle its triple. */
const mayComeTrue = ({ named, open }: NamedFacts = NO_NAMED): boolean => open + Math.min(named.length, 1) > 1;

/** Where in the batch the second of two differing facts is added; -1 when two were there before. */
const lastNeeded = (named: readonly Named[], places: ReadonlyMap<string, number>): number => {
  const first = new Map<string, number>();
  for (const { id, valueKey } of named) {
    first.set(valueKey, Math.min(first.get(valueKey) ?? Number.POSITIVE_INFINITY, places.get(id) ?? -1));
  }
  return [...first.values()].sort((a, b) => a - b)[1] ?? -1;
};
