import type { Hlc } from '../../../kernel/plugin-api.ts';
import { rowLength } from '../codes/code-memory.ts';
import { quantiseQuery } from '../codes/quantise.ts';
import type { VectorFormat } from '../vectors/vector-store.ts';
import type { KeyHasher } from './key-hasher.ts';
import { EMBEDDERS_TABLE, SIGNS_TABLE, VECTORS_TABLE } from './postgres-tables.ts';
import { type Fragment, sql } from './sql-fragment.ts';

/** The form of vectors for pgvector: signs of the components to scan, and integers to compare exactly. */
export const postgresFormat = (hasher: KeyHasher): VectorFormat => ({
  vectors: VECTORS_TABLE,
  embedders: EMBEDDERS_TABLE,
  columnsOf: ({ code, scale }, { feed }) => ({ ...stampOf(feed), scale, code: `[${code.join()}]` }),
  beside: {
    table: SIGNS_TABLE,
    columnsOf: ({ code }, { tenantId, id, scope, gardenId, feed }) => ({
      realm: hasher.realmOf(tenantId, scope, gardenId ?? ''),
      lot: hasher.of(id, 'name'),
      ...stampOf(feed),
      signs: signsOf(code),
    }),
  },
});

const stampOf = ({ wallMs, counter }: Hlc) => ({ feed_wall: wallMs, feed_ctr: counter });

const signsOf = (components: ArrayLike<number>): string =>
  Array.from(components, (one) => (one < 0 ? '1' : '0')).join('');

/** A queried vector in SQL: its signs, and its cosine to the row `v`. */
export interface QueriedRows {
  readonly signs: Fragment;
  readonly cosine: Fragment;
}

/** The factor between the two halves of a component. */
const HALF = 256;

/**
 * Splits each component of the query into two halves of some 8 bits. pgvector sums products in single precision. For
 * vectors of at most 1,024 dimensions, these sums are integers that single precision represents exactly.
 */
export const queryRows = (vector: Float32Array): QueriedRows => {
  const { components: padded, step } = quantiseQuery(vector, rowLength(vector.length));
  const components = padded.subarray(0, vector.length);
  const upper = Array.from(components, (one) => Math.round(one / HALF));
  const lower = upper.map((one, at) => (components[at] as number) - one * HALF);
  const part = (of: readonly number[]): Fragment => sql`(v.code <#> ${`[${of.join()}]`}::halfvec)`;
  return {
    signs: sql`${signsOf(components)}::varbit`,
    cosine: sql`-(${HALF}::float8 * ${part(upper)} + ${part(lower)}) * v.scale * ${step}::float8`,
  };
};
