import { type PreparedFact, parseDateOrInstant } from '../../kernel/internal-api.ts';
import {
  type AppendedBatch,
  memberRefusal,
  type Principal,
  ServiceError,
  type ServiceNames,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import { ttlTarget } from './ttl-target.ts';

/** Returns true for the relation that sets the expiry of another fact. */
export const isTtlRelation = (relationKey: string, names: ServiceNames): boolean => relationKey === names.meta('ttl');

interface TtlContext {
  readonly caller: Principal;
  /** The gardens in which the caller is an admin. */
  readonly administered: ReadonlySet<string>;
  readonly path: string;
}

/**
 * Returns the reason to refuse a client's time-to-live, or null. `target` is the fact whose expiry it sets, if the
 * caller may see it. The status is 422 for a value that is no instant, 404 for a hidden fact, and 403 for another
 * caller's fact.
 */
export const ttlRefusal = (
  fact: PreparedFact,
  target: StoredFact | undefined,
  { caller, administered, path }: TtlContext,
): ServiceError | null => {
  if (fact.value.type !== 'datetime') return memberRefusal(`${path}.value.type`, 'must be datetime for a time-to-live');
  if (fact.confidence === 0) {
    return memberRefusal(
      `${path}.confidence`,
      'must be above 0: a time-to-live is replaced by a newer one, not retracted',
    );
  }
  if (target === undefined) return new ServiceError('lookup', 'there is no fact with the id that the entity names');
  if (target.assertedBy === caller.entityUri || caller.permissions.has('admin')) return null;
  if (target.gardenId !== null && administered.has(target.gardenId)) return null;
  const allowed = 'only whoever asserted a fact, an admin of its garden, or an admin key may set its time-to-live';
  return new ServiceError('authorization', allowed);
};

/**
 * Applies the times-to-live among newly stored facts, in their transaction. The store keeps the newest one beside
 * `valid_until`, so a time-to-live never extends that.
 */
export const recordExpiries = async ({ facts, transaction }: AppendedBatch, names: ServiceNames): Promise<void> => {
  for (const { fact, origin } of facts) {
    if (!fact.system || !isTtlRelation(fact.relationKey, names)) continue;
    // A peer's time-to-live was not checked for the right to end another fact.
    if (origin === 'peer') continue;
    const expiresMs = fact.value.type === 'datetime' ? parseDateOrInstant(String(fact.value.v)) : null;
    if (expiresMs !== null && fact.confidence > 0) {
      await transaction.setExpiry(ttlTarget(fact.entity, names), expiresMs, fact.hlc, fact.feed);
    }
  }
};
