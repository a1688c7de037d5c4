import type { SignatureCheck } from '../../../kernel/internal-api.ts';
import {
  decodeBase64Url,
  matchKey,
  type NodeSelf,
  type PluginTables,
  type PluginTransaction,
  type Random,
  type SignatureWork,
  SUPPRESSION_CHANGED,
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
  readonly exchange: Pick<PeerExchange, 'withNodes'>;
  readonly audit: AuditLog | undefined;
}

/** The maximum numbers of tombstones from one peer, and from unknown issuers. Tombstones above them are refused. */
const MOST_MARKERS_OF_PEER = 100_000;
const MOST_PARKED = 10_000;

type Verdict = 'good' | 'invalid' | 'parked' | 'ours';

interface CheckedTombstone extends ReceivedTombstone {
  readonly verdict: Verdict;
}

/**
 * Stores a page of a peer's tombstones. Each one is valid by its issuer's signature, even if another node sent it, and
 * hides only that issuer's facts. `keepPlace` runs in the same transaction.
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
  const judged = await judge(read, tenantId, parts);
  rejected.push(...judged.filter(({ verdict }) => verdict === 'invalid').map(({ tombstone }) => tombstone.id));
  const changed = await tables.write(tenantId, async (own, transaction) => {
    const [{ count = 0 } = {}] = await own(MARKERS)
      .where({ tenant_id: tenantId, received_from: nodeId })
      .count({ count: '*' });
    let room = MOST_MARKERS_OF_PEER - Number(count);
    const changed: ReceivedTombstone[] = [];
    for (const one of judged) {
      if (one.verdict === 'parked') await park(own, one, nodeId);
      if (one.verdict !== 'good') continue;
      const tombstone = await withLocalId(one.tombstone, own, parts);
      const outcome = await apply({ ...one, tombstone }, own, transaction, parts, room);
      if (outcome === 'full') rejected.push(one.tombstone.id);
      if (outcome === 'added') room -= 1;
      if (outcome === 'added' || outcome === 'changed') changed.push({ ...one, tombstone });
    }
    await keepPlace(own);
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
  tenantId: string,
  { exchange, self, work, names }: TakeParts,
): Promise<readonly CheckedTombstone[]> => {
  const issuers = [...new Set(read.map(({ tombstone }) => tombstone.signedBy))];
  const known = issuers.length === 0 ? new Map<string, Peering>() : await exchange.withNodes(tenantId, issuers);
  const ownKey = matchKey(self.nodeId, names);
  const found: { one: ReceivedTombstone; verdict: Verdict; checks: SignatureCheck[] }[] = read.map((one) => {
    const issuer = matchKey(one.tombstone.signedBy, names);
    if (issuer === ownKey) return { one, verdict: 'ours', checks: [] };
    const keys = known.get(issuer)?.keys ?? [];
    if (keys.length === 0) return { one, verdict: 'parked', checks: [] };
    const checks = checksOf(one, keys);
    return checks === undefined ? { one, verdict: 'invalid', checks: [] } : { one, verdict: 'good', checks };
  });
  const good = await work.verifyAll(found.flatMap(({ checks }) => checks));
  let at = 0;
  return found.map(({ one, verdict, checks }) => {
    const isGood = checks.map(() => good[at++] === true).every(Boolean);
    return { ...one, verdict: isGood ? verdict : 'invalid' };
  });
};

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

/** Returns the tombstone with the id that it has here. Issuer and id identify it, so that another id may be needed. */
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
  { tombstone, revocation }: ReceivedTombstone,
  own: WritableTables,
  transaction: PluginTransaction,
  parts: TakeParts,
  room: number,
): Promise<Outcome> => {
  const { clock } = parts;
  const nowMs = clock.nowMs();
  const known = await tombstoneById(own, tombstone);
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
  await followPiece(tombstone, own, transaction, parts);
  return known === undefined ? 'added' : 'changed';
};

/** Stores a tombstone aside until its issuer is known. */
const park = async (own: WritableTables, received: CheckedTombstone, receivedFrom: string): Promise<void> => {
  const { tombstone } = received;
  const { tenantId, id, signedBy } = tombstone;
  const [{ count = 0 } = {}] = await own(PARKED).where({ tenant_id: tenantId }).count({ count: '*' });
  if (Number(count) >= MOST_PARKED) return;
  await own(PARKED)
    .insert({
      tenant_id: tenantId,
      tombstone_id: id,
      issuer: signedBy,
      received_from: receivedFrom,
      document: JSON.stringify(servedTombstoneJson(tombstone, received.revocation)),
    })
    .onConflict(['tenant_id', 'tombstone_id', 'issuer', 'received_from'])
    .merge();
};
