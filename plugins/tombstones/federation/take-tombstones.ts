import { decodeBase64Url, type SignatureCheck } from '../../../kernel/internal-api.ts';
import {
  matchKey,
  type NodeSelf,
  type PluginTables,
  type PluginTransaction,
  type Random,
  ServiceError,
  type SignatureWork,
  SUPPRESSION_CHANGED,
  sealJson,
  type WritableTables,
} from '../../../kernel/plugin-api.ts';
import type { AuditEntry, AuditLog } from '../../audit/audit-api.ts';
import type { PeerExchange, Peering } from '../../federation/federation-api.ts';
import { revocationBytes, tombstoneBytes } from '../markers/marker-document.ts';
import {
  insertRevocation,
  insertTombstone,
  tombstoneById,
  tombstoneOfIssuer,
  updateMarker,
  updateRevocation,
} from '../markers/marker-store.ts';
import { MARKERS, PARKED } from '../markers/marker-tables.ts';
import { type FollowUpParts, followPiece, followUp } from '../suppression/follow-up.ts';
import type { Tombstone } from '../tombstones-api.ts';
import { TOMBSTONE_INGESTED, TOMBSTONE_REJECTED } from '../tombstones-words.ts';
import { type ReceivedTombstone, readReceived, servedTombstoneJson } from './tombstone-wire.ts';

export interface TakeParts extends FollowUpParts {
  readonly tables: PluginTables;
  readonly self: NodeSelf;
  readonly random: Random;
  readonly work: SignatureWork;
  readonly exchange: Pick<PeerExchange, 'withNodes' | 'refreshKeys'>;
  readonly audit: AuditLog | undefined;
}

/** The maximum numbers of tombstones from one peer, and of those by unknown keys. Tombstones above them are refused. */
const MOST_MARKERS_OF_PEER = 100_000;
const MOST_PARKED_OF_PEER = 10_000;
/** The maximum number of issuers whose keys one page reads again. */
const MOST_REFRESHED = 8;

type Verdict = 'good' | 'invalid' | 'parked' | 'ours';

interface CheckedTombstone extends ReceivedTombstone {
  readonly verdict: Verdict;
  /** The id of a key that is not known yet; only for `parked`. */
  readonly missingKey?: string;
  /** True if the current key of the issuer has made every signature. */
  readonly isCurrent: boolean;
}

/**
 * Stores a page of a peer's tombstones. A tombstone is valid by its issuer's signature, no matter which node sent it,
 * and hides only facts of that issuer. `keepPlace` runs in the same transaction.
 */
export const takeTombstones = async (
  documents: readonly unknown[],
  sender: Pick<Peering, 'tenantId' | 'nodeId'>,
  parts: TakeParts,
  keepPlace: (own: WritableTables) => Promise<void>,
): Promise<void> => {
  const { tenantId, nodeId } = sender;
  const { tables, audit, names } = parts;
  const read: ReceivedTombstone[] = [];
  const rejected: (string | null)[] = [];
  for (const document of documents) {
    try {
      read.push(readReceived(document, { tenantId, receivedFrom: nodeId, names }));
    } catch {
      rejected.push(null);
    }
  }
  const judged = await judge(read, sender, parts);
  rejected.push(...judged.filter(({ verdict }) => verdict === 'invalid').map(({ tombstone }) => tombstone.id));
  const changed = await tables.write(tenantId, async (own, transaction) => {
    const [{ count = 0 } = {}] = await own(MARKERS)
      .where({ tenant_id: tenantId, received_from: nodeId })
      .count({ count: '*' });
    let room = MOST_MARKERS_OF_PEER - Number(count);
    const changed: ReceivedTombstone[] = [];
    // Runs before the tombstones are stored, because a parked tombstone may be parked again.
    await keepPlace(own);
    for (const one of judged) {
      if (one.missingKey !== undefined && !(await park(own, one, nodeId))) rejected.push(one.tombstone.id);
      if (one.verdict !== 'good') continue;
      const tombstone = await withLocalId(one.tombstone, own, parts);
      const outcome = await apply({ ...one, tombstone }, own, transaction, parts, room);
      if (outcome === 'full') rejected.push(one.tombstone.id);
      if (outcome === 'added') room -= 1;
      if (outcome !== 'added' && outcome !== 'changed') continue;
      // One batch is enough for a transaction, because other writers wait for it.
      if (changed.length === 0) await followPiece(tombstone, own, transaction, parts);
      changed.push({ ...one, tombstone });
    }
    await audit?.record(
      changed.map((one) => ({
        ...entryOf(sender, one.tombstone.id),
        event: TOMBSTONE_INGESTED,
        detail: { tombstone_id: one.tombstone.id, peer: nodeId, is_revoked: one.revocation !== undefined },
      })),
      transaction,
    );
    return changed;
  });
  for (const id of rejected) await audit?.recordRejection({ ...entryOf(sender, id), event: TOMBSTONE_REJECTED });
  for (const { tombstone } of changed) await followUp(tombstone, parts);
};

