import type { PluginSnapshot, PluginTables, SqlValue } from '../../kernel/plugin-api.ts';
import { CHAIN_START, type ChainHead } from './chain-link.ts';
import { CHECKPOINTS_TABLE } from './fact-chain-migrations.ts';

/** A place up to which a chain was verified. Each names the one before it, so that they form a log of their own. */
export interface Checkpoint extends ChainHead {
  readonly tenantId: string;
  readonly id: string;
  /** From 0, per tenant. */
  readonly logIndex: number;
  readonly previousHash: string | null;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
}

export const headOf = (checkpoint: Checkpoint | undefined): ChainHead => checkpoint ?? CHAIN_START;

/** Returns the newest checkpoint of a tenant. */
export const newestCheckpoint = async (
  tables: PluginTables,
  tenantId: string,
  snapshot: PluginSnapshot,
): Promise<Checkpoint | undefined> => {
  const query = tables.in(snapshot)(CHECKPOINTS_TABLE).where('tenant_id', tenantId);
  const [row] = (await query.orderBy('log_index', 'desc').limit(1)) as Record<string, SqlValue>[];
  return row === undefined ? undefined : checkpointFromRow(row);
};

/** Stores a checkpoint, unless another process has gone as far meanwhile. Returns the newest. */
export const addCheckpoint = (
  tables: PluginTables,
  tenantId: string,
  head: { readonly seq: number; readonly hash: string },
  { id, nowMs }: { readonly id: string; readonly nowMs: number },
): Promise<Checkpoint> =>
  tables.write(tenantId, async (own, transaction) => {
    const last = await newestCheckpoint(tables, tenantId, transaction);
    if (last !== undefined && last.seq >= head.seq) return last;
    const logIndex = last === undefined ? 0 : last.logIndex + 1;
    const checkpoint: Checkpoint = {
      ...head,
      tenantId,
      id,
      logIndex,
      previousHash: last?.hash ?? null,
      createdMs: nowMs,
    };
    await own.insertRows(CHECKPOINTS_TABLE, [
      {
        tenant_id: tenantId,
        log_index: logIndex,
        id,
        covered_chain_seq: head.seq,
        chain_hash: head.hash,
        prev_hash: checkpoint.previousHash,
        created_ms: nowMs,
      },
    ]);
    return checkpoint;
  });

const checkpointFromRow = (row: Readonly<Record<string, SqlValue>>): Checkpoint => ({
  tenantId: String(row['tenant_id']),
  id: String(row['id']),
  logIndex: Number(row['log_index']),
  seq: Number(row['covered_chain_seq']),
  hash: String(row['chain_hash']),
  previousHash: row['prev_hash'] == null ? null : String(row['prev_hash']),
  createdMs: Number(row['created_ms']),
});
