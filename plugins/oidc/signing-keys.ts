import type { CryptoKey, JWK } from 'jose';
import { decodeBase64Url } from '../../kernel/internal-api.ts';
import { isObject, type JsonObject, memberOf, providerFailure } from './fetch-document.ts';
import type { SignatureAlgorithm } from './oidc-settings.ts';

/** The maximum number of keys; no real provider has as many. */
const MAX_KEYS = 100;
const MIN_RSA_BITS = 2_048;
/** The maximum size of an RSA key in bits. Larger keys make verification slow. */
const MAX_RSA_BITS = 8_192;
/** The maximum length of an RSA exponent in bytes. Longer ones are legal but slow; real ones are 3 or 65537. */
const MAX_RSA_EXPONENT_BYTES = 4;
/** Maximum number of keys with the same id that are tried for one token. */
const MAX_CANDIDATES = 4;

/** A public key of the provider. */
interface SigningKey {
  readonly jwk: JWK;
  readonly keyId: string | undefined;
  /** The only signature algorithm that the provider allows for the key. Undefined if it names none. */
  readonly algorithm: string | undefined;
  readonly imported: Map<SignatureAlgorithm, Promise<CryptoKey>>;
}

/** The present signing keys of the identity provider. */
export class SigningKeys {
  readonly #keys: readonly SigningKey[];

  /** Keeps the keys that can verify signatures, and ignores all others. */
  constructor(document: JsonObject) {
    const keys = memberOf(document, 'keys');
    if (!Array.isArray(keys)) throw providerFailure('its key document has no list of keys');
    if (keys.length > MAX_KEYS) throw providerFailure(`its key document has more than ${MAX_KEYS} keys`);
    this.#keys = keys.flatMap((key) => readKey(key) ?? []);
  }

  /** Returns the few keys that may have made a signature. Without an id, every key for the algorithm is a candidate. */
  candidates(algorithm: SignatureAlgorithm, keyId: string | undefined): (() => Promise<CryptoKey>)[] {
    const fitting = this.#keys.filter(
      (key) =>
        (keyId === undefined || key.keyId === keyId) &&
        (key.algorithm === undefined || key.algorithm === algorithm) &&
        kindOf(key.jwk) === KIND_OF_ALGORITHM[algorithm],
    );
    return fitting.slice(0, MAX_CANDIDATES).map((key) => () => importOnce(key, algorithm));
  }
}

const importOnce = (key: SigningKey, algorithm: SignatureAlgorithm): Promise<CryptoKey> => {
  const known = key.imported.get(algorithm);
  if (known !== undefined) return known;
  // All keys here are asymmetric, so the import returns key objects, never bytes.
  const imported = import('jose').then(({ importJWK }) => importJWK(key.jwk, algorithm) as Promise<CryptoKey>);
  key.imported.set(algorithm, imported);
  return imported;
};

/** Returns the public key in an item of the document. Undefined for a key that must not verify signatures. */
const readKey = (item: unknown): SigningKey | undefined => {
  if (!isObject(item)) return undefined;
  const [kty, use, operations, alg, kid] = ['kty', 'use', 'key_ops', 'alg', 'kid'].map((name) => memberOf(item, name));
  const signs = use === undefined || use === 'sig';
  const verifies = operations === undefined || (Array.isArray(operations) && operations.includes('verify'));
  // A private key in a public document is compromised.
  if (!signs || !verifies || Object.hasOwn(item, 'd') || Object.hasOwn(item, 'k')) return undefined;
  const jwk = publicMembers(item, kty);
  if (jwk === undefined) return undefined;
  return {
    jwk,
    keyId: typeof kid === 'string' ? kid : undefined,
    algorithm: typeof alg === 'string' ? alg : undefined,
    imported: new Map(),
  };
};

const publicMembers = (item: JsonObject, kty: unknown): JWK | undefined => {
  const text = (name: string): string => String(memberOf(item, name) ?? '');
  if (kty === 'RSA') {
    const modulus = decodeBase64Url(text('n'));
    const exponent = decodeBase64Url(text('e'));
    const bits = modulus === null ? 0 : bitLength(modulus);
    const isSound = bits >= MIN_RSA_BITS && bits <= MAX_RSA_BITS && exponent !== null && isExponent(exponent);
    return isSound ? { kty, n: text('n'), e: text('e') } : undefined;
  }
  if (kty === 'EC') return { kty, crv: text('crv'), x: text('x'), y: text('y') };
  if (kty === 'OKP') return { kty, crv: text('crv'), x: text('x') };
  return undefined;
};

const bitLength = (bytes: Uint8Array): number => {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first === -1 ? 0 : (bytes.length - first) * 8 - Math.clz32(bytes[first] as number) + 24;
};

/** Returns true for odd numbers larger than 1. With the exponent 1, every text would be its own signature. */
const isExponent = (bytes: Uint8Array): boolean => {
  if (bytes.length === 0 || bytes.length > MAX_RSA_EXPONENT_BYTES) return false;
  const value = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  return value > 1 && value % 2 === 1;
};

const kindOf = ({ kty, crv }: JWK): string => (kty === 'RSA' ? kty : String(crv));

const KIND_OF_ALGORITHM: Readonly<Record<SignatureAlgorithm, string>> = {
  RS256: 'RSA',
  RS384: 'RSA',
  RS512: 'RSA',
  PS256: 'RSA',
  PS384: 'RSA',
  PS512: 'RSA',
  ES256: 'P-256',
  ES384: 'P-384',
  ES512: 'P-521',
  EdDSA: 'Ed25519',
};