const entryOf = (
  { tenantId, nodeId }: Pick<Peering, 'tenantId' | 'nodeId'>,
  id: string | null,
): Omit<AuditEntry, 'event'> => ({ tenantId, entityUri: nodeId, detail: { tombstone_id: id, peer: nodeId } });

const judge = async (
  read: readonly ReceivedTombstone[],
  { tenantId, nodeId }: Pick<Peering, 'tenantId' | 'nodeId'>,
  { exchange, self, work, names, clock }: TakeParts,
): Promise<readonly CheckedTombstone[]> => {
  const known = await issuersOf(read, tenantId, { exchange, names });
  const ownKey = matchKey(self.nodeId, names);
  const senderKey = matchKey(nodeId, names);
  const nowMs = clock.nowMs();
  const found = read.map((one): CheckedTombstone & { readonly checks: readonly SignatureCheck[] } => {
    const issuer = matchKey(one.tombstone.signedBy, names);
    const unchecked = { ...one, isCurrent: false, checks: [] };
    if (issuer === ownKey) return { ...unchecked, verdict: 'ours' };
    const keys = known.get(issuer)?.keys ?? [];
    const isOwn = issuer === senderKey;
    const missingKey = keyIdsOf(one).find((id) => !keys.some(({ keyId }) => keyId === id));
    // The cursor must not pass this tombstone: its key becomes known once the metadata of the peer can be read.
    if (isOwn && missingKey !== undefined) throw new ServiceError('unavailable', 'the key is not known yet');
    if (missingKey !== undefined) return { ...unchecked, verdict: 'parked', missingKey };
    // Somebody who has stolen an ended key could sign new tombstones, so it verifies no relayed ones.
    const counting = keys.filter(({ validUntilMs: end }) => isOwn || end === null || end > nowMs);
    const checks = checksOf(one, counting);
    if (checks === undefined) return { ...unchecked, verdict: 'invalid' };
    const isCurrent = checksOf(one, keys.slice(0, 1)) !== undefined;
    return { ...one, verdict: 'good', isCurrent, checks };
  });
  const good = await work.verifyAll(found.flatMap(({ checks }) => checks));
  let at = 0;
  return found.map(({ checks, ...one }) => {
    const isGood = checks.map(() => good[at++] === true).every(Boolean);
    return isGood ? one : { ...one, verdict: 'invalid' };
  });
};

/**
 * Returns the peerings with the issuers by their match keys. Fetches the keys of an issuer again if it signed with an
 * unknown key.
 */
const issuersOf = async (
  read: readonly ReceivedTombstone[],
  tenantId: string,
  { exchange, names }: Pick<TakeParts, 'exchange' | 'names'>,
): Promise<ReadonlyMap<string, Peering>> => {
  const issuers = [...new Set(read.map(({ tombstone }) => tombstone.signedBy))];
  if (issuers.length === 0) return new Map();
  const known = await exchange.withNodes(tenantId, issuers);
  const keyOf = ({ tombstone }: ReceivedTombstone): string => matchKey(tombstone.signedBy, names);
  const unread = read.filter((one) => checksOf(one, known.get(keyOf(one))?.keys ?? []) === undefined).map(keyOf);
  const stale = [...new Set(unread)].flatMap((key) => known.get(key) ?? []).filter(({ keys }) => keys.length > 0);
  if (stale.length === 0) return known;
  await Promise.all(stale.slice(0, MOST_REFRESHED).map((peering) => exchange.refreshKeys(peering)));
  return exchange.withNodes(tenantId, issuers);
};

const keyIdsOf = ({ tombstone, revocation }: ReceivedTombstone): readonly string[] =>
  revocation === undefined ? [tombstone.keyId] : [tombstone.keyId, revocation.keyId];

/**
 * Returns the signature checks of a tombstone and of its revocation; undefined if a key does not belong to the issuer.
 */
