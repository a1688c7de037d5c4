import { createHash } from 'node:crypto';
import { canonicalJson, createSigner, encodeBase64Url, type Signer } from '../../../kernel/internal-api.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { type OriginProofJson, originProof, type WireFact } from './wire-fact.ts';

/** A JSON document whose members a test may change at will. */
export type Document = Readonly<Record<string, unknown>>;

/** A node as its peers see it: its id, its key, and everything that it signs. */
export interface PeerIdentity {
  readonly nodeId: string;
  readonly signer: Signer;
  /** The base64url seed of the private key (32 bytes), as `SVC_NODE_PRIVATE_KEY` accepts it. */
  readonly seed: string;
  /** The raw public key in base64url. */
  readonly publicKey: string;
  readonly keyId: string;
  /** Returns a text in UUID format that no other call returned. */
  unique(): string;
  /**
   * Returns a declaration to the target: for public facts, in both directions, signed now. `changes` override its
   * members.
   */
  declare(targetNodeId: string, changes?: Document): Document;
  /** Returns the document with a valid `declaration_sig` over its other members. */
  signed(document: Document): Document;
  /** Returns a token for one request to the target, valid for a minute. A claim of undefined is omitted. */
  token(targetNodeId: string, claims?: Document, header?: Document): string;
  /** Returns a proof that this node is the origin of the fact. */
  prove(fact: WireFact): OriginProofJson;
}

const MINUTE_MS = 60_000;

/** Derives the key from the name, so that a run can be repeated. */
export const createPeerIdentity = (nodeId: string, nowMs: () => number, keyName = nodeId): PeerIdentity => {
  const seed = createHash('sha256').update(`key of ${keyName}`).digest();
  const signer = createSigner(seed);
  const random = createSeededRandom(seed.readUInt32BE());
  const keyId = keyIdOf(signer.publicKey);
  const signed: PeerIdentity['signed'] = (document) => ({
    ...document,
    declaration_sig: encodeBase64Url(signer.sign(Buffer.from(canonicalJson(document)))),
  });
  return {
    nodeId,
    signer,
    seed: encodeBase64Url(seed),
    publicKey: encodeBase64Url(signer.publicKey),
    keyId,
    unique: () => random.uuid(),
    signed,
    declare: (targetNodeId, changes = {}) =>
      signed({
        declaring_node_id: nodeId,
        target_node_id: targetNodeId,
        allowed_scopes: ['public'],
        direction: 'bidirectional',
        signed_at: new Date(nowMs()).toISOString(),
        ...changes,
      }),
    token: (targetNodeId, claims = {}, header = {}) =>
      signedToken(
        signer,
        { alg: 'EdDSA', typ: 'JWT', ...header },
        {
          iss: nodeId,
          sub: targetNodeId,
          iat: nowMs(),
          exp: nowMs() + MINUTE_MS,
          nonce: random.uuid(),
          ...claims,
        },
      ),
    prove: (fact) => originProof(fact, { nodeId, keyId, signer, saltOf: () => random.bytes(16) }),
  };
};

/** Returns the key id: the first 16 hexadecimal digits of the SHA-256 of the raw key. */
export const keyIdOf = (publicKey: Uint8Array): string =>
  createHash('sha256').update(publicKey).digest('hex').slice(0, 16);

/** Returns a compact token of these parts, which need not be valid. */
export const signedToken = (signer: Signer, header: unknown, claims: unknown): string => {
  const text = `${segment(header)}.${segment(claims)}`;
  return `${text}.${encodeBase64Url(signer.sign(Buffer.from(text)))}`;
};

/** Encodes one part of a token. A text is used unchanged, so that a test can write invalid JSON. */
export const segment = (part: unknown): string =>
  encodeBase64Url(Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)));
