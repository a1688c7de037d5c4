import {
  column,
  decodeBase64Url,
  defineRow,
  encodeBase64Url,
  foldName,
  keyIdOf,
  openRow,
  sealRow,
  textOrNull,
} from '../../../kernel/internal-api.ts';
import { openJson, type Row, type SealedColumns, sealJson, sha256Hex } from '../../../kernel/plugin-api.ts';
import { type DeclarationDocument, declarationOf } from './declaration.ts';
import type { Peering, PeerKey } from './peering.ts';
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

const keysOf = (stored: readonly [string, number | null][]): readonly PeerKey[] =>
  stored.map(([key, validUntilMs]) => {
    const publicKey = decodeBase64Url(key) ?? new Uint8Array();
    return { keyId: keyIdOf(publicKey), publicKey, validUntilMs };
  });

const PEERING_ROW = defineRow<Omit<StoredPeering, 'theirs' | 'ours'>>({
  tenantId: column.text('tenant_id'),
  peerId: column.text('peer_id'),
  nodeId: column.text('node_id'),
  nodeUrl: column.of(
    'node_url',
    (url) => textOrNull(url) ?? '',
    (url) => url || null,
  ),
  status: column.text('status'),
  theirDocument: column.json(SEALED, 'theirs'),
  theirFloorMs: column.numberOrNull('theirs_signed_ms'),
  ourDocument: column.json(SEALED, 'ours'),
  ourFloorMs: column.numberOrNull('ours_signed_ms'),
  waiting: column.json(SEALED, 'waiting'),
  waitingSinceMs: column.numberOrNull('waiting_since_ms'),
  keys: {
    write: (keys) => ({
      public_keys: sealJson(keys.map(({ publicKey, validUntilMs }) => [encodeBase64Url(publicKey), validUntilMs])),
    }),
    read: (row) => keysOf(openJson(SEALED, row, 'public_keys')),
  },
  grantVersion: column.number('grant_version'),
  verifiedMs: column.numberOrNull('verified_ms'),
  establishedMs: column.numberOrNull('established_ms'),
  checkedMs: column.numberOrNull('checked_ms'),
  createdMs: column.number('created_ms'),
  unicodeVersion: column.textOrNull('unicode_version'),
  takesAnyKey: column.flag('takes_any_key'),
});

export const rowOfPeering = (peering: StoredPeering): Row =>
  sealRow(SEALED, { ...PEERING_ROW.rowOf(peering), node_digest: nodeDigest(peering.nodeId) });

export const peeringFromRow = (stored: Row): StoredPeering => {
  const peering = PEERING_ROW.fromRow(openRow(SEALED, stored));
  const { theirDocument, ourDocument } = peering;
  return {
    ...peering,
    theirs: theirDocument && declarationOf(theirDocument),
    ours: ourDocument && declarationOf(ourDocument),
  };
};
