import { decodeBase64Url, parseStrictJson } from '../../kernel/internal-api.ts';
import { isObject, type JsonObject, memberOf } from './fetch-document.ts';
import { SIGNATURE_ALGORITHMS, type SignatureAlgorithm } from './oidc-settings.ts';
import { invalidToken } from './token-refusal.ts';

/** The maximum length of a token. Tokens with long lists of groups have a few thousand characters. */
export const MAX_TOKEN_LENGTH = 16 * 1024;
const MAX_KEY_ID_LENGTH = 1_024;

/** A token before its signature is verified. Its content must not be trusted. */
export interface UnverifiedToken {
  readonly algorithm: SignatureAlgorithm;
  readonly keyId: string | undefined;
  readonly payload: Uint8Array;
}

/** The use of a token. Its header names the kind; many providers name access tokens like id tokens. */
export type TokenUse = 'id' | 'access';

const TYPES: Readonly<Record<TokenUse, readonly string[]>> = {
  id: ['JWT'],
  access: ['AT+JWT', 'APPLICATION/AT+JWT', 'JWT'],
};

/**
 * Reads a JSON Web Signature in its compact form. It is strict, so that no text has two meanings: three segments of
 * canonical base64url, and each member at most once. Throws the refusal of anything else.
 */
export const readToken = (
  token: string,
  { use, algorithms }: { readonly use: TokenUse; readonly algorithms: readonly SignatureAlgorithm[] },
): UnverifiedToken => {
  if (token.length > MAX_TOKEN_LENGTH) throw invalidToken(`the token is longer than ${MAX_TOKEN_LENGTH} characters`);
  const segments = token.split('.', 6);
  if (segments.length === 5) throw invalidToken('the token is encrypted: send one that is signed alone');
  if (segments.length !== 3) throw invalidToken('the token has not the three parts of a signed token');
  const [header, payload, signature] = segments.map((segment) => (segment === '' ? null : decodeBase64Url(segment)));
  if (header == null || payload == null || signature == null) {
    throw invalidToken('a part of the token is not base64url without padding');
  }
  return { ...readHeader(readObject(header, 'header'), TYPES[use], algorithms), payload };
};

/** Parses a part of a token. `what` names the part in an error. */
export const readObject = (bytes: Uint8Array, what: string): JsonObject => {
  const parsed = parseOrNull(bytes);
  if (isObject(parsed)) return parsed;
  throw invalidToken(`the ${what} of the token is not a JSON object with each member once`);
};

const parseOrNull = (bytes: Uint8Array): unknown => {
  try {
    return parseStrictJson(bytes, 'token');
  } catch {
    return null;
  }
};

/** Members with which a token could select its own key or verification rule, or change the meaning of its content. */
const REFUSED_MEMBERS = ['crit', 'b64', 'jwk', 'jku', 'x5u', 'x5c', 'enc', 'zip', 'cty'];

const readHeader = (
  header: JsonObject,
  types: readonly string[],
  algorithms: readonly SignatureAlgorithm[],
): Pick<UnverifiedToken, 'algorithm' | 'keyId'> => {
  const refused = REFUSED_MEMBERS.find((name) => Object.hasOwn(header, name));
  if (refused !== undefined) throw invalidToken(`the header of the token has the member ${refused}`);
  // `typ` identifies access tokens, logout tokens and tokens of this node.
  const typ = memberOf(header, 'typ');
  if (typ !== undefined && !(typeof typ === 'string' && types.includes(typ.toUpperCase()))) {
    throw invalidToken('the token is of another kind than is needed here');
  }
  const algorithm = SIGNATURE_ALGORITHMS.find((known) => known === memberOf(header, 'alg'));
  if (algorithm === undefined || !algorithms.includes(algorithm)) {
    throw invalidToken(`the token is not signed by one of ${algorithms.join(', ')}`);
  }
  const keyId = memberOf(header, 'kid');
  if (keyId !== undefined && (typeof keyId !== 'string' || keyId.length > MAX_KEY_ID_LENGTH)) {
    throw invalidToken('the key id of the token is not a short text');
  }
  return { algorithm, keyId };
};
