import { decodeBase64Url, keyIdOf, PUBLIC_KEY_BYTES, verifyEd25519 } from '../../../kernel/internal-api.ts';
import { parseInstant } from '../../../kernel/plugin-api.ts';
import { successionBytes } from '../../node-info/node-info-api.ts';
import type { PeerKey } from './peering.ts';

/** The identity that a node's metadata claims, without any verification. */
export interface ClaimedIdentity {
  readonly nodeId: string;
  /** The signing key of the process that sent the metadata. */
  readonly publicKey: Uint8Array;
  /** The listed keys, oldest first. Empty if the node lists none. */
  readonly listed: readonly ListedKey[];
  /** The version of Unicode by which the node compares names; null if it names none. */
  readonly unicodeVersion: string | null;
}

export interface ListedKey {
  readonly keyId: string;
  readonly publicKey: Uint8Array;
  readonly publicKeyText: string;
  readonly validFrom: string;
  readonly validUntilMs: number | null;
  readonly signedBy: { readonly keyId: string; readonly signature: Uint8Array } | null;
}

const VERSION = /^\d{1,3}(\.\d{1,3}){0,2}$/;
/** The maximum number of stored keys of a node, because each costs one signature check. No real node has as many. */
const MAX_LISTED_KEYS = 100;
/** The maximum time for which a replaced key of the peer stays valid, for processes of the peer that still use it. */
const LONGEST_OVERLAP_MS = 86_400_000;
const USUAL_OVERLAP_MS = 3_600_000;

/** Reads the identity from a metadata document. Returns undefined without one. */
export const readIdentity = (metadata: unknown): ClaimedIdentity | undefined => {
  if (!isObject(metadata)) return undefined;
  const { node_id: nodeId, federation_pubkey: publicKey, federation_keys: listed, unicode_version: version } = metadata;
  if (typeof nodeId !== 'string' || typeof publicKey !== 'string') return undefined;
  const key = readKey(publicKey);
  if (key === undefined) return undefined;
  const entries = Array.isArray(listed) ? listed.slice(-MAX_LISTED_KEYS) : [];
  return {
    nodeId,
    publicKey: key,
    listed: entries.flatMap((entry) => readListedKey(entry) ?? []),
    unicodeVersion: typeof version === 'string' && VERSION.test(version) ? version : null,
  };
};

/**
 * Returns the keys of a node on first contact: the current key, and the earlier keys that lead to it. The node trusts
 * them as much as the connection that delivered them.
 */
export const firstKeys = (identity: ClaimedIdentity, nowMs: number): readonly PeerKey[] => {
  const { nodeId, publicKey, listed } = identity;
  const keys: PeerKey[] = [{ keyId: keyIdOf(publicKey), publicKey, validUntilMs: null }];
  let link = listed.findLast((entry) => entry.keyId === keys[0]?.keyId);
  for (const entry of listed.toReversed()) {
    if (link === undefined || !vouchesFor(entry, link, nodeId)) continue;
    if (!keys.some(({ keyId }) => keyId === entry.keyId)) keys.push(retired(entry, nowMs));
    link = entry;
  }
  // The replying process may still use a key that the node has replaced.
  return followKeys(keys, identity, nowMs) ?? keys;
};

/**
 * Returns the keys of a known node after a possible rotation. Starting at the pinned key, each new key must be signed
 * by the one before it. Returns undefined if that does not lead to the node's current key.
 */
export const followKeys = (
  known: readonly PeerKey[],
  { nodeId, publicKey, listed }: ClaimedIdentity,
  nowMs: number,
): readonly PeerKey[] | undefined => {
  const [pinned, ...older] = known;
  if (pinned === undefined) return undefined;
  let current: Pick<PeerKey, 'keyId' | 'publicKey'> = pinned;
  const followed: PeerKey[] = [];
  for (const entry of listed) {
    if (!vouchesFor(current, entry, nodeId)) continue;
    followed.unshift(retired({ ...current, validUntilMs: endOf(current.keyId, listed) }, nowMs));
    current = entry;
  }
  const last: PeerKey = { keyId: current.keyId, publicKey: current.publicKey, validUntilMs: null };
  const keys = [last, ...[...followed, ...older].filter(({ keyId }) => keyId !== last.keyId)];
  const signing = keyIdOf(publicKey);
  return keys.some(({ keyId }) => keyId === signing) ? newest(keys) : undefined;
};

/** Limits the number of keys, so that a node that rotates its key all the time cannot fill the store. */
const newest = (keys: readonly PeerKey[]): readonly PeerKey[] =>
  [...new Map(keys.toReversed().map((key) => [key.keyId, key])).values()].toReversed().slice(0, MAX_LISTED_KEYS);

const endOf = (keyId: string, listed: readonly ListedKey[]): number | null =>
  listed.findLast((entry) => entry.keyId === keyId)?.validUntilMs ?? null;

/**
 * Returns a replaced key. Limits the overlap that a peer may request, because somebody who has stolen the old key would
 * request a long overlap.
 */
const retired = (
  { keyId, publicKey, validUntilMs }: Pick<PeerKey, 'keyId' | 'publicKey' | 'validUntilMs'>,
  nowMs: number,
): PeerKey => ({
  keyId,
  publicKey,
  validUntilMs: Math.min(validUntilMs ?? nowMs + USUAL_OVERLAP_MS, nowMs + LONGEST_OVERLAP_MS),
});

const vouchesFor = (
  { keyId, publicKey }: Pick<PeerKey, 'keyId' | 'publicKey'>,
  next: ListedKey,
  nodeId: string,
): boolean => {
  if (next.signedBy?.keyId !== keyId) return false;
  const named = { keyId: next.keyId, publicKey: next.publicKeyText, validFrom: next.validFrom };
  return verifyEd25519(publicKey, successionBytes(nodeId, named), next.signedBy.signature);
};

const readListedKey = (entry: unknown): ListedKey | undefined => {
  if (!isObject(entry)) return undefined;
  const { public_key: text, valid_from: validFrom, valid_until: validUntil, signed_by: signedBy } = entry;
  const publicKey = typeof text === 'string' ? readKey(text) : undefined;
  if (typeof text !== 'string' || publicKey === undefined || typeof validFrom !== 'string') return undefined;
  if (parseInstant(validFrom) === null) return undefined;
  return {
    // Computes the id from the key, because the listed id is not verified.
    keyId: keyIdOf(publicKey),
    publicKey,
    publicKeyText: text,
    validFrom,
    validUntilMs: typeof validUntil === 'string' ? parseInstant(validUntil) : null,
    signedBy: readSuccession(signedBy),
  };
};

const readSuccession = (signedBy: unknown): ListedKey['signedBy'] => {
  if (!isObject(signedBy)) return null;
  const { key_id: keyId, signature } = signedBy;
  if (typeof keyId !== 'string' || typeof signature !== 'string') return null;
  const bytes = decodeBase64Url(signature);
  return bytes === null ? null : { keyId, signature: bytes };
};

const readKey = (text: string): Uint8Array | undefined => {
  const bytes = decodeBase64Url(text);
  return bytes?.length === PUBLIC_KEY_BYTES ? bytes : undefined;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
