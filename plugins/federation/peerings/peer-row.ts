import {
  decodeBase64Url,
  encodeBase64Url,
  foldName,
  keyIdOf,
  numberOrNull,
  openRow,
  sealRow,
  textOrNull,
} from '../../../kernel/internal-api.ts';
import {
  openJson,
  type Row,
  type SealedColumns,
  type SqlValue,
  sealJson,
  sha256Hex,
} from '../../../kernel/plugin-api.ts';
import { type DeclarationDocument, declarationOf } from './declaration.ts';
import type { Peering, PeerKey, PeerStatus } from './peering.ts';
import { PEERS_TABLE } from './peering-tables.ts';

export const SEALED = {
  table: PEERS_TABLE,
  key: ['tenant_id', 'peer_id'],
  columns: ['theirs', 'ours', 'waiting', 'public_keys'],
  plain: [
    ...['tenant_id', 'peer_id', 'node_id', 'node_digest', 'node_url', 'status'],
    ...['theirs_signed_ms', 'ours_signed_ms', 'takes_any_key', 'grant_version'],
  ],
} as const satisfies SealedColumns;

/** A peering with the columns that only its store uses. */
export interface StoredPeering extends Peering {
  /** A received declaration that is not verified yet, because the peer's metadata could not be read. */
  readonly waiting: DeclarationDocument | null;
  readonly waitingSinceMs: number | null;
  readonly theirDocument: DeclarationDocument | null;
  readonly ourDocument: DeclarationDocument | null;
  /** Declarations signed up to this instant are ignored, even after the declaration itself was deleted. */
  readonly theirFloorMs: number | null;
  readonly ourFloorMs: number | null;
  /** The instant at which the peer's metadata was last requested. */
  readonly checkedMs: number | null;
  /**
   * True until a declaration of the peer is verified, and again after a revocation: then the next declaration may bring
   * any key. Keys known until then still verify proofs, so that no other peer can sign facts as this one.
   */
  readonly takesAnyKey: boolean;
}

/**
 * Returns the digest by which rows are found, because an index limits the length of its keys. Different spellings of
 * one node id give the same digest.
 */
export const nodeDigest = (nodeId: string): string => sha256Hex(foldName(nodeId));

export const rowOfPeering = (peering: StoredPeering): Row =>
  sealRow(SEALED, {
    tenant_id: peering.tenantId,
    peer_id: peering.peerId,
    node_id: peering.nodeId,
    node_digest: nodeDigest(peering.nodeId),
    node_url: peering.nodeUrl === '' ? null : peering.nodeUrl,
    status: peering.status,
    theirs: sealJson(peering.theirDocument),
    theirs_signed_ms: peering.theirFloorMs,
    ours: sealJson(peering.ourDocument),
    ours_signed_ms: peering.ourFloorMs,
    waiting: sealJson(peering.waiting),
    waiting_since_ms: peering.waitingSinceMs,
    public_keys: sealJson(
      peering.keys.map(({ publicKey, validUntilMs }) => [encodeBase64Url(publicKey), validUntilMs]),
    ),
    grant_version: peering.grantVersion,
    verified_ms: peering.verifiedMs,
    established_ms: peering.establishedMs,
    checked_ms: peering.checkedMs,
    created_ms: peering.createdMs,
    unicode_version: peering.unicodeVersion,
    takes_any_key: peering.takesAnyKey ? 1 : 0,
  });

export const peeringFromRow = (stored: Readonly<Record<string, SqlValue>>): StoredPeering => {
  const row = openRow(SEALED, stored);
  const theirDocument = documentIn(row, 'theirs');
  const ourDocument = documentIn(row, 'ours');
  return {
    tenantId: String(row['tenant_id']),
    peerId: String(row['peer_id']),
    nodeId: String(row['node_id']),
    nodeUrl: row['node_url'] == null ? '' : String(row['node_url']),
    status: String(row['status']) as PeerStatus,
    theirs: theirDocument && declarationOf(theirDocument),
    ours: ourDocument && declarationOf(ourDocument),
    keys: keysOf(openJson(SEALED, row, 'public_keys')),
    grantVersion: Number(row['grant_version']),
    verifiedMs: numberOrNull(row['verified_ms']),
    establishedMs: numberOrNull(row['established_ms']),
    createdMs: Number(row['created_ms']),
    unicodeVersion: textOrNull(row['unicode_version']),
    waiting: documentIn(row, 'waiting'),
    waitingSinceMs: numberOrNull(row['waiting_since_ms']),
    theirDocument,
    ourDocument,
    theirFloorMs: numberOrNull(row['theirs_signed_ms']),
    ourFloorMs: numberOrNull(row['ours_signed_ms']),
    checkedMs: numberOrNull(row['checked_ms']),
    takesAnyKey: Number(row['takes_any_key']) === 1,
  };
};

const keysOf = (stored: readonly [string, number | null][]): readonly PeerKey[] =>
  stored.map(([key, validUntilMs]) => {
    const publicKey = decodeBase64Url(key) ?? new Uint8Array();
    return { keyId: keyIdOf(publicKey), publicKey, validUntilMs };
  });

const documentIn = (row: Row, column: 'theirs' | 'ours' | 'waiting'): DeclarationDocument | null =>
  openJson<DeclarationDocument | null>(SEALED, row, column);
