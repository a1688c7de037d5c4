import {
  canonicalJson,
  decodeBase64Url,
  encodeBase64Url,
  PUBLIC_KEY_BYTES,
  type SignatureCheck,
} from '../../../kernel/internal-api.ts';
import type { AuditSigner } from '../audit-api.ts';

/** A public key and a signature, both in base64url without padding. */
export interface Signature {
  /** The raw Ed25519 key. */
  readonly publicKey: string;
  readonly signature: string;
}

type Document = Readonly<Record<string, string | number | null>>;

/** Signs the RFC 8785 form of a document. Returns null if no plugin holds a key. */
export const signDocument = (document: Document, signer: AuditSigner | undefined): Signature | null => {
  if (signer === undefined) return null;
  return { publicKey: signer.publicKey, signature: encodeBase64Url(signer.sign(bytesOf(document))) };
};

/** Returns the check that verifies the signature on the document; undefined for a malformed signature. */
export const signatureCheck = (document: Document, { publicKey, signature }: Signature): SignatureCheck | undefined => {
  const key = decodeBase64Url(publicKey);
  const bytes = decodeBase64Url(signature);
  if (key?.length !== PUBLIC_KEY_BYTES || bytes === null) return undefined;
  return { publicKey: key, bytes: bytesOf(document), signature: bytes };
};

/** Adds the signature to a document. It is null if there was no key. */
export const withSignature = (document: Document, signature: Signature | null) => ({
  ...document,
  public_key: signature?.publicKey ?? null,
  signature: signature?.signature ?? null,
});

const bytesOf = (document: Document): Uint8Array => Buffer.from(canonicalJson(document));
