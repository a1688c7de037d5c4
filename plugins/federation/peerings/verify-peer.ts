import {
  decodeBase64Url,
  encodeBase64Url,
  type InboundReply,
  parseStrictJson,
  verifyEd25519,
} from '../../../kernel/internal-api.ts';
import { type Clock, ServiceError, type Transport } from '../../../kernel/plugin-api.ts';
import { type ReadDeclaration, signedBytes } from './declaration.ts';
import { type ClaimedIdentity, firstKeys, followKeys, readIdentity } from './follow-keys.ts';
import type { PeerKey } from './peering.ts';

export interface PeerReaderParts {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly metadataPath: string;
  /** True to also allow plain http and private addresses. */
  readonly insecure: boolean;
}

/**
 * The result of reading metadata at an address. `silent`: there was no reply, or a temporary failure. `foreign`: the
 * address does not serve a node.
 */
export type MetadataReading =
  | { readonly kind: 'read'; readonly identity: ClaimedIdentity }
  | { readonly kind: 'silent' | 'foreign'; readonly why: string };

/** The result of verifying a declaration. `other-key`: the pinned key did not sign the current one. */
export type Verification =
  | { readonly kind: 'verified'; readonly keys: readonly PeerKey[]; readonly unicodeVersion?: string | null }
  | { readonly kind: 'silent' | 'foreign' | 'mismatch' | 'other-key'; readonly why: string };

const TIMEOUT_MS = 10_000;
const MAX_METADATA_BYTES = 64 * 1024;
const TOO_MANY_REQUESTS = 429;

/** Reads and verifies the identity of other nodes. */
export class PeerReader {
  readonly #parts: PeerReaderParts;

  constructor(parts: PeerReaderParts) {
    this.#parts = parts;
  }

  /**
   * Returns the reason why an address may never be called. Returns undefined if it may, or if its name does not resolve
   * yet.
   */
  refusal(nodeUrl: string): Promise<string | undefined> {
    const { transport, insecure } = this.#parts;
    return transport.refusal(nodeUrl, { allowPrivate: insecure, maybeLater: true });
  }

  /** Reads the metadata at an address. Never rejects. */
  async read(nodeUrl: string): Promise<MetadataReading> {
    const { transport, metadataPath, insecure } = this.#parts;
    let reply: InboundReply;
    try {
      reply = await transport.send({
        method: 'GET',
        url: `${nodeUrl}${metadataPath}`,
        headers: { Accept: 'application/json' },
        allowPrivate: insecure,
        timeoutMs: TIMEOUT_MS,
        maxResponseBytes: MAX_METADATA_BYTES,
        purpose: 'peer',
      });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { kind: 'silent', why: error.message };
    }
    if (reply.status >= 500 || reply.status === TOO_MANY_REQUESTS) {
      return { kind: 'silent', why: `the metadata could not be read: status ${reply.status}` };
    }
    const identity = reply.status === 200 ? identityIn(reply.body) : undefined;
    if (identity !== undefined) return { kind: 'read', identity };
    return { kind: 'foreign', why: `there is no metadata of a node at this address: status ${reply.status}` };
  }

  /** Verifies a declaration against its node's metadata. `known` holds the pinned keys; it is empty for a new node. */
  async verify(declaration: ReadDeclaration, nodeUrl: string, known: readonly PeerKey[]): Promise<Verification> {
    const reading = await this.read(nodeUrl);
    if (reading.kind !== 'read') return this.#withoutMetadata(declaration, reading, known);
    const { identity } = reading;
    const { declaringNodeId, publicKey } = declaration;
    if (identity.nodeId !== declaringNodeId) {
      return { kind: 'mismatch', why: 'the metadata at this address is of another node than the declaration' };
    }
    const nowMs = this.#parts.clock.nowMs();
    const keys = known.length === 0 ? firstKeys(identity, nowMs) : followKeys(known, identity, nowMs);
    if (keys === undefined) return { kind: 'other-key', why: 'the key that was pinned does not vouch for the new key' };
    const current = encodeBase64Url(identity.publicKey);
    if (
      publicKey !== null &&
      publicKey !== current &&
      !keys.some((key) => encodeBase64Url(key.publicKey) === publicKey)
    ) {
      return { kind: 'mismatch', why: 'the key in the declaration is not the one in the metadata' };
    }
    if (isSigned(declaration, keys, nowMs)) return { kind: 'verified', keys, unicodeVersion: identity.unicodeVersion };
    return { kind: 'mismatch', why: 'the signature is not one of the key in the metadata' };
  }

  /** Verifies a declaration of a known node by its pinned key, even while the node cannot be reached. */
  #withoutMetadata(
    declaration: ReadDeclaration,
    { kind, why }: Exclude<MetadataReading, { kind: 'read' }>,
    known: readonly PeerKey[],
  ): Verification {
    if (kind === 'silent' && isSigned(declaration, known, this.#parts.clock.nowMs())) {
      return { kind: 'verified', keys: known };
    }
    return { kind, why };
  }
}

/** Verifies the signature with the current key, and with former ones that processes of the peer may still use. */
const isSigned = (declaration: ReadDeclaration, keys: readonly PeerKey[], nowMs: number): boolean => {
  const signature = decodeBase64Url(declaration.signature);
  if (signature === null) return false;
  const bytes = signedBytes(declaration.document);
  return keys
    .filter(({ validUntilMs }) => validUntilMs === null || validUntilMs > nowMs)
    .some(({ publicKey }) => verifyEd25519(publicKey, bytes, signature));
};

const identityIn = (body: Uint8Array): ClaimedIdentity | undefined => {
  try {
    return readIdentity(parseStrictJson(body, 'metadata'));
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
};
