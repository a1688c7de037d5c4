import { groupBy } from '../../kit/group-by.ts';
import type { Neighbour } from './neighbours.tsx';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Between two entities of a ring, along it, and between a ring and the next. */
const ALONG = 78;
const BETWEEN = 150;

type Placed = Pick<Neighbour, 'entity' | 'hops' | 'path'>;

/**
 * Where entities stand: the one that is asked for in the middle, those beside it on a ring, and those behind them on a
 * wider one, each in the part of the ring that belongs to the entity before it, so that no lines cross.
 */
export const placeAround = (seed: string, neighbours: readonly Placed[]): ReadonlyMap<string, Point> => {
  const near = neighbours.filter(({ hops }) => hops === 1);
  const far = neighbours.filter(({ hops }) => hops > 1);
  const behind = groupBy(far, ({ path }) => path.at(-1) ?? seed);
  const shares = near.map(({ entity }) => Math.max(1, behind.get(entity)?.length ?? 0));
  const all = shares.reduce((sum, share) => sum + share, 0);
  const inner = Math.max(BETWEEN, (near.length * ALONG) / (2 * Math.PI));
  const outer = Math.max(inner + BETWEEN, (all * ALONG) / (2 * Math.PI));
  const points = new Map<string, Point>([[seed, { x: 0, y: 0 }]]);
  let before = 0;
  near.forEach(({ entity }, at) => {
    const share = shares[at] ?? 1;
    points.set(entity, onRing(inner, (before + share / 2) / all));
    for (const [index, child] of (behind.get(entity) ?? []).entries()) {
      points.set(child.entity, onRing(outer, (before + index + 0.5) / all));
    }
    before += share;
  });
  return points;
};

/** `turn` is the part of a whole turn from the top. */
const onRing = (radius: number, turn: number): Point => {
  const angle = (turn - 0.25) * 2 * Math.PI;
  return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
};
