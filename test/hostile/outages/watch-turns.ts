import { CHEAP_COST } from '../../../kernel/http/person-turns.ts';
import type { Turns } from '../../../kernel/plugin-api.ts';

/** The work of all requests since the last `reset`, as the turns saw it. */
export interface TurnWatch {
  reset(): void;
  /** The highest excess of one person's work in progress over the limit that applied at that moment. */
  readonly excess: number;
  /** The most costly starts of others between the arrival and the start of a person's only request. */
  readonly mostOvertaken: number;
  /** The number of requests that did not start when they arrived. */
  readonly waited: number;
  /** The cost of the costliest request. */
  readonly highestCost: number;
}

interface Limits {
  readonly ofPerson: number;
  /** The limit for work of one person with its cheap requests. */
  readonly withCheap: number;
}

const add = (sums: Map<string, number>, name: string, more: number): void =>
  void sums.set(name, (sums.get(name) ?? 0) + more);

/** Watches every start and end of work on a node. It judges work in progress, which no speed of a machine changes. */
export const watchTurns = (turns: Turns, { ofPerson, withCheap }: Limits): TurnWatch => {
  const run = turns.run.bind(turns);
  const costly = new Map<string, number>();
  const unended = new Map<string, number>();
  const seen = { excess: 0, mostOvertaken: 0, waited: 0, highestCost: 0 };
  /** The person of each costly start, in order. */
  let starts: string[] = [];
  turns.run = async (person, cost, work) => {
    const { entityUri } = person;
    const arrivedAt = starts.length;
    let hasStarted = false;
    seen.highestCost = Math.max(seen.highestCost, cost);
    const isOnly = (unended.get(entityUri) ?? 0) === 0;
    add(unended, entityUri, 1);
    const costlyPart = cost > CHEAP_COST ? cost : 0;
    const ended = run(person, cost, async () => {
      hasStarted = true;
      add(costly, entityUri, costlyPart);
      if (isOnly) seen.mostOvertaken = Math.max(seen.mostOvertaken, starts.length - arrivedAt);
      if (costlyPart > 0) starts.push(entityUri);
      const ofCostly = (costly.get(entityUri) ?? 0) - Math.max(ofPerson, cost);
      seen.excess = Math.max(seen.excess, ofCostly, turns.costOf(person) - Math.max(withCheap, cost));
      try {
        return await work();
      } finally {
        add(costly, entityUri, -costlyPart);
      }
    });
    if (!hasStarted) seen.waited += 1;
    try {
      return await ended;
    } finally {
      add(unended, entityUri, -1);
    }
  };
  return {
    reset() {
      starts = [];
      Object.assign(seen, { excess: 0, mostOvertaken: 0, waited: 0, highestCost: 0 });
    },
    get excess() {
      return seen.excess;
    },
    get mostOvertaken() {
      return seen.mostOvertaken;
    },
    get waited() {
      return seen.waited;
    },
    get highestCost() {
      return seen.highestCost;
    },
  };
};
