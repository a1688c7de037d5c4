import { decodeBase64Url } from '../../kernel/internal-api.ts';
import type { ReadableTables } from '../../kernel/plugin-api.ts';
import type { StoredCapability } from './capability-row.ts';
import type { CapabilityStore } from './capability-store.ts';
import { readingsOf, readToken, type TokenDocument } from './token-document.ts';

export type Judgement =
  | { readonly valid: true; readonly record: StoredCapability }
  | {
      readonly valid: false;
      readonly reason: 'token_invalid' | 'token_expired' | 'token_revoked';
      readonly detail: string;
      /** The stored record, for a token that this node issued in this tenant. */
      readonly record?: StoredCapability;
    };

/**
 * Checks that a text is a valid token of this node for this tenant. A valid signature is not enough: the store must
 * contain a record of the same document. So neither a stolen private key nor a restored backup creates tokens.
 */
export const judgeToken = async (
  text: string,
  tenantId: string,
  nowMs: number,
  { store, own }: { readonly store: CapabilityStore; readonly own: ReadableTables },
): Promise<Judgement> => {
  const documents = readingsOf(text).map(readToken);
  if (documents.every((document) => document === null)) return invalid('not a capability token');
  const keys = (await store.signingKeys(own)).map(decodeBase64Url);
  const signed = documents.find((document) => document !== null && isSignedByOne(document, keys));
  if (signed == null) return invalid('bad signature');
  const record = await store.byId(own, signed.tokenId, tenantId);
  if (record === undefined || record.digest !== signed.digest) {
    // The record of a token is deleted a long time after its expiry.
    return nowMs >= signed.expiresMs ? expired() : invalid('unknown to this node');
  }
  if (record.revokedMs !== null) return { valid: false, reason: 'token_revoked', detail: 'it was revoked', record };
  return nowMs >= record.expiresMs ? expired(record) : { valid: true, record };
};

const isSignedByOne = (document: TokenDocument, keys: readonly (Uint8Array | null)[]): boolean =>
  keys.some((key) => key !== null && document.isSignedBy(key));

const invalid = (detail: string): Judgement => ({ valid: false, reason: 'token_invalid', detail });

const expired = (record?: StoredCapability): Judgement => {
  const found = { valid: false, reason: 'token_expired', detail: 'its time is over' } as const;
  return record === undefined ? found : { ...found, record };
};
