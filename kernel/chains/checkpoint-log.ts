import type { Row, SqlValue } from '../../ports/ports.ts';
import type { PluginTables, ReadableTables } from '../plugins/plugin-definition.ts';
import { type ChainPlace, hashBytes, hashText } from './chain-place.ts';

/** A position up to which a chain was verified. Each checkpoint refers to the previous one, so that they form a log. */
export interface Checkpoint extends ChainPlace {
  readonly tenantId: string;
  readonly id: string;
  /** The index of the checkpoint in the log of its tenant, from 0. */
  readonly logIndex: number;
  readonly previousHash: Uint8Array | null;
  /** The creation time in milliseconds since the epoch. */
  readonly createdMs: number;
}

/** Id and time of a new checkpoint. */
export interface CheckpointStamp {
  readonly id: string;
  readonly nowMs: number;
}

type Builder = (table: string) => ReturnType<ReadableTables>;

/** The log of checkpoints of all tenants for one kind of chain, in a table of the plugin that owns the chain. */
export class CheckpointLog {
  readonly #table: string;
  readonly #extraColumns: (checkpoint: Checkpoint) => Row;

  /** `extraColumns` returns further columns of a row, with the same names for each. */
  constructor(table: string, extraColumns: (checkpoint: Checkpoint) => Row = () => ({})) {
    this.#table = table;
    this.#extraColumns = extraColumns;
  }

  async newest(tables: Builder, tenantId: string): Promise<Checkpoint | undefined> {
    const query = tables(this.#table).where('tenant_id', tenantId).orderBy('log_index', 'desc').limit(1);
    const [row] = (await query) as Record<string, SqlValue>[];
    return row === undefined ? undefined : checkpointFromRow(row);
  }

  /** Stores a checkpoint, unless another process has stored one at the same or a later position. Returns the newest. */
  add(tables: PluginTables, tenantId: string, place: ChainPlace, stamp: CheckpointStamp): Promise<Checkpoint> {
    return tables.write(tenantId, async (own) => {
      const last = await this.newest(own, tenantId);
      if (last !== undefined && last.link.seq >= place.link.seq) return last;
      const next = checkpointAfter(last, tenantId, place, stamp);
      await own.insertRows(this.#table, [this.row(next)]);
      return next;
    });
  }

  row(checkpoint: Checkpoint): Row {
    return {
      tenant_id: checkpoint.tenantId,
      log_index: checkpoint.logIndex,
      id: checkpoint.id,
      covered_number: checkpoint.number,
      covered_chain_seq: checkpoint.link.seq,
      chain_hash: hashText(checkpoint.link.hash),
      prev_hash: checkpoint.previousHash && hashText(checkpoint.previousHash),
      created_ms: checkpoint.createdMs,
      ...this.#extraColumns(checkpoint),
    };
  }
}

export const checkpointAfter = (
  last: Checkpoint | undefined,
  tenantId: string,
  { number, link }: ChainPlace,
  { id, nowMs }: CheckpointStamp,
): Checkpoint => ({
  tenantId,
  id,
  number,
  link,
  logIndex: last === undefined ? 0 : last.logIndex + 1,
  previousHash: last?.link.hash ?? null,
  createdMs: nowMs,
});

export const checkpointFromRow = (row: Readonly<Record<string, SqlValue>>): Checkpoint => ({
  tenantId: String(row['tenant_id']),
  id: String(row['id']),
  logIndex: Number(row['log_index']),
  number: Number(row['covered_number']),
  link: { seq: Number(row['covered_chain_seq']), hash: hashBytes(String(row['chain_hash'])) },
  previousHash: row['prev_hash'] == null ? null : hashBytes(String(row['prev_hash'])),
  createdMs: Number(row['created_ms']),
});
