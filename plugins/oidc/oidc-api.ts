import { defineRef } from '../../kernel/plugin-api.ts';

/** The document that tells clients how to get a credential (RFC 9728). */
export interface ResourceMetadata {
  /** Undefined without an identity provider. */
  readonly url: string | undefined;
}

export const ResourceMetadata = defineRef<ResourceMetadata>('oidc.resource-metadata');

/** The data with which a page sends people to the identity provider. */
export interface SignInPlace {
  readonly issuer: string;
  /** The public client that the node uses to redeem codes. */
  readonly clientId: string;
  readonly authorizationEndpoint: string;
}

/** The sign-in by code (OAuth 2.0 with PKCE). Its last step is `POST /v1/auth/oidc/exchange`. */
export interface CodeSignIn {
  /** True if this node redeems codes. */
  readonly isOffered: boolean;
  /** Rejects with `unavailable` if the node redeems no codes, or the provider cannot be reached. */
  place(): Promise<SignInPlace>;
}

export const CodeSignIn = defineRef<CodeSignIn>('oidc.code-sign-in');
