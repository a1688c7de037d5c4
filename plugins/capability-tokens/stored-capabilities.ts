import { hasForbiddenCodePoint } from '../../kernel/internal-api.ts';
import {
  type Clock,
  type GardenAccess,
  type PluginSnapshot,
  type PluginTables,
  type Principal,
  type Random,
  requirePermission,
  ServiceError,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';
import type { AuditEntry, AuditEvent, AuditLog } from '../audit/audit-api.ts';
import type { NodeIdentity } from '../node-info/node-info-api.ts';
import { type Judgement, judgeToken } from './capability-judge.ts';
import type { StoredCapability } from './capability-row.ts';
import type { CapabilityFilter, CapabilityStore } from './capability-store.ts';
import {
  CAPABILITY_INVALID,
  type CapabilityFinding,
  type CapabilityHolder,
  type CapabilityNeed,
  type CapabilityPage,
  type CapabilityPosition,
  type CapabilityRecord,
  type CapabilityRegistry,
  type CapabilityRequest,
  type CapabilityTokens,
  capabilityHeader,
  type IssuedCapability,
  type VerifiedCapability,
} from './capability-tokens-api.ts';
import {
  CAPABILITY_ISSUED,
  CAPABILITY_REJECTED,
  CAPABILITY_REQUIRED,
  CAPABILITY_REVOKED,
  CAPABILITY_VERIFIED,
} from './capability-tokens-words.ts';
import { checkIssuer, checkLimit, expiryOf, readNames, readReason } from './check-issue.ts';
import { coversTarget } from './covers-target.ts';
import { digestOfToken, signToken } from './token-document.ts';

const NONCE_BYTES = 32;
/** The maximum number of unexpired tokens of an issuer. Revoked tokens count, because the store keeps them as long. */
const MAX_UNEXPIRED = 1_000;

export interface CapabilityParts {
  readonly store: CapabilityStore;
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly random: Random;
  readonly names: ServiceNames;
  readonly identity: NodeIdentity;
  readonly audit: AuditLog | undefined;
  readonly gardens: GardenAccess | undefined;
}

/**
 * Stores tokens and verifies them. It caches nothing, so a revocation takes effect with its commit, in every process.
 */
export class StoredCapabilities implements CapabilityTokens, CapabilityRegistry {
  readonly #parts: CapabilityParts;

  constructor(parts: CapabilityParts) {
    this.#parts = parts;
  }

  async issue(actor: Principal, request: CapabilityRequest): Promise<IssuedCapability> {
    requirePermission(actor, 'write');
    const { store, tables, clock, random, identity, names } = this.#parts;
    const nowMs = clock.nowMs();
    const token = {
      tokenId: random.uuid(),
      ...readNames(request, names),
      issuedMs: nowMs,
      expiresMs: expiryOf(request, nowMs),
      nonce: Buffer.from(random.bytes(NONCE_BYTES)).toString('hex'),
    };
    const tokenJson = signToken(token, identity);
    const record = { ...token, tenantId: actor.tenantId, digest: digestOfToken(tokenJson), revokedMs: null };
    await tables.write(actor.tenantId, async (own, transaction) => {
      // Checks inside the transaction, so that an issuer who was just removed from a garden cannot grant it.
      await checkIssuer(token, actor, transaction, this.#parts);
      if (!(await store.hasRoomFor(own, record, MAX_UNEXPIRED))) throw tooManyTokens();
      await store.insert(own, record);
      await this.#parts.audit?.record(entryOf(CAPABILITY_ISSUED, actor, record), transaction);
    });
    return { ...recordOf(record), nonce: token.nonce, tokenJson };
  }

  async inspect(actor: Principal, tokenJson: string): Promise<CapabilityFinding> {
    requirePermission(actor, 'read');
    const judgement = await this.#judge(tokenJson, actor.tenantId);
    if (judgement.valid) {
      await this.#parts.audit?.record(entryOf(CAPABILITY_VERIFIED, actor, judgement.record));
      return { valid: true, record: recordOf(judgement.record) };
    }
    await this.#recordRefusal(judgement, actor);
    const { record, ...finding } = judgement;
    return record === undefined ? finding : { ...finding, record: recordOf(record) };
  }

  async verify(
    presented: string | undefined,
    need: CapabilityNeed,
    caller: CapabilityHolder,
  ): Promise<VerifiedCapability> {
    if (presented === undefined || presented.trim() === '') {
      throw new ServiceError(CAPABILITY_REQUIRED, `this needs a capability token for "${need.verb}"`, {
        hint: `Send it as the header ${capabilityHeader(this.#parts.names)} or as body member "capability_token".`,
      });
    }
    const judgement = this.#fit(await this.#judge(presented, caller.tenantId), need, caller);
    if (!judgement.valid) {
      await this.#recordRefusal(judgement, caller);
      throw new ServiceError(CAPABILITY_INVALID, `${judgement.reason}: ${judgement.detail}`);
    }
    await this.#parts.audit?.record(entryOf(CAPABILITY_VERIFIED, caller, judgement.record));
    const { tokenId, issuer, subject, verb, object, expiresMs } = judgement.record;
    return { tokenId, issuer, subject, verb, object, expiresMs };
  }

  async stillHolds(
    tokenId: string,
    need: CapabilityNeed,
    holder: CapabilityHolder,
    snapshot: PluginSnapshot,
  ): Promise<boolean> {
    const { store, tables, clock } = this.#parts;
    const record = await store.byId(tables.in(snapshot), tokenId, holder.tenantId);
    if (record === undefined || record.revokedMs !== null || clock.nowMs() >= record.expiresMs) return false;
    return this.#fit({ valid: true, record }, need, holder).valid;
  }

  async list(
    actor: Principal,
    { after, limit }: { readonly after?: CapabilityPosition | undefined; readonly limit: number },
  ): Promise<CapabilityPage> {
    requirePermission(actor, 'read');
    checkLimit(limit);
    const { store, tables } = this.#parts;
    const filter = filterFor(actor);
    return tables.read(async (own) => {
      const found = (await store.newestFirst(own, filter, after, limit + 1)).map(recordOf);
      return { found: found.slice(0, limit), more: found.length > limit, total: await store.count(own, filter) };
    });
  }

  async revoke(actor: Principal, tokenId: string, given: string | null = null): Promise<CapabilityRecord> {
    requirePermission(actor, 'write');
    const reason = readReason(given);
    // An id with such characters cannot be stored, so it does not exist.
    if (hasForbiddenCodePoint(tokenId)) throw noSuchToken();
    const { store, tables, clock } = this.#parts;
    return tables.write(actor.tenantId, async (own, transaction) => {
      const token = await store.byId(own, tokenId, actor.tenantId);
      if (token === undefined || !mayAdminister(token, actor)) throw noSuchToken();
      if (token.revokedMs !== null) throw new ServiceError('conflict', 'the token is already revoked');
      const nowMs = clock.nowMs();
      await store.revoke(own, token, { nowMs, by: actor.entityUri, reason });
      await this.#parts.audit?.record(entryOf(CAPABILITY_REVOKED, actor, token), transaction);
      return { ...recordOf(token), revokedMs: nowMs };
    });
  }

  #judge(text: string, tenantId: string): Promise<Judgement> {
    const { store, tables, clock } = this.#parts;
    return tables.read((own) => judgeToken(text, tenantId, clock.nowMs(), { store, own }));
  }

  /** Compares a valid token with the required capability. */
  #fit(judgement: Judgement, need: CapabilityNeed, { entityUri }: CapabilityHolder): Judgement {
    if (!judgement.valid) return judgement;
    const { record } = judgement;
    const refuse = (detail: string): Judgement => ({ valid: false, reason: 'token_invalid', detail, record });
    if (record.subject !== entityUri) return refuse('it was issued to another entity');
    if (record.verb !== need.verb) return refuse('it is for another verb');
    const isCovered = coversTarget(record.object, need.target, this.#parts.names);
    return isCovered ? judgement : refuse('its object does not cover the target');
  }

  async #recordRefusal(judgement: Judgement & { valid: false }, caller: CapabilityHolder): Promise<void> {
    const { reason, record } = judgement;
    await this.#parts.audit?.recordRejection(entryOf(CAPABILITY_REJECTED, caller, record, { reason }));
  }
}

