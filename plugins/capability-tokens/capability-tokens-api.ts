import {
  defineErrorCode,
  defineRef,
  type PluginSnapshot,
  type Principal,
  type Scope,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';

/** The actions that a token can permit. Plugins cannot add any. */
export const CAPABILITY_VERBS = ['read', 'write', 'admin', 'federate', 'subscribe', 'tombstone:read'] as const;
export type CapabilityVerb = (typeof CAPABILITY_VERBS)[number];

/**
 * The target that a token must cover, resolved by the requesting plugin. A garden has its identifier, URI and slug,
 * because a token may use any of them. URIs are as sent.
 */
export type CapabilityTarget =
  | { readonly kind: 'entity'; readonly uri: string }
  | { readonly kind: 'scope'; readonly scope: Scope }
  | { readonly kind: 'garden'; readonly id: string; readonly uri: string; readonly slug: string };

export interface CapabilityNeed {
  readonly verb: CapabilityVerb;
  readonly target: CapabilityTarget;
}

/** The subject of a token: a `Principal`, or the stored part of one. */
export type CapabilityHolder = Pick<Principal, 'entityUri' | 'tenantId'>;

/**
 * The part of a verification's result that may be stored. Never store the token itself: store `tokenId`, and call
 * `stillHolds` at each use.
 */
export interface VerifiedCapability {
  readonly tokenId: string;
  readonly issuer: string;
  readonly subject: string;
  readonly verb: CapabilityVerb;
  readonly object: string;
  /** The instant at which the token expires, in milliseconds since the epoch. */
  readonly expiresMs: number;
}

/** Verifies capability tokens of this node. Never reuse a result for a later request. */
export interface CapabilityTokens {
  /**
   * Checks a presented token, the text of header `X-<Service>-Capability` or of a body member, for the need of the
   * caller, now. It checks form, signature of this node, record in the store, tenant, subject = `caller.entityUri`,
   * verb, object by whole path segments, expiry and revocation. Writes a `capability_verified` or `capability_rejected`
   * audit entry in a transaction of its own, so never call it inside a write. A plugin that stores something because of
   * the token calls `stillHolds` inside that write. Rejects with `capability_required` without a token. Rejects with
   * `capability_invalid` for an invalid one (both 403; the detail begins with `token_invalid`, `token_expired` or
   * `token_revoked`). Rejects with `unavailable` if the store cannot be read.
   */
  verify(presented: string | undefined, need: CapabilityNeed, caller: CapabilityHolder): Promise<VerifiedCapability>;
  /**
   * Returns true if a token that `verify` accepted is still valid. Call it for each delivery and each replay, and
   * inside the write that follows a `verify`. Reads only the given snapshot or transaction. Returns false for an
   * unknown or unsuitable token. Rejects only if the store fails, which means "try again later", never "yes". Writes no
   * audit entry.
   */
  stillHolds(
    tokenId: string,
    need: CapabilityNeed,
    holder: CapabilityHolder,
    snapshot: PluginSnapshot,
  ): Promise<boolean>;
}

export const CapabilityTokens = defineRef<CapabilityTokens>('capability-tokens.tokens');

/** A stored token for administrators: its claims, and its revocation. Instants are milliseconds since the epoch. */
export interface CapabilityRecord extends VerifiedCapability {
  readonly issuedMs: number;
  /** The instant of revocation; null unless the token was revoked. */
  readonly revokedMs: number | null;
}

export interface CapabilityRequest {
  /** The issuer, who must be the caller. */
  readonly issuer: string;
  readonly subject: string;
  readonly verb: CapabilityVerb;
  readonly object: string;
  /**
   * The expiry, RFC 3339, at most 90 days ahead. It excludes `ttlSeconds`; without either, the token expires in an
   * hour.
   */
  readonly expiry?: string | null | undefined;
  /** The lifetime in whole seconds, 1 to 7,776,000. */
  readonly ttlSeconds?: number | undefined;
}

export interface IssuedCapability extends CapabilityRecord {
  readonly nonce: string;
  /** The signed text, returned only here. */
  readonly tokenJson: string;
}

/** The result of inspecting a token. */
export type CapabilityFinding =
  | { readonly valid: true; readonly record: CapabilityRecord }
  | {
      readonly valid: false;
      readonly reason: 'token_invalid' | 'token_expired' | 'token_revoked';
      /** The exact problem, for people. */
      readonly detail: string;
      /** The stored record, only for a token that this node issued in the caller's tenant. */
      readonly record?: CapabilityRecord;
    };

/** The position of the last token on a page. */
export interface CapabilityPosition {
  readonly issuedMs: number;
  readonly tokenId: string;
}

export interface CapabilityPage {
  /** The tokens by the instant of issue, newest first. */
  readonly found: readonly CapabilityRecord[];
  readonly more: boolean;
  /** The number of tokens on all pages. */
  readonly total: number;
}

/**
 * Manages tokens. The rules for issuers apply to every key, but not to the node itself (`kind: 'node'`, for the command
 * line).
 */
export interface CapabilityRegistry {
  /**
   * Signs a token and records it. Needs `write`. Rejects with `validation` for a request that breaks a rule. Rejects
   * with `authorization` if the issuer is not the caller, if the subject is another entity and the caller no `admin`,
   * or if the caller lacks the right. Two equal requests create two tokens.
   */
  issue(caller: Principal, request: CapabilityRequest): Promise<IssuedCapability>;
  /**
   * Inspects a token without checking it against a request. Needs `read`. Writes an audit entry as
   * `CapabilityTokens.verify` does, so never call it inside a write.
   */
  inspect(caller: Principal, tokenJson: string): Promise<CapabilityFinding>;
  /**
   * Returns tokens that the caller issued or is the subject of; for a key with `admin` all of the tenant. Needs `read`.
   * `limit` is 1 to 10,000, otherwise `validation`.
   */
  list(
    caller: Principal,
    page: { readonly after?: CapabilityPosition | undefined; readonly limit: number },
  ): Promise<CapabilityPage>;
  /**
   * Revokes a token at once, in every process. Needs `write`. Rejects with `lookup` for an unknown token, and for one
   * that the caller neither issued nor is the subject of, unless it is an admin of the tenant. Rejects with `conflict`
   * for a revoked one. The reason has at most 1024 characters.
   */
  revoke(caller: Principal, tokenId: string, reason?: string | null): Promise<CapabilityRecord>;
}

export const CapabilityRegistry = defineRef<CapabilityRegistry>('capability-tokens.registry');

export const CAPABILITY_INVALID = defineErrorCode('capability_invalid', {
  status: 403,
  summary: 'the capability token does not give the right that is needed',
});

/** Returns the name of the header that carries a token. */
export const capabilityHeader = (names: ServiceNames): string => names.header('Capability');
