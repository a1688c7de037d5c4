import { defineRef } from '../../kernel/plugin-api.ts';

/** Where the node says how its callers get a credential (RFC 9728). */
export interface ResourceMetadata {
  /** Undefined while no identity provider vouches for callers. */
  readonly url: string | undefined;
}

export const ResourceMetadata = defineRef<ResourceMetadata>('oidc.resource-metadata');

/** With what a page leads people to the identity provider. */
export interface SignInPlace {
  readonly issuer: string;
  /** The public client as which the node redeems codes. */
  readonly clientId: string;
  readonly authorizationEndpoint: string;
}

/** The sign-in by code (OAuth 2.0 with PKCE), whose last step is `POST /v1/auth/oidc/exchange`. */
export interface CodeSignIn {
  /** Whether this node redeems codes at all. */
  readonly isOffered: boolean;
  /** Rejects with `unavailable` where no codes are redeemed, or the provider cannot be reached. */
  place(): Promise<SignInPlace>;
}

export const CodeSignIn = defineRef<CodeSignIn>('oidc.code-sign-in');
