import {
  formatInstant,
  type PluginSnapshot,
  type PluginTables,
  type ServiceNames,
  type SqlValue,
  sha256Hex,
} from '../../kernel/plugin-api.ts';
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

/** The newest checkpoint of a tenant. */
export const newestCheckpoint = async (
  tables: PluginTables,
  tenantId: string,
  snapshot: PluginSnapshot,
): Promise<Checkpoint | undefined> => {
  const query = tables.in(snapshot)(CHECKPOINTS_TABLE).where('tenant_id', tenantId);
  const [row] = (await query.orderBy('log_index', 'desc').limit(1)) as Record<string, SqlValue>[];
  return row === undefined ? undefined : checkpointFromRow(row);
};

/** Writes a checkpoint down, unless somebody else has gone as far meanwhile. Answers the newest. */
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

/**
 * The `checkpoint` member of a chain proof (wire contract 6.3). The log is the node's own, so what is created is
 * submitted at once.
 */
export const checkpointJson = (
  checkpoint: Checkpoint,
  { names, logId }: { readonly names: ServiceNames; readonly logId: string },
) => {
  const createdAt = formatInstant(checkpoint.createdMs);
  // In the order of their names, as they are hashed.
  const payload = {
    chain_hash: checkpoint.hash,
    covered_chain_seq: checkpoint.seq,
    created_at: createdAt,
    kind: names.chainCheckpointKind,
    tenant_id: checkpoint.tenantId,
    version: 1,
  };
  return {
    id: checkpoint.id,
    tenant_id: checkpoint.tenantId,
    covered_chain_seq: checkpoint.seq,
    chain_hash: checkpoint.hash,
    status: 'submitted',
    attempt_count: 1,
    created_at: createdAt,
    submitted_at: createdAt,
    last_error: null,
    tl_backend: 'local',
    tl_log_id: logId,
    tl_leaf_hash: sha256Hex(JSON.stringify(payload)),
    tl_log_index: checkpoint.logIndex,
    tl_integrated_time: Math.floor(checkpoint.createdMs / 1000),
    tl_inclusion_proof: { chain_hash: checkpoint.hash, prev_hash: checkpoint.previousHash },
    tl_raw: { payload },
  };
};
