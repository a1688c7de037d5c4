import { appendLines, DamagedLines, readJournal } from '../../../kernel/internal-api.ts';
import { decodeBase64Url, type Logger, verifyEd25519 } from '../../../kernel/plugin-api.ts';
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

/** Reads the erasures that this node signed, oldest first. */
export const readErasures = (file: string, identity: NodeIdentity, log: Logger): AsyncGenerator<ErasureRecord> =>
  readSigned<ErasureRecord>(file, (record) => isSigned(record, identity), log);

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

/** Returns whether a signature is of a present or former key of this node. */
export const isOurs = (bytes: Uint8Array, signature: string, { publicKey, retired }: NodeIdentity): boolean => {
  const signed = decodeBase64Url(signature);
  if (signed === null) return false;
  return [publicKey, ...retired.map((key) => key.publicKey)].some((key) =>
    verifyEd25519(decodeBase64Url(key) ?? new Uint8Array(), bytes, signed),
  );
};
