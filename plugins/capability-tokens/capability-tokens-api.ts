import {
  defineErrorCode,
  defineRef,
  type PluginSnapshot,
  type Principal,
  type Scope,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';

/** The set is closed. */
export const CAPABILITY_VERBS = ['read', 'write', 'admin', 'federate', 'subscribe', 'tombstone:read'] as const;
export type CapabilityVerb = (typeof CAPABILITY_VERBS)[number];

/**
 * What a token must cover, already resolved by the plugin that asks. A garden is named by its identifier, its URI and
 * its slug, because a token may name it by any of them; URIs are taken as they were sent.
 */
export type CapabilityTarget =
  | { readonly kind: 'entity'; readonly uri: string }
  | { readonly kind: 'scope'; readonly scope: Scope }
  | { readonly kind: 'garden'; readonly id: string; readonly uri: string; readonly slug: string };

export interface CapabilityNeed {
  readonly verb: CapabilityVerb;
  readonly target: CapabilityTarget;
}

/** Who a token speaks of: a `Principal`, or what was kept of one. */
export type CapabilityHolder = Pick<Principal, 'entityUri' | 'tenantId'>;

/**
 * What may be kept of a token that was verified. Never the token itself: keep `tokenId`, and ask `stillHolds` at each
 * use.
 */
export interface VerifiedCapability {
  readonly tokenId: string;
  readonly issuer: string;
  readonly subject: string;
  readonly verb: CapabilityVerb;
  readonly object: string;
  /** Milliseconds since the epoch; the token is good strictly before. */
  readonly expiresMs: number;
}

/** Capability tokens of this node. Nothing of an answer may be kept for a later use. */
export interface CapabilityTokens {
  /**
   * Checks a presented token, the text of header `X-<Service>-Capability` or of a body member, for the need of the
   * caller, now: form, signature of this node, record in the store, tenant, subject = `caller.entityUri`, verb, object
   * by whole path segments, expiry, revocation. Writes a `capability_verified` or `capability_rejected` entry to the
   * audit log, in a transaction of its own: must not be called inside a write. A plugin that then stores something by
   * the token asks `stillHolds` inside that write.
   *
   * Rejects with `capability_required` when nothing was presented, with `capability_invalid` for a token that does not
   * hold (both 403; the detail begins with `token_invalid`, `token_expired` or `token_revoked`), and with `unavailable`
   * when the store cannot be asked.
   */
  verify(presented: string | undefined, need: CapabilityNeed, caller: CapabilityHolder): Promise<VerifiedCapability>;
  /**
   * Whether a token that `verify` once took still holds: for each delivery and each replay, and inside the write that
   * follows a `verify`. Looks into the given snapshot or transaction and nowhere else. False for anything that is
   * unknown or no longer fits; rejects only when the store fails, which means "ask again later" and never "yes". Writes
   * no audit entry.
   */
  stillHolds(
    tokenId: string,
    need: CapabilityNeed,
    holder: CapabilityHolder,
    snapshot: PluginSnapshot,
  ): Promise<boolean>;
}

export const CapabilityTokens = defineRef<CapabilityTokens>('capability-tokens.tokens');

/** A token as it is administered: what it says, and whether it was ended. Instants are milliseconds since the epoch. */
export interface CapabilityRecord extends VerifiedCapability {
  readonly issuedMs: number;
  /** Null while nobody ended it. */
  readonly revokedMs: number | null;
}

export interface CapabilityRequest {
  /** Must be the actor. */
  readonly issuer: string;
  readonly subject: string;
  readonly verb: CapabilityVerb;
  readonly object: string;
  /** RFC 3339, at most 90 days ahead. Not together with `ttlSeconds`; without either an hour from now. */
  readonly expiry?: string | null | undefined;
  /** Whole seconds, 1 to 7,776,000. */
  readonly ttlSeconds?: number | undefined;
}

export interface IssuedCapability extends CapabilityRecord {
  readonly nonce: string;
  /** The signed text: this once, and nowhere else. */
  readonly tokenJson: string;
}

/** What a look at a token shows. */
export type CapabilityFinding =
  | { readonly valid: true; readonly record: CapabilityRecord }
  | {
      readonly valid: false;
      readonly reason: 'token_invalid' | 'token_expired' | 'token_revoked';
      /** For people: what exactly is wrong. */
      readonly detail: string;
      /** Only of a token that this node did issue, in the actor's tenant. */
      readonly record?: CapabilityRecord;
    };

/** Where a page of tokens ended. */
export interface CapabilityPosition {
  readonly issuedMs: number;
  readonly tokenId: string;
}

export interface CapabilityPage {
  /** By the instant of issue, newest first. */
  readonly found: readonly CapabilityRecord[];
  readonly more: boolean;
  /** How many there are over all pages. */
  readonly total: number;
}

/**
 * Administration of tokens. A key is held to the rules for issuers; the node itself (`kind: 'node'`, for the command
 * line) is not.
 */
export interface CapabilityRegistry {
  /**
   * Signs a token and records it. Needs `write`. Rejects with `validation` for a request that breaks a rule, and with
   * `authorization` when the issuer is not the caller, the subject another without `admin`, or the right one that the
   * caller does not hold. Two equal requests make two tokens.
   */
  issue(caller: Principal, request: CapabilityRequest): Promise<IssuedCapability>;
  /**
   * Looks at a token without a need. Needs `read`. Audited as `CapabilityTokens.verify` is; must not be called inside a
   * write.
   */
  inspect(caller: Principal, tokenJson: string): Promise<CapabilityFinding>;
  /**
   * Tokens that the caller issued or is the subject of; all of the tenant for a key with `admin`. Needs `read`. `limit`
   * is 1 to 10,000, else `validation`.
   */
  list(
    caller: Principal,
    page: { readonly after?: CapabilityPosition | undefined; readonly limit: number },
  ): Promise<CapabilityPage>;
  /**
   * Ends a token at once, everywhere. Needs `write`. Rejects with `lookup` for an unknown one and for one that the
   * caller neither issued nor is the subject of, unless it is an admin of the tenant; with `conflict` when it was ended
   * before. The reason has at most 1024 characters.
   */
  revoke(caller: Principal, tokenId: string, reason?: string | null): Promise<CapabilityRecord>;
}

export const CapabilityRegistry = defineRef<CapabilityRegistry>('capability-tokens.registry');

export const CAPABILITY_REQUIRED = defineErrorCode('capability_required', {
  status: 403,
  summary: 'the request needs a capability token',
});
export const CAPABILITY_INVALID = defineErrorCode('capability_invalid', {
  status: 403,
  summary: 'the capability token does not give the right that is needed',
});

/** The header in which a request brings its token. */
export const capabilityHeader = (names: ServiceNames): string => names.header('Capability');