const tooManyTokens = (): ServiceError =>
  new ServiceError('limit_reached', `an issuer has at most ${MAX_UNEXPIRED} capability tokens that have not expired`, {
    hint: 'use one of these tokens, wait until some have expired, and issue tokens that expire sooner',
  });

const noSuchToken = (): ServiceError => new ServiceError('lookup', 'no such token');

/**
 * Returns the filter for the tokens that a caller may see: all of the tenant for an admin and the node, own tokens for
 * others.
 */
export const filterFor = (actor: Principal): CapabilityFilter =>
  actor.kind === 'node' || actor.permissions.has('admin')
    ? { tenantId: actor.tenantId }
    : { tenantId: actor.tenantId, entityUri: actor.entityUri };

const mayAdminister = ({ issuer, subject }: StoredCapability, actor: Principal): boolean => {
  const { entityUri } = filterFor(actor);
  return entityUri === undefined || issuer === entityUri || subject === entityUri;
};

/** Returns the public members of a stored token, without digest and tenant. */
const recordOf = (token: StoredCapability): CapabilityRecord => ({
  tokenId: token.tokenId,
  issuer: token.issuer,
  subject: token.subject,
  verb: token.verb,
  object: token.object,
  issuedMs: token.issuedMs,
  expiresMs: token.expiresMs,
  revokedMs: token.revokedMs,
});

/**
 * Returns an audit entry that names a token by its id and claims. Takes nothing from a token of another issuer, because
 * its content is not trusted.
 */
const entryOf = (
  event: AuditEvent,
  actor: CapabilityHolder & { readonly oidcSub?: string | null },
  record: CapabilityRecord | undefined,
  detail: Readonly<Record<string, string>> = {},
): AuditEntry => ({
  event,
  tenantId: actor.tenantId,
  entityUri: actor.entityUri,
  oidcSub: actor.oidcSub ?? null,
  detail: {
    ...detail,
    ...(record === undefined
      ? {}
      : { token_id: record.tokenId, subject: record.subject, verb: record.verb, object: record.object }),
  },
});
