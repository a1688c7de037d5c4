import { hasForbiddenCodePoint, isWithinCharacters } from '../../kernel/internal-api.ts';
import { OAuthError } from './oauth-error.ts';
import { isRedirectUri, shownHost } from './redirect-uri.ts';

const MAX_NAME_LENGTH = 100;
const MAX_REDIRECTS = 20;

/** The name and redirect addresses that a client declares. The node does not verify them. */
export interface ClientMetadata {
  readonly name: string;
  readonly redirectUris: readonly string[];
}

/**
 * Reads a client's metadata (RFC 7591). Ignores unknown members. Without `needsName`, a client without a name gets the
 * host of its first redirect address as its name. Throws `invalid_redirect_uri` and `invalid_client_metadata`.
 */
export const readClientMetadata = (
  document: Readonly<Record<string, unknown>>,
  { needsName }: { readonly needsName: boolean },
): ClientMetadata => {
  const redirectUris = document['redirect_uris'];
  const isList = Array.isArray(redirectUris) && redirectUris.length > 0 && redirectUris.length <= MAX_REDIRECTS;
  if (!isList || !redirectUris.every((uri) => typeof uri === 'string' && isRedirectUri(uri))) {
    throw new OAuthError(
      'invalid_redirect_uri',
      `redirect_uris must be 1 to ${MAX_REDIRECTS} addresses: https, http on this machine, or a scheme of a program`,
    );
  }
  requireMember(document, 'token_endpoint_auth_method', (method) => typeof method === 'string');
  requireMember(document, 'grant_types', (types) => Array.isArray(types) && types.includes('authorization_code'));
  requireMember(document, 'response_types', (types) => Array.isArray(types) && types.includes('code'));
  const name = document['client_name'];
  if (name === undefined && !needsName) return { name: shownHost(String(redirectUris[0])), redirectUris };
  if (typeof name !== 'string' || name.trim() === '' || !isPlainName(name)) {
    throw new OAuthError('invalid_client_metadata', `client_name must be 1 to ${MAX_NAME_LENGTH} printable characters`);
  }
  return { name: name.trim(), redirectUris };
};

/**
 * Returns false for a name with control or format characters, because a reversed text direction could hide the host
 * that is shown next to the name.
 */
const isPlainName = (name: string): boolean =>
  isWithinCharacters(name, MAX_NAME_LENGTH) &&
  !hasForbiddenCodePoint(name) &&
  !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name);

const requireMember = (
  document: Readonly<Record<string, unknown>>,
  name: string,
  isGood: (value: unknown) => boolean,
): void => {
  if (document[name] === undefined || isGood(document[name])) return;
  throw new OAuthError('invalid_client_metadata', `${name} does not fit: a public client uses codes with PKCE`);
};
