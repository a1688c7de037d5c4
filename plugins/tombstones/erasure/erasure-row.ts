import type { ErasurePosition } from '../../../kernel/internal-api.ts';
import type { ErasureCounts, ReadableTables, Row, WritableTables } from '../../../kernel/plugin-api.ts';
import type { ErasureReceipt } from './erasure-receipt.ts';
import { ERASURES } from './erasure-tables.ts';

/**
 * `running`: some facts are not erased yet. `scrubbing`: the rows are erased, but bytes may remain in files. `done`:
 * the receipt exists.
 */
export type ErasureState = 'running' | 'scrubbing' | 'done';

/** The progress of the erasure of one tombstone. */
export interface ErasureRow {
  readonly tenantId: string;
  readonly tombstoneId: string;
  /** The node whose facts alone are erased; null to erase the facts of all nodes. */
  readonly originNodeId: string | null;
  /** The entity_uri of the caller, or of the node that sent the tombstone. */
  readonly requestedBy: string;
  readonly state: ErasureState;
  readonly position: ErasurePosition;
  readonly counts: ErasureCounts;
  /** The instant at which the last batch was erased, in milliseconds since the epoch. */
  readonly touchedMs: number;
  readonly receipt: ErasureReceipt | null;
}

type Name = Pick<ErasureRow, 'tenantId' | 'tombstoneId'>;

const keyOf = ({ tenantId, tombstoneId }: Name) => ({ tenant_id: tenantId, tombstone_id: tombstoneId });

const rowOf = (erasure: ErasureRow): Row => ({
  ...keyOf(erasure),
  origin_node_id: erasure.originNodeId ?? '',
  requested_by: erasure.requestedBy,
  state: erasure.state,
  position: JSON.stringify(erasure.position),
  counts: JSON.stringify(erasure.counts),
  touched_ms: erasure.touchedMs,
  receipt: erasure.receipt === null ? null : JSON.stringify(erasure.receipt),
});

const fromRow = (row: Readonly<Record<string, unknown>>): ErasureRow => ({
  tenantId: String(row['tenant_id']),
  tombstoneId: String(row['tombstone_id']),
  originNodeId: row['origin_node_id'] === '' ? null : String(row['origin_node_id']),
  requestedBy: String(row['requested_by']),
  state: row['state'] as ErasureState,
  position: JSON.parse(String(row['position'])) as ErasurePosition,
  counts: JSON.parse(String(row['counts'])) as ErasureCounts,
  touchedMs: Number(row['touched_ms']),
  receipt: row['receipt'] == null ? null : (JSON.parse(String(row['receipt'])) as ErasureReceipt),
});

export const erasureOf = async (own: ReadableTables, name: Name): Promise<ErasureRow | undefined> => {
  const [row] = await own.select(ERASURES, keyOf(name));
  return row === undefined ? undefined : fromRow(row);
};

export const putErasure = async (own: WritableTables, erasure: ErasureRow): Promise<void> => {
  const row = rowOf(erasure);
  if ((await erasureOf(own, erasure)) === undefined) await own.insertRows(ERASURES, [row]);
  else await own(ERASURES).where(keyOf(erasure)).update(row);
};

/** Returns erasures that no process has continued since the given instant, oldest first. */
export const abandonedErasures = async (
  own: ReadableTables,
  beforeMs: number,
  limit: number,
): Promise<ErasureRow[]> => {
  const rows = await own(ERASURES)
    .whereIn('state', ['running', 'scrubbing'])
    .where('touched_ms', '<', beforeMs)
    .orderBy('touched_ms')
    .limit(limit);
  return (rows as readonly Readonly<Record<string, unknown>>[]).map(fromRow);
};
