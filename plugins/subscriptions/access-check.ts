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
  /** Whether the node lets callers in who have no key. */
  isOpen(): Promise<boolean>;
}

/** How the rights of a subscription stand: gone, or there for further reads. */
export type Standing<T> = { readonly revoked: true } | { readonly revoked: false; readonly result: T };

const REVOKED: Standing<never> = { revoked: true };

/**
 * The rights that a subscription lives by: its owner's key, the token, its target, and for each event the scope and the
 * garden of the fact. All is read from the snapshot given and nothing is remembered, so that what was taken back since
 * counts. Without an answer nothing is sent: errors are thrown on.
 */
export class AccessCheck {
  readonly #parts: AccessParts;

  constructor(parts: AccessParts) {
    this.#parts = parts;
  }

  /** Whom the subscription belongs to, while the key that made it is good. */
  async ownerOf({ keyId, ownerUri, tenantId }: Subscription, snapshot: PluginSnapshot): Promise<Principal | undefined> {
    if (keyId === null) return (await this.#parts.isOpen()) ? withoutKey(ownerUri, tenantId) : undefined;
    return this.#standingFor(keyId, { ownerUri, tenantId }, snapshot);
  }

  /**
   * The caller as their key stands now; undefined when it is no longer good. For work that goes on longer than a
   * request.
   */
  async callerNow(caller: Principal, snapshot: PluginSnapshot): Promise<Principal | undefined> {
    const { keyId, entityUri, tenantId } = caller;
    return keyId === null ? caller : this.#standingFor(keyId, { ownerUri: entityUri, tenantId }, snapshot);
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
   * The key that a subscription lives by once the caller, of the same owner, has asked for it again: the caller's, so
   * that it outlives the one it has. A key that is good and reaches further stays, because the events of what only that
   * one reaches would end the subscription.
   */
  async keyFor(subscription: Subscription, caller: Principal, snapshot: PluginSnapshot): Promise<string | null> {
    const owner = await this.ownerOf(subscription, snapshot);
    return owner === undefined || reachesAsFar(caller, owner) ? caller.keyId : subscription.keyId;
  }

  /** Runs `work` in the owner's name, unless a right that the subscription was made with is gone. */
  async asOwner<T>(
    subscription: Subscription,
    snapshot: PluginSnapshot,
    work: (reader: FactReader) => Promise<Standing<T>>,
  ): Promise<Standing<T>> {
    const owner = await this.ownerOf(subscription, snapshot);
    if (owner === undefined) return REVOKED;
    const { facts, tokens } = this.#parts;
    if (!(await tokens.stillHolds(subscription.tokenId, needOf(subscription), owner, snapshot))) return REVOKED;
    return facts.readIn(snapshot, owner, 'deliver', async (reader) =>
      mayReadTarget(subscription, reader) ? work(reader) : REVOKED,
    );
  }

  /**
   * The fact of an event; undefined for one that may not be shown although no right was taken back: there is no event
   * then.
   */
  async factOf(event: OutboxEvent, reader: FactReader): Promise<Standing<StoredFact | undefined>> {
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

  /** Which of the events may be shown. */
  async visibleAmong(events: readonly OutboxEvent[], reader: FactReader): Promise<Standing<OutboxEvent[]>> {
    const ids = [...new Set(events.flatMap(factIdsOf))];
    const visible = new Set<string>();
    const constraint = await reader.constraint('visible');
    for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
      const some = amongTenant(ids.slice(at, at + IDS_AT_ONCE), reader);
      const known = await reader.snapshot.outline(some);
      if (known.some((fact) => !mayReadPlace(fact, reader))) return REVOKED;
      for (const { id } of await reader.snapshot.outline(all(constraint, some))) visible.add(id);
    }
    return { revoked: false, result: events.filter((event) => factIdsOf(event).every((id) => visible.has(id))) };
  }
}

const IDS_AT_ONCE = 1_000;

/** Another tenant may have a fact of the same id. */
const amongTenant = (ids: readonly string[], { caller }: FactReader): Filter =>
  all(equals('tenantId', caller.tenantId), isIn('id', ids));

/** Whether one key sees all that another of the same owner does: an admin is let into every garden. */
const reachesAsFar = (one: Principal, other: Principal): boolean =>
  [...other.allowedScopes].every((scope) => one.allowedScopes.has(scope)) &&
  (one.permissions.has('admin') || !other.permissions.has('admin'));

const factIdsOf = ({ factId, witnesses }: OutboxEvent): string[] => [
  ...new Set(factId === null ? witnesses : [factId, ...witnesses]),
];

/** Whether the rights reach the scope and the garden that a fact is in, whatever else may hide it. */
export const mayReadPlace = (
  { scope, gardenId }: Pick<FactOutline, 'scope' | 'gardenId'>,
  { caller, gardens }: Pick<FactReader, 'caller' | 'gardens'>,
): boolean => caller.allowedScopes.has(scope) && (gardenId === null || gardens === 'all' || gardens.includes(gardenId));

/** Whether the owner may still read what the subscription is about as a whole. */
export const mayReadTarget = (
  { targetType, targetKey }: Subscription,
  { caller, gardens }: Pick<FactReader, 'caller' | 'gardens'>,
): boolean => {
  if (targetType === 'entity') return true;
  if (targetType === 'scope')
    return SCOPES.some((scope) => scopeTarget(scope) === targetKey && caller.allowedScopes.has(scope));
  return gardens === 'all' || gardens.some((id) => gardenTarget(id) === targetKey);
};

/** What the token of a subscription must cover, made again from the record. */
export const needOf = ({ targetType, target, targetKey }: Subscription): CapabilityNeed => {
  if (targetType === 'entity') return { verb: 'subscribe', target: { kind: 'entity', uri: target } };
  if (targetType === 'scope') return { verb: 'subscribe', target: { kind: 'scope', scope: target as Scope } };
  const id = targetKey.slice(gardenTarget('').length);
  return { verb: 'subscribe', target: { kind: 'garden', id, uri: target, slug: slugOf(target) } };
};

/** The part after `/garden/`; a garden that was named by its identifier is covered by that alone. */
export const slugOf = (gardenUri: string): string => /\/garden\/([^/]+)$/.exec(gardenUri)?.[1] ?? gardenUri;

/** The rights of a caller without a key, as the node without authentication grants them. */
const withoutKey = (entityUri: string, tenantId: string): Principal => ({
  kind: 'anonymous',
  entityUri,
  permissions: new Set(['read']),
  allowedScopes: new Set(SCOPES),
  tenantId,
  keyId: null,
  oidcSub: null,
});
