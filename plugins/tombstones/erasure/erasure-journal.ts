import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
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

const MAX_LINE = 64 * 1024;

/** Appends a line to a journal. Resolves once it is on disk. */
export const appendLine = async (file: string, record: object): Promise<void> => {
  await mkdir(dirname(file), { recursive: true });
  const handle = await open(file, 'a', 0o600);
  try {
    // Starts a new line, because a crash may have truncated the last one.
    await handle.appendFile(`\n${JSON.stringify(record)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Reads the erasures that this node signed, oldest first. */
export const readErasures = (file: string, identity: NodeIdentity, log: Logger): AsyncGenerator<ErasureRecord> =>
  readSigned<ErasureRecord>(file, (record) => isSigned(record, identity), log);

/**
 * Reads the lines of a journal that this node signed, oldest first. Ignores other lines: write access to the file must
 * not give the power to destroy facts, or to hide them.
 */
export async function* readSigned<T>(file: string, isOwn: (record: T) => boolean, log: Logger): AsyncGenerator<T> {
  const input = createReadStream(file, 'utf8');
  // Any other failure prevents the start, because without the file a restored backup could show erased facts.
  const missing = new Promise<boolean>((resolve, reject) => {
    input.once('error', (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? resolve(true) : reject(error)));
    input.once('ready', () => resolve(false));
  });
  if (await missing) return;
  for await (const line of createInterface({ input })) {
    if (line.trim() === '') continue;
    const record = line.length > MAX_LINE ? undefined : parsed<T>(line);
    if (record !== undefined && isOwn(record)) yield record;
    else log.warn('a line of a journal is damaged or was not signed by this node; it is passed over', { file });
  }
}

const parsed = <T>(line: string): T | undefined => {
  try {
    return JSON.parse(line) as T;
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
