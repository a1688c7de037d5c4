import { LAST_INSTANT_MS } from '../../kernel/internal-api.ts';
import {
  formatInstant,
  type HookCaller,
  memberRefusal,
  type PluginTransaction,
  type Principal,
  ServiceError,
  sha256Hex,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import { ADMIN_ACTION } from '../audit/audit-api.ts';
import { checkRawKey, latestEnd } from './check-registration.ts';
import type { RegistryParts } from './key-registry.ts';
import { recordOf, type StoredKey } from './key-row.ts';
import { keyReplaced, type RotatedKey } from './keys-api.ts';
import { API_KEYS_TABLE } from './keys-migrations.ts';

export const MAX_KEY_OVERLAP_SECONDS = 30 * 24 * 60 * 60;
export const DEFAULT_KEY_OVERLAP_SECONDS = 24 * 60 * 60;

const DAY_MS = 86_400_000;
/**
 * The maximum number of rotations of one entity per day; administrators have no limit. It bounds the table, because no
 * job removes its rows.
 */
export const MAX_ROTATIONS_PER_DAY = 20;

export interface RotateKeyParts extends RegistryParts {
  readonly hooks: HookCaller;
}

interface Replacement {
  readonly rawKey: string;
  readonly overlapSeconds: number;
}

/** Implements `KeyRegistry.rotate`. `former` is a key that the caller may change. */
export const rotateKey = async (
  parts: RotateKeyParts,
  caller: Principal,
  former: StoredKey,
  { rawKey, overlapSeconds }: Replacement,
): Promise<RotatedKey> => {
  const { store, tables, clock, hooks } = parts;
  refuseUnequal(former, caller);
  const tenantId = parts.tenantOf(former);
  const digest = sha256Hex(rawKey);
  return tables.write(tenantId, async (own, transaction) => {
    const nowMs = clock.nowMs();
    const found = await store.byId(own, former.id);
    if (found === undefined || hasEnded(found, nowMs)) throw new ServiceError('conflict', 'the key has ended already');
    if (!isAdministrator(caller)) await refuseTooMany(own, found, nowMs);
    if (await store.isKnown(own, digest)) {
      throw new ServiceError('conflict', 'this key is already known: choose another one');
    }
    const key = successorOf(found, caller, parts);
    await store.insert(own, key, digest);
    const endsMs = Math.min(nowMs + overlapSeconds * 1000, found.expiresMs ?? LAST_INSTANT_MS);
    if (overlapSeconds === 0) await store.revoke(own, found, nowMs);
    else await store.endAt(own, found, endsMs);
    await hooks.collect(keyReplaced, { tenantId, formerId: found.id, id: key.id, transaction });
    await record(parts, { key, former: found, overlapSeconds, caller, tenantId }, transaction);
    return { record: recordOf(key), formerId: found.id, formerEndsAt: formatInstant(endsMs) };
  });
};

/** Throws `validation` for a replacement that breaks a rule. */
export const checkReplacement = ({ rawKey, overlapSeconds }: Replacement): void => {
  checkRawKey(rawKey);
  if (Number.isInteger(overlapSeconds) && overlapSeconds >= 0 && overlapSeconds <= MAX_KEY_OVERLAP_SECONDS) return;
  throw memberRefusal('body.overlap_s', `must be a whole number from 0 to ${MAX_KEY_OVERLAP_SECONDS}`);
};

const isAdministrator = ({ kind, permissions }: Principal): boolean => kind === 'node' || permissions.has('admin');

const hasEnded = ({ revokedMs, expiresMs }: StoredKey, nowMs: number): boolean =>
  revokedMs !== null || (expiresMs !== null && expiresMs <= nowMs);

/**
 * Throws unless the caller has all rights of the key: rotating another key of the same entity must not grant rights.
 * Also refuses keys of an identity provider, which must not outlive the person's access.
 */
const refuseUnequal = ({ oidcSub, permissions, allowedScopes }: StoredKey, caller: Principal): void => {
  if (oidcSub !== null || caller.oidcSub !== null) {
    throw new ServiceError('authorization', 'a key that came from an identity provider cannot be rotated', {
      hint: 'log in again: that makes another key, and ends the one before',
    });
  }
  if (caller.kind === 'node') return;
  const lacks =
    permissions.some((permission) => !caller.permissions.has(permission)) ||
    allowedScopes.some((scope) => !caller.allowedScopes.has(scope));
  if (!lacks) return;
  throw new ServiceError('authorization', 'the key has permissions or scopes that the key of this request lacks', {
    hint: 'rotate a key with that key itself',
  });
};

const refuseTooMany = async (own: WritableTables, key: StoredKey, nowMs: number): Promise<void> => {
  const made: unknown[] = await own(API_KEYS_TABLE)
    .where({ tenant_id: key.tenantId, entity_uri: key.entityUri })
    .where('created_ms', '>', nowMs - DAY_MS)
    .select('id')
    .limit(MAX_ROTATIONS_PER_DAY);
  if (made.length < MAX_ROTATIONS_PER_DAY) return;
  throw new ServiceError('limit_reached', `an entity rotates its keys at most ${MAX_ROTATIONS_PER_DAY} times a day`, {
    hint: 'wait, or ask an administrator',
  });
};

const successorOf = (
  former: StoredKey,
  caller: Principal,
  { clock, random, maxAgeDays }: RotateKeyParts,
): StoredKey => {
  const nowMs = clock.nowMs();
  const latestMs = latestEnd(nowMs, maxAgeDays);
  const lifeMs = former.expiresMs === null ? null : former.expiresMs - former.createdMs;
  const renewedMs = least(lifeMs === null ? null : Math.min(nowMs + lifeMs, LAST_INSTANT_MS), latestMs);
  const expiresMs = isAdministrator(caller) ? renewedMs : least(former.expiresMs, latestMs);
  return {
    ...former,
    id: random.uuid(),
    createdMs: nowMs,
    expiresAt: expiresMs === null ? null : formatInstant(expiresMs),
    expiresMs,
    revokedMs: null,
  };
};

const least = (one: number | null, other: number | null): number | null => {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
};

const record = async (
  { audit }: RotateKeyParts,
  rotation: {
    readonly key: StoredKey;
    readonly former: StoredKey;
    readonly overlapSeconds: number;
    readonly caller: Principal;
    readonly tenantId: string;
  },
  transaction: PluginTransaction,
): Promise<void> => {
  const { key, former, overlapSeconds, caller, tenantId } = rotation;
  const detail = {
    action: 'api_key_rotate',
    key_id: former.id,
    new_key_id: key.id,
    target_entity_uri: key.entityUri,
    overlap_s: overlapSeconds,
  };
  const { entityUri, oidcSub } = caller;
  await audit?.record({ event: ADMIN_ACTION, tenantId, entityUri, oidcSub, detail }, transaction);
};
