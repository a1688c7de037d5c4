import { canonicalJson, encodeBase64Url, keyIdOf } from '../../kernel/internal-api.ts';
import { formatInstant } from '../../kernel/plugin-api.ts';
import type { NodeIdentity } from '../node-info/node-info-api.ts';
import type { ErasureReceipt } from './multi-tenant-api.ts';
import type { StoredTenant } from './tenant-row.ts';

export interface ReceiptParts {
  readonly nodeId: string;
  /** Whether the store is sealed, so that the keys of the tenant are destroyed. */
  readonly isSealed: boolean;
  /** Null on a node without a key. Its receipts cannot be verified. */
  readonly identity: Pick<NodeIdentity, 'publicKey' | 'sign'> | undefined;
}

/** Data that an erasure keeps on purpose. */
const REMAINS = [
  'the id of the tenant, which is never given out again',
  'digests of its API keys, so that none of them opens anything again',
  'entries of the operator in the audit log of the tenant default, which name the id',
];

/** Returns the copies that no node can reach. */
const outOfReach = (isSealed: boolean): readonly string[] => [
  isSealed
    ? 'clear copies of the store that were made before; no content of the tenant opens in a sealed one, as its keys ' +
      'were destroyed, except where another sentence here names it'
    : 'copies of the store that were made before, such as backups',
  'what other nodes, webhooks and clients received',
  'log files and lines of billing outside the store',
];

/** Makes the signed receipt of a completed erasure. */
export const signReceipt = (
  tenant: StoredTenant,
  { removed, limits, nowMs }: { removed: Readonly<Record<string, number>>; limits: readonly string[]; nowMs: number },
  { nodeId, identity, isSealed }: ReceiptParts,
): ErasureReceipt => {
  const content = {
    tenant_id: tenant.id,
    requested_by: tenant.requestedBy ?? '',
    requested_at: formatInstant(tenant.requestedMs ?? nowMs),
    erased_at: formatInstant(nowMs),
    erased: removed,
    remains: REMAINS,
    limits: [...outOfReach(isSealed), ...limits],
    signed_by: nodeId,
    key_id: identity === undefined ? null : keyIdOf(identity.publicKey),
  };
  const text = Buffer.from(canonicalJson(content));
  return { ...content, signature: identity === undefined ? null : encodeBase64Url(identity.sign(text)) };
};
