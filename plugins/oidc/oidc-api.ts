import { defineCollectHook, defineRef } from '../../kernel/plugin-api.ts';

/** The document that tells clients how to get a credential (RFC 9728). */
export interface ResourceMetadata {
  /** Undefined without an identity provider. */
  readonly url: string | undefined;
  /** The issuer of access tokens that the node accepts; undefined if it accepts none. */
  readonly accessTokenIssuer: string | undefined;
}

export const ResourceMetadata = defineRef<ResourceMetadata>('oidc.resource-metadata');

/** Asks for further issuers of access tokens for this node, which its metadata names beside the identity provider. */
export const resourceIssued = defineCollectHook<Record<string, never>, string>('resource:issued');

/** The data with which a page sends people to the identity provider. */
export interface SignInPlace {
  readonly issuer: string;
  /** The public client that the node uses to redeem codes. */
  readonly clientId: string;
  readonly authorizationEndpoint: string;
  /** True if each answer of the provider names its issuer (RFC 9207). */
  readonly namesIssuer: boolean;
}

/** The secrets and the purpose of one sign-in, which the browser of the person stores until its return. */
export interface BegunSignIn {
  /** The address of this node to which the provider returns the browser. */
  readonly redirectUri: string;
  readonly codeVerifier: string;
  /** Ties the id token to this sign-in: 43 characters of base64url. */
  readonly salt: string;
  /** The permissions to ask for. The roles of the person limit them. */
  readonly permissions: readonly string[];
}

/** The query with which the provider returns the browser. */
export interface SignInAnswer {
  readonly code: string;
  /** The issuer that the answer names (RFC 9207). */
  readonly issuer: string | undefined;
}

/** The sign-in by code (OAuth 2.0 with PKCE). */
export interface CodeSignIn {
  /** True if this node redeems codes. */
  readonly isOffered: boolean;
  /** Rejects with `unavailable` if the node redeems no codes, or the provider cannot be reached. */
  place(): Promise<SignInPlace>;
  /** Returns the address at the provider to which a page of this node sends the browser. Rejects as `place` does. */
  begin(signIn: BegunSignIn, state: string): Promise<string>;
  /**
   * Signs a person in with the rights of the exchange, and returns the id of a key whose text nobody gets. The key
   * replaces the one of the person's last such sign-in, whose work it continues. The caller has compared the state.
   * Rejects with `authentication` for an answer of another provider or for another sign-in, and as the exchange does.
   */
  finish(signIn: BegunSignIn, answer: SignInAnswer): Promise<string>;
}

export const CodeSignIn = defineRef<CodeSignIn>('oidc.code-sign-in');
