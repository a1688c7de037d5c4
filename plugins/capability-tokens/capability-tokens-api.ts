import {
  defineErrorCode,
  defineRef,
  type PluginSnapshot,
  type Principal,
  type Scope,
} from '../../kernel/plugin-api.ts';

/** Specification, "Capability token". The set is closed. */
export const CAPABILITY_VERBS = ['read', 'write', 'admin', 'federate', 'subscribe', 'tombstone:read'] as const;
export type CapabilityVerb = (typeof CAPABILITY_VERBS)[number];

/**
 * What a token must cover, already resolved by whoever asks. A garden is named by its identifier, its URI and its slug,
 * because a token may name it by any of them; URIs are taken as they were sent.
 */
export type CapabilityTarget =
  | { readonly kind: 'entity'; readonly uri: string }
  | { readonly kind: 'scope'; readonly scope: Scope }
  | { readonly kind: 'garden'; readonly id: string; readonly uri: string; readonly slug: string };

export interface CapabilityNeed {
  readonly verb: CapabilityVerb;
  readonly target: CapabilityTarget;
}

/** Whoever a token speaks of: a `Principal`, or what was kept of one. */
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

/**
 * Capability tokens of this node (wire contract 9.1 and 12, reliability.md A9.5). Nothing of an answer may be kept for
 * a later use.
 */
export interface CapabilityTokens {
  /**
   * Checks a presented token, the text of header `X-<Service>-Capability` or of a body member, for the need of the
   * caller, now: form, signature of this node, record in the store, tenant, subject = `caller.entityUri`, verb, object
   * by whole path segments, expiry, revocation. Writes a `capability_verified` or `capability_rejected` entry to the
   * audit log, in a transaction of its own: must not be called inside a write. Whoever then stores something by the
   * token asks `stillHolds` inside that write.
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

/**
 * Administration of tokens (wire contract 12). The actor is whoever asks: a key is held to the rules for issuers, the
 * node itself (`kind: 'node'`, for the command line) is not.
 */
export interface CapabilityRegistry {
  /**
   * Signs a token and records it. Rejects with `validation` for a request that breaks a rule, and with `authorization`
   * when the issuer is not the actor, the subject another without `admin`, or the right one that the actor does not
   * hold.
   */
  issue(request: CapabilityRequest, actor: Principal): Promise<IssuedCapability>;
  /** Looks at a token without a need. Audited as `CapabilityTokens.verify` is; must not be called inside a write. */
  inspect(tokenJson: string, actor: Principal): Promise<CapabilityFinding>;
  /** The newest of the tenant's tokens, at most `limit`: for the actor's own ones without `admin`. */
  list(actor: Principal, limit: number): Promise<readonly CapabilityRecord[]>;
  /**
   * Ends a token at once, everywhere. Rejects with `lookup` for an unknown one and for one that the actor neither
   * issued nor is the subject of, unless it is an admin of the tenant; with `conflict` when it was ended before.
   */
  revoke(tokenId: string, actor: Principal, reason?: string | null): Promise<CapabilityRecord>;
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
