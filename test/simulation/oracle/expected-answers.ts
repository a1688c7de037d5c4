import { holds } from './violation.ts';
import type { FactRow, StoreWatch } from './watch-store.ts';

interface CoverRow {
  readonly fact_id: string;
  /** The speaker whose facts alone the cover ends; an empty text for the facts of all. */
  readonly speaker: string;
}

/** A fact that a query shows, whether it contradicts another one, and how another one has ended it. */
export type ShownFact = readonly [id: string, isContradicted: boolean, ended: string | null];

/** The answers that follow from the public facts of one node and from its grants, in any order of arrival. */
export interface ExpectedAnswers {
  /** The facts about an entity, newest first. `isWhole` includes retracted, expired and contradicted ones. */
  about(entityKey: string, isWhole: boolean): readonly ShownFact[];
  /** The members of each open conflict. */
  readonly conflicts: readonly (readonly string[])[];
}

export interface Judging {
  readonly nowMs: number;
  readonly nodeId: string;
  /** False if no peering of the simulation has the grant to end facts of others. */
  readonly mayEndOthers: boolean;
}

const COVERS = 'SELECT fact_id, speaker FROM fact_covers UNION SELECT fact_id, speaker FROM fact_named_covers';

/** Computes the answers by the rules of docs/concepts/contradictions.md alone, from one pass over each triple. */
export const expectAnswers = (store: StoreWatch, rows: readonly FactRow[], judging: Judging): ExpectedAnswers => {
  const covers = new Map(store.rows<CoverRow>(COVERS).map((row) => [row.fact_id, row.speaker]));
  const triples = new Map<string, FactRow[]>();
  for (const row of rows) {
    const triple = `${row.entity_key}\0${row.relation_key}`;
    triples.set(triple, [...(triples.get(triple) ?? []), row]);
  }
  const judged = [...triples.values()].map((facts) => judgeTriple(facts, covers, judging));
  const contested = new Set(judged.flatMap(({ live, isContested }) => (isContested ? live : [])));
  const current = new Set(judged.flatMap(({ shown }) => shown));
  const endings = new Map(judged.flatMap(({ ended }) => ended));
  return {
    about: (entityKey, isWhole) =>
      rows
        .filter((row) => row.entity_key === entityKey && (isWhole || current.has(row)))
        .sort((a, b) => b.timestamp_ms - a.timestamp_ms || (a.id < b.id ? 1 : -1))
        .map((row): ShownFact => [row.id, contested.has(row), endings.get(row) ?? null]),
    conflicts: judged.flatMap(({ live, isContested }) => (isContested ? [live.map(({ id }) => id)] : [])),
  };
};

const judgeTriple = (facts: readonly FactRow[], covers: ReadonlyMap<string, string>, judging: Judging) => {
  const ending = facts.filter((fact) => fact.replaces !== null || fact.confidence === 0 || isResolution(fact, facts));
  for (const fact of ending) checkReach(fact, covers.get(fact.id), judging);
  const coversOf = (fact: FactRow): FactRow[] =>
    ending.filter(
      (by) =>
        ['', fact.speaker].includes(covers.get(by.id) ?? '') && isNewer(by, fact) && ends(by, fact, judging.nodeId),
    );
  const isCovered = (fact: FactRow): boolean => coversOf(fact).length > 0;
  const lasts = ({ valid_until_ms: until }: FactRow): boolean => until === null || until > judging.nowMs;
  const live = facts.filter((fact) => fact.confidence > 0 && lasts(fact) && !isCovered(fact));
  const isContested = new Set(live.map(({ value_key: key }) => key)).size > 1;
  const isStronger = (one: FactRow, other: FactRow): boolean =>
    one.confidence > other.confidence || (one.confidence === other.confidence && isNewer(one, other));
  const winners = live.filter((fact) => !live.some((other) => isStronger(other, fact)));
  const winning = new Set(winners.map(({ value_key: key }) => key));
  const gone = facts.filter(
    (fact) =>
      fact.confidence === 0 &&
      // An expired retraction is hidden like any other expired fact. It still covers older facts.
      lasts(fact) &&
      !isCovered(fact) &&
      // One by name with the grant is hidden by the facts that it leaves live.
      (fact.replaces === null || covers.get(fact.id) !== '' || live.length === 0) &&
      !facts.some((other) => other.confidence > 0 && lasts(other) && isNewer(other, fact)),
  );
  const ended = facts
    .filter((fact) => fact.confidence > 0 && isCovered(fact))
    .map((fact) => [fact, coversOf(fact).some(isRetraction) ? 'retracted' : 'superseded'] as const);
  return { live, isContested, ended, shown: [...live.filter(({ value_key: key }) => winning.has(key)), ...gone] };
};

const isRetraction = ({ confidence }: FactRow): boolean => confidence === 0;

/** Returns true for a certain fact that names two older facts of its triple with different values. */
const isResolution = (fact: FactRow, facts: readonly FactRow[]): boolean => {
  const named = new Set(JSON.parse(fact.derived_from ?? '[]') as string[]);
  const older = facts.filter((other) => named.has(other.cid ?? '') && other.confidence > 0 && isNewer(fact, other));
  return fact.confidence === 1 && new Set(older.map(({ value_key: key }) => key)).size > 1;
};

/** Returns true if a fact that ends others names this one, or names none. */
const ends = ({ replaces, origin_node_id: origin }: FactRow, fact: FactRow, nodeId: string): boolean => {
  if (replaces === null) return true;
  const name = `${fact.origin_id ?? fact.id} ${fact.origin_node_id ?? nodeId}`;
  const names: readonly string[] = JSON.parse(replaces);
  return names.some((one) => (one.includes(' ') ? one : `${one} ${origin ?? nodeId}`) === name);
};

const checkReach = ({ id, speaker }: FactRow, reach: string | undefined, { mayEndOthers }: Judging): void => {
  holds('I12', reach !== undefined, () => `the fact ${id} ends nothing`);
  const own = speaker ?? '';
  const isAllowed = reach === own || (mayEndOthers && reach === '');
  holds('I14', isAllowed, () => `the fact ${id} of ${own} ends facts of others without a grant`);
};

const isNewer = (one: FactRow, other: FactRow): boolean =>
  one.hlc_wall > other.hlc_wall || (one.hlc_wall === other.hlc_wall && one.hlc_ctr > other.hlc_ctr);
