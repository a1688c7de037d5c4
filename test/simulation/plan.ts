import { createDice, type Dice, seedFor } from './world/dice.ts';

export const TOPOLOGIES = ['line', 'ring', 'star', 'full', 'islands'] as const;
export type Topology = (typeof TOPOLOGIES)[number];

export const NEMESES = [
  'partition',
  'storm',
  'slow-peer',
  'crash',
  'crash-inside',
  'restore',
  'clock-jump',
  'frozen-clock',
  'drift',
  'stranger',
] as const;
export type Nemesis = (typeof NEMESES)[number];

/** The scenario of one seed, completely determined by that number. */
export interface Plan {
  readonly seed: number;
  readonly nodes: number;
  readonly topology: Topology;
  /** Pairs of indexes, from 0, in the list of nodes. */
  readonly edges: readonly (readonly [number, number])[];
  readonly nemeses: ReadonlySet<Nemesis>;
  readonly operations: number;
  readonly pullIntervalS: number;
  /** Whether every peering has the grant to end facts of others. */
  readonly mayEndOthers: boolean;
  /** Whether faults never end, so that only safety can be checked. */
  readonly unlimitedFaults: boolean;
}

const PART = 5;

export const planOf = (seed: number): Plan => {
  const dice = createDice(seedFor(seed, PART));
  const nodes = dice.weighted([
    [8, 2],
    [9, 3],
    [4, 4],
    [1, 5],
    [1, 6],
  ]);
  const topology = dice.pick(nodes < 4 ? TOPOLOGIES.filter((name) => name !== 'islands') : TOPOLOGIES);
  return {
    seed,
    nodes,
    topology,
    edges: edgesOf(topology, nodes),
    nemeses: nemesesOf(dice),
    operations: dice.whole(30, 60),
    pullIntervalS: dice.pick([5, 10, 20]),
    mayEndOthers: seed % 2 === 0,
    unlimitedFaults: seed % 5 === 4,
  };
};

const nemesesOf = (dice: Dice): ReadonlySet<Nemesis> => {
  const chosen = NEMESES.filter(() => dice.comes(0.35));
  // A restored store may accept the second of two versions under one id, which is no bug, so these two faults are never
  // combined.
  return new Set(chosen.includes('stranger') ? chosen.filter((name) => name !== 'restore') : chosen);
};

const edgesOf = (topology: Topology, nodes: number): (readonly [number, number])[] => {
  const places = Array.from({ length: nodes }, (_, place) => place);
  const line = (of: readonly number[]) => of.slice(1).map((place, at) => [of[at] as number, place] as const);
  switch (topology) {
    case 'line':
      return line(places);
    case 'ring':
      return nodes < 3 ? line(places) : [...line(places), [nodes - 1, 0]];
    case 'star':
      return places.slice(1).map((place) => [0, place]);
    case 'full':
      return places.flatMap((one) => places.filter((other) => other > one).map((other) => [one, other] as const));
    case 'islands': {
      const half = Math.ceil(nodes / 2);
      return [...line(places.slice(0, half)), ...line(places.slice(half))];
    }
  }
};

/** Returns the groups of nodes that can reach each other, as lists of indexes. */
export const groupsOf = ({ nodes, edges }: Pick<Plan, 'nodes' | 'edges'>): readonly (readonly number[])[] => {
  const group = Array.from({ length: nodes }, (_, place) => place);
  for (const [one, other] of edges) {
    const [from, to] = [group[one], group[other]];
    for (const place of group.keys()) if (group[place] === from) group[place] = to as number;
  }
  const names = [...new Set(group)];
  return names.map((name) => [...group.keys()].filter((place) => group[place] === name));
};
