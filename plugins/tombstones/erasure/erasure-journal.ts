import {
  appendLines,
  DamagedLines,
  decodeBase64Url,
  readJournal,
  verifyEd25519,
} from '../../../kernel/internal-api.ts';
import { type Logger, parseInstant } from '../../../kernel/plugin-api.ts';
import type { NodeIdentity } from '../../node-info/node-info-api.ts';
import { tombstoneBytes } from '../markers/marker-document.ts';
import type { Tombstone } from '../tombstones-api.ts';
import { type ErasureReceipt, receiptBytes } from './erasure-receipt.ts';

/** One line of the journal file: the signed receipt of an erasure, and its tombstone, which hides restored facts. */
export interface ErasureRecord {
  readonly receipt: ErasureReceipt;
  readonly tombstone: Tombstone;
}

/** Appends a line to a journal. Resolves once it is on disk. Rejects with `unavailable` and the name of the file. */
export const appendLine = (file: string, record: object): Promise<void> => appendLines(file, [JSON.stringify(record)]);

/** Appends those records that this node has signed: others would be damaged lines at each start. */
export const appendSigned = async (
  file: string,
  records: readonly ErasureRecord[],
  identity: NodeIdentity,
): Promise<void> => {
  const lines = records.filter((record) => isSigned(record, identity)).map((record) => JSON.stringify(record));
  if (lines.length > 0) await appendLines(file, lines);
};

/** The last erasure by a tombstone, and the ids of the receipts of all its erasures. */
export interface LastErasure extends ErasureRecord {
  readonly receiptIds: ReadonlySet<string>;
}

/** Returns the last erasure of each tombstone among those that this node signed. */
export const readErasures = async (
  file: string,
  identity: NodeIdentity,
  log: Logger,
): Promise<readonly LastErasure[]> => {
  const last = new Map<string, LastErasure>();
  const ids = new Map<string, Set<string>>();
  for await (const record of readSigned<ErasureRecord>(file, (one) => isSigned(one, identity), log)) {
    const { tenantId, id } = record.tombstone;
    const name = `${tenantId} ${id}`;
    const receiptIds = ids.get(name) ?? new Set();
    ids.set(name, receiptIds.add(record.receipt.id));
    last.set(name, { ...record, receiptIds });
  }
  return [...last.values()];
};

/**
 * Returns true if a store with this receipt has the state after the last erasure. An erasure can be repeated, and a
 * backup from between two of them has only the first one. The times decide about a receipt of another process, because
 * that process has a file of its own.
 */
export const hasReached = (stored: ErasureReceipt, { receipt, receiptIds }: LastErasure): boolean =>
  receiptIds.has(stored.id)
    ? stored.id === receipt.id
    : (parseInstant(stored.created_at) ?? 0) >= (parseInstant(receipt.created_at) ?? 0);

/**
 * Reads the lines of a journal that this node signed, oldest first. Ignores other lines: write access to the file must
 * not give the power to destroy facts, or to hide them.
 */
export async function* readSigned<T>(file: string, isOwn: (record: T) => boolean, log: Logger): AsyncGenerator<T> {
  const damaged = new DamagedLines(file);
  // A failure prevents the start, because without the file a restored backup could show erased facts.
  for await (const { number, text } of readJournal(file)) {
    const record = text === undefined ? undefined : parsed<T>(text);
    if (record !== undefined && isOwn(record)) yield record;
    else damaged.add(number);
  }
  damaged.warn(log);
}

const parsed = <T>(line: string): T | undefined => {
  try {
    const record: unknown = JSON.parse(line);
    return typeof record === 'object' && record !== null ? (record as T) : undefined;
  } catch {
    return undefined;
  }
};

const isSigned = ({ receipt, tombstone }: ErasureRecord, identity: NodeIdentity): boolean => {
  try {
    const { signature, ...stated } = receipt;
    return (
      receipt.tombstone_id === tombstone.id &&
      receipt.tenant_id === tombstone.tenantId &&
      receipt.entity_uri === tombstone.entityUri &&
      receipt.scope === tombstone.scope &&
      isOurs(receiptBytes(stated), signature, identity) &&
      (tombstone.receivedFrom !== null || isOurs(tombstoneBytes(tombstone), tombstone.signature, identity))
    );
  } catch {
    return false;
  }
};

/** Returns whether a signature is of a present or former key of this node, even of a lost one. */
export const isOurs = (bytes: Uint8Array, signature: string, { publicKeys }: NodeIdentity): boolean => {
  const signed = decodeBase64Url(signature);
  if (signed === null) return false;
  return publicKeys.some((key) => verifyEd25519(decodeBase64Url(key) ?? new Uint8Array(), bytes, signed));
};
