import { encodeBase64Url } from '../../kernel/internal-api.ts';
import { sha256Hex } from '../../kernel/plugin-api.ts';
import { memberOf } from './fetch-document.ts';
import type { IdentityProvider } from './identity-provider.ts';
import type { CodeSignIn } from './oidc-api.ts';
import { nonceOf } from './sign-in-binding.ts';
import { type SignInParts, signPersonIn } from './sign-person-in.ts';
import { invalidToken, signInIsOff } from './token-refusal.ts';

export interface CodeSignInParts extends Omit<SignInParts, 'provider'> {
  readonly nodeUrl: string;
  /** Undefined if the exchange is disabled. */
  readonly provider: IdentityProvider | undefined;
}

const SCOPE = 'openid email profile';

/** The client name of keys from sign-ins on pages of the node. */
const PAGES = 'pages of the node';

export const createCodeSignIn = (parts: CodeSignInParts): CodeSignIn => {
  const { provider, nodeUrl, settings } = parts;
  const place: CodeSignIn['place'] = async () => {
    if (provider === undefined) throw signInIsOff();
    return provider.signInPlace();
  };
  return {
    isOffered: provider !== undefined && settings.clientId !== '',
    place,
    async begin({ redirectUri, codeVerifier, salt, permissions }, state) {
      const { authorizationEndpoint, clientId } = await place();
      const asked = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: SCOPE,
        state,
        nonce: nonceOf({ address: nodeUrl, permissions, salt }),
        code_challenge: encodeBase64Url(Buffer.from(sha256Hex(codeVerifier), 'hex')),
        code_challenge_method: 'S256',
      };
      const address = new URL(authorizationEndpoint);
      for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
      return address.href;
    },
    async finish({ redirectUri, codeVerifier, salt, permissions }, { code, issuer: sentBy }) {
      if (provider === undefined) throw signInIsOff();
      const { issuer, namesIssuer } = await provider.signInPlace();
      // A code of one provider must not be sent to another one (RFC 9207).
      if (sentBy === undefined ? namesIssuer : sentBy !== issuer) throw invalidToken('another provider has answered');
      const nonce = nonceOf({ address: nodeUrl, permissions, salt });
      const { record } = await signPersonIn(
        {
          credential: { code, codeVerifier, redirectUri },
          permissions,
          client: PAGES,
          isContinuing: true,
          checkPurpose: (claims) => {
            if (memberOf(claims, 'nonce') !== nonce) throw invalidToken('the id token belongs to another sign-in');
          },
        },
        { ...parts, provider },
      );
      return record.id;
    },
  };
};
