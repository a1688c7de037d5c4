import type { PluginTables, ReadableTables, Row, SqlValue } from '../../kernel/plugin-api.ts';
import { type ChainPlace, hashBytes, hashText } from './chain-link.ts';
import { CHECKPOINTS_TABLE } from './fact-chain-tables.ts';

/** A place up to which a chain was verified. Each names the one before it, so that they form a log of their own. */
export interface Checkpoint extends ChainPlace {
  readonly tenantId: string;
  readonly id: string;
  /** From 0, per tenant. */
  readonly logIndex: number;
  readonly previousHash: Uint8Array | null;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
}

type Builder = (table: string) => ReturnType<ReadableTables>;

/** Returns the newest checkpoint of a tenant. */
export const newestCheckpoint = async (table: Builder, tenantId: string): Promise<Checkpoint | undefined> => {
  const query = table(CHECKPOINTS_TABLE).where('tenant_id', tenantId).orderBy('log_index', 'desc').limit(1);
  const [row] = (await query) as Record<string, SqlValue>[];
  return row === undefined ? undefined : checkpointFromRow(row);
};

/** Stores a checkpoint, unless another process has gone as far meanwhile. Returns the newest. */
export const addCheckpoint = (
  tables: PluginTables,
  tenantId: string,
  place: ChainPlace,
  { id, nowMs }: { readonly id: string; readonly nowMs: number },
): Promise<Checkpoint> =>
  tables.write(tenantId, async (own) => {
    const last = await newestCheckpoint(own, tenantId);
    if (last !== undefined && last.link.seq >= place.link.seq) return last;
    const next = checkpointAfter(last, tenantId, place, { id, nowMs });
    await own.insertRows(CHECKPOINTS_TABLE, [checkpointRow(next)]);
    return next;
  });

export const checkpointAfter = (
  last: Checkpoint | undefined,
  tenantId: string,
  { number, link }: ChainPlace,
  { id, nowMs }: { readonly id: string; readonly nowMs: number },
): Checkpoint => ({
  tenantId,
  id,
  number,
  link,
  logIndex: last === undefined ? 0 : last.logIndex + 1,
  previousHash: last?.link.hash ?? null,
  createdMs: nowMs,
});

export const checkpointRow = (checkpoint: Checkpoint): Row => ({
  tenant_id: checkpoint.tenantId,
  log_index: checkpoint.logIndex,
  id: checkpoint.id,
  covered_number: checkpoint.number,
  covered_chain_seq: checkpoint.link.seq,
  chain_hash: hashText(checkpoint.link.hash),
  prev_hash: checkpoint.previousHash && hashText(checkpoint.previousHash),
  created_ms: checkpoint.createdMs,
});

const checkpointFromRow = (row: Readonly<Record<string, SqlValue>>): Checkpoint => ({
  tenantId: String(row['tenant_id']),
  id: String(row['id']),
  logIndex: Number(row['log_index']),
  number: Number(row['covered_number']),
  link: { seq: Number(row['covered_chain_seq']), hash: hashBytes(String(row['chain_hash'])) },
  previousHash: row['prev_hash'] == null ? null : hashBytes(String(row['prev_hash'])),
  createdMs: Number(row['created_ms']),
});
