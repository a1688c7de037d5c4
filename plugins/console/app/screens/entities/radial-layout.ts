import { groupBy } from '../../kit/group-by.ts';
import type { Neighbour } from './neighbours.tsx';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The distance between two entities of a ring, and between two rings, in pixels. */
const ALONG = 84;
const BETWEEN = 140;
/** The maximum number of entities on one ring; more alternate between two rings, so that their names have room. */
const ONE_RING = 8;
const STEP_OUT = 1.5;
type Placed = Pick<Neighbour, 'entity' | 'hops' | 'path'>;

/**
 * A radial layout: the requested entity in the middle, its neighbours on a ring, and their neighbours on a wider one.
 * Each entity lies in the sector of the one before it, so that no lines cross. `wideness` is width divided by height.
 */
export const radialLayout = (
  seed: string,
  neighbours: readonly Placed[],
  wideness: number,
): ReadonlyMap<string, Point> => {
  const near = neighbours.filter(({ hops }) => hops === 1);
  const far = neighbours.filter(({ hops }) => hops > 1);
  const behind = groupBy(far, ({ path }) => path.at(-1) ?? seed);
  const shares = near.map(({ entity }) => Math.max(1, behind.get(entity)?.length ?? 0));
  const all = shares.reduce((sum, share) => sum + share, 0);
  const byTurns = near.length > ONE_RING;
  const inner = Math.max(BETWEEN, (near.length * ALONG) / (byTurns ? 2 : 1) / (2 * Math.PI));
  const second = byTurns ? inner * STEP_OUT : inner;
  const outer = Math.max(second + BETWEEN, (all * ALONG) / (2 * Math.PI));
  const onRing = ringOf(wideness);
  const points = new Map<string, Point>([[seed, { x: 0, y: 0 }]]);
  let before = 0;
  near.forEach(({ entity }, at) => {
    const share = shares[at] ?? 1;
    points.set(entity, onRing(at % 2 === 0 ? inner : second, (before + share / 2) / all));
    for (const [index, child] of (behind.get(entity) ?? []).entries()) {
      points.set(child.entity, onRing(outer, (before + index + 0.5) / all));
    }
    before += share;
  });
  return points;
};

/** Returns a position on a ring. `turn` is the share of a full turn from the top. */
const ringOf =
  (wideness: number) =>
  (radius: number, turn: number): Point => {
    const angle = (turn - 0.25) * 2 * Math.PI;
    return { x: wideness * radius * Math.cos(angle), y: radius * Math.sin(angle) };
  };
