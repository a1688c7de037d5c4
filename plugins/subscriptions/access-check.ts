import { portions } from '../../kernel/internal-api.ts';
import {
  all,
  equals,
  type FactOutline,
  type FactReader,
  type Facts,
  type Filter,
  isIn,
  type PluginSnapshot,
  type Principal,
  SCOPES,
  type Scope,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import type { CapabilityNeed, CapabilityTokens } from '../capability-tokens/capability-tokens-api.ts';
import type { KeyRegistry } from '../keys/keys-api.ts';
import type { OutboxEvent } from './event-row.ts';
import { gardenTarget, type Subscription, scopeTarget } from './subscription-record.ts';

export interface AccessParts {
  readonly facts: Facts;
  readonly keys: Pick<KeyRegistry, 'principalOf'>;
  readonly tokens: Pick<CapabilityTokens, 'stillHolds'>;
  /** Returns true if the node serves callers without a key. */
  isOpen(): Promise<boolean>;
}

/** The result of a read with the rights of a subscription. `revoked` is true if a right no longer exists. */
export type RightsResult<T> = { readonly revoked: true } | { readonly revoked: false; readonly result: T };

const REVOKED: RightsResult<never> = { revoked: true };

/**
 * Checks the rights of a subscription: its owner's key, its token, its target, and for each event the scope and garden
 * of the fact. Reads everything from the given snapshot and caches nothing, so that revocations take effect at once. A
 * failed check throws, and then nothing is sent.
 */
export class AccessCheck {
  readonly #parts: AccessParts;

  constructor(parts: AccessParts) {
    this.#parts = parts;
  }

  /** Returns the owner of the subscription; undefined if its key is no longer valid. */
  async ownerOf({ keyId, ownerUri, tenantId }: Subscription, snapshot: PluginSnapshot): Promise<Principal | undefined> {
    if (keyId === null) return (await this.#parts.isOpen()) ? withoutKey(ownerUri, tenantId) : undefined;
    return this.#standingFor(keyId, { ownerUri, tenantId }, snapshot);
  }

  /**
   * Returns the caller with the present rights of their key; undefined if it is no longer valid. Serves work that takes
   * longer than a request.
   */
  async callerNow(caller: Principal, snapshot: PluginSnapshot): Promise<Principal | undefined> {
    const { keyId, entityUri, tenantId } = caller;
    // A caller without a key has no rights that could expire, so the work runs only while the node is open to all.
    if (keyId === null) return (await this.#parts.isOpen()) ? caller : undefined;
    return this.#standingFor(keyId, { ownerUri: entityUri, tenantId }, snapshot);
  }

  async #standingFor(
    keyId: string,
    { ownerUri, tenantId }: Pick<Subscription, 'ownerUri' | 'tenantId'>,
    snapshot: PluginSnapshot,
  ): Promise<Principal | undefined> {
    const holder = await this.#parts.keys.principalOf(keyId, snapshot);
    const isSame = holder?.entityUri === ownerUri && holder.tenantId === tenantId && holder.permissions.has('read');
    return isSame ? holder : undefined;
  }

  /**
   * Returns the key to use for a subscription that its owner requests again: usually the key of that request, which may
   * be valid for longer. A valid old key with wider rights stays, because otherwise the subscription would end at an
   * event that only the old key may read.
   */
  async keyFor(subscription: Subscription, caller: Principal, snapshot: PluginSnapshot): Promise<string | null> {
    const owner = await this.ownerOf(subscription, snapshot);
    return owner === undefined || reachesAsFar(caller, owner) ? caller.keyId : subscription.keyId;
  }

  /** Runs `work` as the owner, unless a right that the subscription needs no longer exists. */
  async asOwner<T>(
    subscription: Subscription,
    snapshot: PluginSnapshot,
    work: (reader: FactReader) => Promise<RightsResult<T>>,
  ): Promise<RightsResult<T>> {
    const owner = await this.ownerOf(subscription, snapshot);
    if (owner === undefined) return REVOKED;
    const { facts, tokens } = this.#parts;
    if (!(await tokens.stillHolds(subscription.tokenId, needOf(subscription), owner, snapshot))) return REVOKED;
    return facts.readIn(snapshot, owner, 'deliver', async (reader) =>
      mayReadTarget(subscription, reader) ? work(reader) : REVOKED,
    );
  }

  /**
   * Returns the fact of an event. Returns undefined if it is hidden although no right was revoked: then the event is
   * not shown.
   */
  async factOf(event: OutboxEvent, reader: FactReader): Promise<RightsResult<StoredFact | undefined>> {
    const ids = factIdsOf(event);
    const visible = await reader.visible(ids);
    if (visible.length < ids.length) {
      const lost = (await reader.snapshot.outline(amongTenant(ids, reader))).some(
        (fact) => !mayReadPlace(fact, reader),
      );
      return lost ? REVOKED : { revoked: false, result: undefined };
    }
    return { revoked: false, result: visible.find(({ id }) => id === event.factId) };
  }

  /** Returns the events that may be shown. */
  async visibleAmong(events: readonly OutboxEvent[], reader: FactReader): Promise<RightsResult<OutboxEvent[]>> {
    const ids = [...new Set(events.flatMap(factIdsOf))];
    const visible = new Set<string>();
    const constraint = await reader.constraint('visible');
    for (const portion of portions(ids, IDS_AT_ONCE)) {
      const some = amongTenant(portion, reader);
      const known = await reader.snapshot.outline(some);
      if (known.some((fact) => !mayReadPlace(fact, reader))) return REVOKED;
      for (const { id } of await reader.snapshot.outline(all(constraint, some))) visible.add(id);
    }
    return { revoked: false, result: events.filter((event) => factIdsOf(event).every((id) => visible.has(id))) };
  }
}

const IDS_AT_ONCE = 1_000;

/** Restricts ids to the caller's tenant, because another tenant may have a fact with the same id. */
const amongTenant = (ids: readonly string[], { caller }: FactReader): Filter =>
  all(equals('tenantId', caller.tenantId), isIn('id', ids));

/**
 * Returns true if one key sees everything that another key of the same owner sees. A key with `admin` may enter every
 * garden.
 */
const reachesAsFar = (one: Principal, other: Principal): boolean =>
  [...other.allowedScopes].every((scope) => one.allowedScopes.has(scope)) &&
  (one.permissions.has('admin') || !other.permissions.has('admin'));

const factIdsOf = ({ factId, witnesses }: OutboxEvent): string[] => [
  ...new Set(factId === null ? witnesses : [factId, ...witnesses]),
];

/** Returns true if the rights include the scope and garden of a fact. Other rules may still hide it. */
export const mayReadPlace = (
  { scope, gardenId }: Pick<FactOutline, 'scope' | 'gardenId'>,
  { caller, gardens }: Pick<FactReader, 'caller' | 'gardens'>,
): boolean => caller.allowedScopes.has(scope) && (gardenId === null || gardens === 'all' || gardens.includes(gardenId));

/** Returns true if the owner may still read the target of the subscription. */
export const mayReadTarget = (
  { targetType, targetKey }: Subscription,
  { caller, gardens }: Pick<FactReader, 'caller' | 'gardens'>,
): boolean => {
  if (targetType === 'entity') return true;
  if (targetType === 'scope')
    return SCOPES.some((scope) => scopeTarget(scope) === targetKey && caller.allowedScopes.has(scope));
  return gardens === 'all' || gardens.some((id) => gardenTarget(id) === targetKey);
};

/** Returns the capability that the subscription's token must cover, derived from the record. */
export const needOf = ({ targetType, target, targetKey }: Subscription): CapabilityNeed => {
  if (targetType === 'entity') return { verb: 'subscribe', target: { kind: 'entity', uri: target } };
  if (targetType === 'scope') return { verb: 'subscribe', target: { kind: 'scope', scope: target as Scope } };
  const id = targetKey.slice(gardenTarget('').length);
  return { verb: 'subscribe', target: { kind: 'garden', id, uri: target, slug: slugOf(target) } };
};

/**
 * Returns the part of a garden's URI after `/garden/`. For a garden that is identified by UUID, a token must name that
 * UUID.
 */
export const slugOf = (gardenUri: string): string => /\/garden\/([^/]+)$/.exec(gardenUri)?.[1] ?? gardenUri;

/** Returns the rights of a caller without a key on a node without authentication. */
const withoutKey = (entityUri: string, tenantId: string): Principal => ({
  kind: 'anonymous',
  entityUri,
  permissions: new Set(['read']),
  allowedScopes: new Set(SCOPES),
  tenantId,
  keyId: null,
  oidcSub: null,
});
