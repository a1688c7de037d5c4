import { type ChainLink, type ChainPlace, hashBytes, hashText } from '../../../kernel/internal-api.ts';
import {
  formatInstant,
  type NodeSelf,
  type ReadableTables,
  type Row,
  type SqlValue,
} from '../../../kernel/plugin-api.ts';
import type { Signature } from './signed-document.ts';

/** The table with a row for each tenant whose old entries were deleted. */
export const STUBS_TABLE = 'audit_stubs';

/** The record that replaces deleted entries; the chain continues from it. */
export interface ChainStub {
  readonly tenantId: string;
  /** The chain place of the last deleted entry; undefined if only fact entries were old enough. */
  readonly place: ChainPlace | undefined;
  /** Milliseconds since the epoch. Entries before this instant are not shown, not even fact entries. */
  readonly floorMs: number;
  /** The time of creation, in milliseconds since the epoch. */
  readonly createdMs: number;
}

export interface SignedStub {
  readonly stub: ChainStub;
  readonly signature: Signature | null;
}

type Builder = (table: string) => ReturnType<ReadableTables>;

export const readStub = async (tables: Builder, tenantId: string): Promise<SignedStub | undefined> => {
  const [row] = (await tables(STUBS_TABLE).where('tenant_id', tenantId)) as Record<string, SqlValue>[];
  return row === undefined ? undefined : stubFromRow(row);
};

export const stubRow = ({ stub, signature }: SignedStub): Row => ({
  tenant_id: stub.tenantId,
  covered_number: stub.place?.number ?? 0,
  covered_chain_seq: stub.place?.link.seq ?? 0,
  chain_hash: stub.place === undefined ? null : hashText(stub.place.link.hash),
  floor_ms: stub.floorMs,
  created_ms: stub.createdMs,
  signed_by: signature?.publicKey ?? null,
  signature: signature?.signature ?? null,
});

/** Returns the signed and published form of a stub. `count` is the number of deleted entries. */
export const stubDocument = ({ tenantId, place, floorMs, createdMs }: ChainStub, { names, nodeId }: NodeSelf) => ({
  kind: names.documentKind('audit_stub'),
  version: 1,
  node_id: nodeId,
  tenant_id: tenantId,
  count: place?.link.seq ?? 0,
  covered_seq: place?.number ?? 0,
  covered_chain_seq: place?.link.seq ?? 0,
  chain_hash: place === undefined ? null : hashText(place.link.hash),
  until: formatInstant(floorMs),
  created_at: formatInstant(createdMs),
});

const stubFromRow = (row: Readonly<Record<string, SqlValue>>): SignedStub => {
  const link: ChainLink = { seq: Number(row['covered_chain_seq']), hash: hashBytes(String(row['chain_hash'])) };
  const stub = {
    tenantId: String(row['tenant_id']),
    place: row['chain_hash'] == null ? undefined : { number: Number(row['covered_number']), link },
    floorMs: Number(row['floor_ms']),
    createdMs: Number(row['created_ms']),
  };
  return { stub, signature: signatureFromRow(row) };
};

/** Reads a signature from a row with the columns `signed_by` and `signature`. */
export const signatureFromRow = (row: Readonly<Record<string, SqlValue>>): Signature | null =>
  row['signed_by'] == null || row['signature'] == null
    ? null
    : { publicKey: String(row['signed_by']), signature: String(row['signature']) };
