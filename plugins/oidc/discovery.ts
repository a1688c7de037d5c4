import type { Transport } from '../../kernel/plugin-api.ts';
import { endpointOf, fetchDocument, memberOf, providerFailure } from './fetch-document.ts';

/** The endpoints of the identity provider. Those that it does not publish are undefined. */
export interface Discovery {
  readonly jwksUri: string;
  readonly authorizationEndpoint: string | undefined;
  readonly tokenEndpoint: string | undefined;
  readonly deviceEndpoint: string | undefined;
  /** True if each answer of the authorization endpoint names the issuer (RFC 9207). */
  readonly namesIssuer: boolean;
}

const EXACT_ISSUER =
  'spell the issuer exactly as the provider names itself, with or without a slash at its end: ' +
  'SVC_OIDC_ISSUER_URL, --issuer';

/** Reads the provider's discovery document (OpenID Connect Discovery 1.0). Rejects with `unavailable`. */
export const discover = async (transport: Pick<Transport, 'send'>, issuer: string): Promise<Discovery> => {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const document = await fetchDocument(transport, { issuer, url }, 'discovery document');
  // Otherwise another issuer could authenticate people in the name of this one.
  if (memberOf(document, 'issuer') !== issuer)
    throw providerFailure('its discovery document names another issuer', EXACT_ISSUER);
  const jwksUri = endpointOf(document, 'jwks_uri', issuer);
  if (jwksUri === undefined) throw providerFailure('its discovery document names no keys');
  return {
    jwksUri,
    authorizationEndpoint: endpointOf(document, 'authorization_endpoint', issuer),
    tokenEndpoint: endpointOf(document, 'token_endpoint', issuer),
    deviceEndpoint: endpointOf(document, 'device_authorization_endpoint', issuer),
    namesIssuer: memberOf(document, 'authorization_response_iss_parameter_supported') === true,
  };
};
