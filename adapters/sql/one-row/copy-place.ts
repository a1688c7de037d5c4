import type { Hlc, MigrationSchema } from '../../../ports/ports.ts';

/** How far the copy is. */
export interface CopyPlace {
  /** Feed stamp of the last fact that was copied. */
  readonly stamp: Hlc;
  readonly copied: number;
  readonly total: number;
  /** Number of indexes that were built. */
  readonly indexes: number;
}

export const PLACE_TABLE = 'one_row_place';

export const createPlaceTable = `CREATE TABLE ${PLACE_TABLE} (
  wall BIGINT NOT NULL,
  ctr INTEGER NOT NULL,
  copied BIGINT NOT NULL,
  total BIGINT NOT NULL,
  indexes INTEGER NOT NULL
)`;

/** Undefined before the copy has begun. */
export const readPlace = async ({ data, tables }: MigrationSchema): Promise<CopyPlace | undefined> => {
  if (!(await tables()).includes(PLACE_TABLE)) return undefined;
  const [row] = await data.select(PLACE_TABLE, {});
  if (row === undefined) throw new Error('the copy of the facts has lost its place');
  return {
    stamp: { wallMs: Number(row['wall']), counter: Number(row['ctr']) },
    copied: Number(row['copied']),
    total: Number(row['total']),
    indexes: Number(row['indexes']),
  };
};

export const savePlace = async ({ data }: MigrationSchema, place: CopyPlace): Promise<void> => {
  const { stamp, ...counts } = place;
  await data.table(PLACE_TABLE).update({ wall: stamp.wallMs, ctr: stamp.counter, ...counts });
};