const checksOf = (
  { tombstone, revocation }: ReceivedTombstone,
  keys: Peering['keys'],
): SignatureCheck[] | undefined => {
  const checks: SignatureCheck[] = [];
  const signed = [
    { ...tombstone, bytes: tombstoneBytes(tombstone) },
    ...(revocation === undefined ? [] : [{ ...revocation, bytes: revocationBytes(revocation) }]),
  ];
  for (const { keyId, signature: text, bytes } of signed) {
    const key = keys.find((one) => one.keyId === keyId);
    const signature = decodeBase64Url(text);
    if (key === undefined || signature === null) return undefined;
    checks.push({ publicKey: key.publicKey, bytes, signature });
  }
  return checks;
};

/**
 * Returns the tombstone with its local id. Issuer and id together identify a tombstone, so two issuers may use the same
 * id.
 */
const withLocalId = async (
  tombstone: Tombstone,
  own: WritableTables,
  { random }: Pick<TakeParts, 'random'>,
): Promise<Tombstone> => {
  const known = await tombstoneOfIssuer(own, tombstone);
  if (known !== undefined) return { ...tombstone, id: known.id, originId: known.originId };
  const isTaken = (await tombstoneById(own, tombstone)) !== undefined;
  return isTaken ? { ...tombstone, id: `tomb_${random.uuid()}`, originId: tombstone.id } : tombstone;
};

type Outcome = 'added' | 'changed' | 'known' | 'full';

const apply = async (
  received: CheckedTombstone,
  own: WritableTables,
  transaction: PluginTransaction,
  parts: TakeParts,
  room: number,
): Promise<Outcome> => {
  const { tombstone, revocation } = received;
  const { clock } = parts;
  const nowMs = clock.nowMs();
  const known = await tombstoneById(own, tombstone);
  if (known !== undefined && received.isCurrent) await renew(known, received, own, transaction, nowMs);
  // A revoked tombstone stays revoked if a peer sends the tombstone again.
  if (known !== undefined && known.revokedMs !== null) return 'known';
  const isErased = tombstone.erase && known?.erase === false;
  if (known !== undefined && revocation === undefined && !isErased) return 'known';
  if (known === undefined && room <= 0) return 'full';
  const feed = await transaction.announce(SUPPRESSION_CHANGED, [tombstone.id], nowMs);
  if (known === undefined) await insertTombstone(own, tombstone, { feed, originNodeId: tombstone.signedBy });
  else if (isErased) await updateMarker(own, tombstone, feed);
  // Skips the revocation if the facts were destroyed here, because they cannot be shown again.
  if (revocation !== undefined && known?.erasedMs == null) {
    await insertRevocation(own, tombstone, revocation, { nowMs, feed });
  }
  return known === undefined ? 'added' : 'changed';
};

/** Replaces older signatures over the same content by signatures with the current key, and serves them to peers. */
const renew = async (
  known: Tombstone,
  { tombstone, revocation }: ReceivedTombstone,
  own: WritableTables,
  transaction: PluginTransaction,
  nowMs: number,
): Promise<void> => {
  const { keyId } = tombstone;
  const isSame = Buffer.from(tombstoneBytes(tombstone)).equals(tombstoneBytes({ ...known, keyId }));
  if (!isSame) return;
  const isRevocationNew = revocation !== undefined && (await updateRevocation(own, known, revocation));
  if (known.keyId === keyId && !isRevocationNew) return;
  await updateMarker(own, tombstone, await transaction.announce(SUPPRESSION_CHANGED, [known.id], nowMs));
};

/** Parks a tombstone until the key of its issuer is known. Returns false if too many of the sender are parked. */
const park = async (own: WritableTables, received: CheckedTombstone, receivedFrom: string): Promise<boolean> => {
  const { tombstone, missingKey = tombstone.keyId } = received;
  const { tenantId, id, signedBy } = tombstone;
  const ofSender = { tenant_id: tenantId, received_from: receivedFrom };
  const [{ count = 0 } = {}] = await own(PARKED).where(ofSender).count({ count: '*' });
  if (Number(count) >= MOST_PARKED_OF_PEER) return false;
  await own(PARKED)
    .insert({
      ...ofSender,
      tombstone_id: id,
      issuer: signedBy,
      key_id: missingKey,
      document: sealJson(servedTombstoneJson(tombstone, received.revocation)),
    })
    .onConflict(['tenant_id', 'tombstone_id', 'issuer', 'received_from'])
    .merge();
  return true;
};
