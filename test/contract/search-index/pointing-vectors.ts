import { createSeededRandom } from '../../fakes/seeded-random.ts';

export const DIMENSIONS = 1_024;
const DIRECTIONS = 8;

/** Returns a unit vector in the direction of these components, at most 8. */
export const vectorOf = (...components: readonly number[]): Float32Array => {
  const length = Math.hypot(...components);
  return Float32Array.from({ length: DIMENSIONS }, (_, place) =>
    components.reduce((sum, component, at) => sum + (component * (directions[at]?.[place] as number)) / length, 0),
  );
};

const orthogonalDirections = (): readonly Float64Array[] => {
  const { fraction } = createSeededRandom();
  const directions: Float64Array[] = [];
  for (let at = 0; at < DIRECTIONS; at += 1) {
    const next = Float64Array.from({ length: DIMENSIONS }, () => fraction() + fraction() + fraction() - 1.5);
    for (const other of directions) {
      const share = next.reduce((sum, component, place) => sum + component * (other[place] as number), 0);
      other.forEach((component, place) => {
        next[place] = (next[place] as number) - share * component;
      });
    }
    const length = Math.hypot(...next);
    directions.push(next.map((component) => component / length));
  }
  return directions;
};

/** Unit vectors over all dimensions, because the vectors of embedders have no few large components. */
const directions = orthogonalDirections();
