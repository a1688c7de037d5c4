import { column, defineRow, type ErasurePosition } from '../../../kernel/internal-api.ts';
import type { ErasureCounts, ReadableTables, Row, SealedColumns, WritableTables } from '../../../kernel/plugin-api.ts';
import type { ErasureReceipt } from './erasure-receipt.ts';
import { ERASURES } from './erasure-tables.ts';

/**
 * `running`: some facts are not erased yet. `scrubbing`: the rows are erased, but bytes may remain in files, or the
 * journal may lack the receipt. `done`: the erasure is complete.
 */
export type ErasureState = 'running' | 'scrubbing' | 'done';

/** The progress of the erasure of one tombstone. */
export interface ErasureRow {
  readonly tenantId: string;
  readonly tombstoneId: string;
  /** The only node whose facts are erased; null to erase the facts of all nodes. */
  readonly originNodeId: string | null;
  /** The entity_uri of the caller, or of the node that sent the tombstone. */
  readonly requestedBy: string;
  readonly state: ErasureState;
  readonly position: ErasurePosition;
  readonly counts: ErasureCounts;
  /** The instant at which the last batch was erased, in milliseconds since the epoch. */
  readonly touchedMs: number;
  /** Not null when the files are scrubbed. */
  readonly receipt: ErasureReceipt | null;
}

export const SEALED = {
  table: ERASURES,
  key: ['tenant_id', 'tombstone_id'],
  columns: ['position', 'counts', 'receipt'],
} as const satisfies SealedColumns;

type Name = Pick<ErasureRow, 'tenantId' | 'tombstoneId'>;

const keyOf = ({ tenantId, tombstoneId }: Name) => ({ tenant_id: tenantId, tombstone_id: tombstoneId });

const { rowOf, fromRow } = defineRow<ErasureRow>({
  tenantId: column.text('tenant_id'),
  tombstoneId: column.text('tombstone_id'),
  originNodeId: column.of(
    'origin_node_id',
    (id) => (id === '' ? null : String(id)),
    (id) => id ?? '',
  ),
  requestedBy: column.text('requested_by'),
  state: column.text('state'),
  position: column.json(SEALED, 'position'),
  counts: column.json(SEALED, 'counts'),
  touchedMs: column.number('touched_ms'),
  receipt: column.json(SEALED, 'receipt'),
});

/** Returns the progress; undefined if it is damaged, so that the next request starts the erasure again. */
export const erasureOf = async (own: ReadableTables, name: Name): Promise<ErasureRow | undefined> => {
  return own.parse(await own.select(ERASURES, keyOf(name)), fromRow)[0];
};

export const putErasure = async (own: WritableTables, erasure: ErasureRow): Promise<void> => {
  const row = rowOf(erasure);
  const changed = await own(ERASURES).where(keyOf(erasure)).update(row);
  if (Number(changed) === 0) await own.insertRows(ERASURES, [row]);
};

/**
 * Returns the complete erasures of a tenant whose tombstones come after one by id, at most `limit`. `next` is where the
 * rest begins.
 */
export const completeErasures = async (
  own: ReadableTables,
  tenantId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<{ readonly erasures: readonly ErasureRow[]; readonly next: string | null }> => {
  const rows: readonly Row[] = await own(ERASURES)
    .where({ tenant_id: tenantId, state: 'done' })
    .where('tombstone_id', '>', after)
    .orderBy('tombstone_id')
    .limit(limit);
  const last = rows.length < limit ? undefined : rows.at(-1);
  return { erasures: own.parse(rows, fromRow), next: last === undefined ? null : String(last['tombstone_id']) };
};

/** Returns the tenants that have an erasure. */
export const tenantsWithErasures = async (own: ReadableTables): Promise<readonly string[]> => {
  const rows: readonly { readonly tenant_id: string }[] = await own(ERASURES).distinct('tenant_id');
  return rows.map(({ tenant_id }) => tenant_id);
};

/** The time without progress after which an erasure counts as abandoned by a process that has ended. */
const ABANDONED_MS = 30_000;

/** Returns abandoned erasures, oldest first. A time far ahead comes from a clock that was set back since. */
export const abandonedErasures = async (own: ReadableTables, nowMs: number, limit: number): Promise<ErasureRow[]> => {
  const [fromMs, untilMs] = [nowMs - ABANDONED_MS, nowMs + ABANDONED_MS];
  const rows = await own(ERASURES)
    .whereIn('state', ['running', 'scrubbing'])
    .where((row) => row.where('touched_ms', '<', fromMs).orWhere('touched_ms', '>', untilMs))
    .orderBy('touched_ms')
    .limit(limit);
  return own.parse(rows as readonly Row[], fromRow);
};
