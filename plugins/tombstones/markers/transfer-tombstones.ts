import {
  type Clock,
  type NodeSelf,
  type PluginTables,
  ServiceError,
  SUPPRESSION_CHANGED,
} from '../../../kernel/plugin-api.ts';
import { rowPages, type TransferLine, type TransferSection } from '../../transfer/transfer-api.ts';
import { type ReceivedTombstone, readReceived } from '../federation/tombstone-wire.ts';
import type { Tombstone, TombstoneRevocation } from '../tombstones-api.ts';
import { revocationJson, tombstoneJson } from './marker-json.ts';
import { tombstoneFromRow } from './marker-row.ts';
import { insertRevocation, insertTombstone, revocationsOf, tombstoneById } from './marker-store.ts';
import { MARKERS } from './marker-tables.ts';

export interface TombstoneTransferParts {
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly self: NodeSelf;
}

/**
 * Exports tombstones of this node and of peers, with their revocations. Without them, the other store would show what
 * they hide. A known tombstone stays as it is, because the importing store is newer than the file.
 */
export const transferTombstones = ({ tables, clock, self }: TombstoneTransferParts): TransferSection => ({
  type: 'tombstone',
  async *pages(snapshot, tenantId) {
    const own = tables.in(snapshot);
    for await (const rows of rowPages(own, MARKERS, 'tombstone_id', tenantId)) {
      const tombstones = rows.map(tombstoneFromRow);
      const revoked = tombstones.filter(({ revokedMs }) => revokedMs !== null).map(({ id }) => id);
      const revocations = await revocationsOf(own, tenantId, revoked);
      const byId = new Map(revocations.map((revocation) => [revocation.tombstoneId, revocation]));
      yield tombstones.map((tombstone) => lineOf(tombstone, byId.get(tombstone.id)));
    }
  },
  async take(transaction, tenantId, line) {
    const { tombstone, revocation } = readLine(line, tenantId, self);
    const own = tables.in(transaction);
    if ((await tombstoneById(own, tombstone)) !== undefined) return false;
    const nowMs = clock.nowMs();
    const feed = await transaction.announce(SUPPRESSION_CHANGED, [tombstone.id], nowMs);
    const originNodeId = tombstone.receivedFrom === null ? '' : tombstone.signedBy;
    await insertTombstone(own, tombstone, { feed, originNodeId });
    if (revocation !== undefined) await insertRevocation(own, tombstone, revocation, { nowMs, feed });
    return true;
  },
});

const lineOf = (tombstone: Tombstone, revocation: TombstoneRevocation | undefined): TransferLine => ({
  ...tombstoneJson(tombstone),
  erase: tombstone.erase,
  erased_ms: tombstone.erasedMs,
  received_from: tombstone.receivedFrom,
  revocation: revocation === undefined ? null : revocationJson(revocation),
});

/** Stands for the signature that a peer's tombstone has lost in a restore: see `withoutReason`. */
const NO_SIGNATURE = 'A'.repeat(86);

const readLine = (line: TransferLine, tenantId: string, { names }: NodeSelf): ReceivedTombstone => {
  const { erased_ms: erasedMs, received_from: receivedFrom, origin_id: originId = null } = line;
  if (erasedMs !== null && !(Number.isSafeInteger(erasedMs) && Number(erasedMs) >= 0)) throw broken('erased_ms');
  if (!isTextOrNull(receivedFrom)) throw broken('received_from');
  if (!isTextOrNull(originId)) throw broken('origin_id');
  try {
    const isUnsigned = line['signature'] === '';
    const signed = isUnsigned ? { ...line, signature: NO_SIGNATURE } : line;
    const { tombstone, revocation } = readReceived(signed, { tenantId, receivedFrom, names });
    const kept = { originId, erasedMs: erasedMs as number | null, ...(isUnsigned && { signature: '' }) };
    return { tombstone: { ...tombstone, ...kept }, revocation };
  } catch (error) {
    throw error instanceof ServiceError ? error : broken('created_at, entity_uri or revocation');
  }
};

const isTextOrNull = (value: unknown): value is string | null =>
  value === null || (typeof value === 'string' && value !== '');

const broken = (name: string): ServiceError =>
  new ServiceError('validation', `${name} is missing or not what an export holds there`);
