import { LAST_INSTANT_MS } from '../../kernel/internal-api.ts';
import {
  type Clock,
  DEFAULT_TENANT,
  formatInstant,
  type HookCaller,
  type PluginTables,
  type Random,
  SCOPES,
  ServiceError,
  sha256Hex,
} from '../../kernel/plugin-api.ts';
import { ADMIN_ACTION, type AuditEntry, type AuditLog } from '../audit/audit-api.ts';
import { checkRegistration, expiryOf } from './check-registration.ts';
import { drawKey } from './first-key.ts';
import { recordOf, type StoredKey, sortedPermissions } from './key-row.ts';
import type { KeyStore } from './key-store.ts';
import { keyReplaced, type SubjectGrant, type SubjectKeys, subjectEntity } from './keys-api.ts';
import { API_KEY_REVOKED } from './keys-words.ts';

export interface SubjectKeyParts {
  readonly store: KeyStore;
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: AuditLog | undefined;
  readonly maxAgeDays: number;
  /** Ids of all declared permissions. */
  readonly permissions: readonly string[];
  readonly hooks: HookCaller;
}

/** The maximum number of programs and devices of one person that have a key at the same time. */
export const MAX_CLIENTS = 50;
/** The number of ended keys of one person that stay in the store, for readers of the audit log. */
export const KEPT_ENDED_KEYS = 50;

/** The changes that a new key makes to the person's existing keys. */
interface Succession {
  readonly replaced: readonly StoredKey[];
  readonly forgotten: readonly StoredKey[];
}

export const createSubjectKeys = ({ store, tables, audit, hooks, ...parts }: SubjectKeyParts): SubjectKeys => ({
  async issue(grant) {
    const rawKey = drawKey(parts.random);
    const key = keyOf(grant, rawKey, parts);
    await tables.write(key.tenantId, async (own, transaction) => {
      const known = await store.ofSubject(own, key.tenantId, grant.oidcSub);
      const { replaced, forgotten } = successionOf(known, key);
      await store.revokeAll(own, replaced, key.createdMs);
      await store.forgetAll(own, forgotten);
      await store.insert(own, key, sha256Hex(rawKey));
      for (const former of grant.isContinuing === true ? replaced : []) {
        // Work of a key with more rights than the person has now must not continue.
        if (!former.permissions.every((permission) => key.permissions.includes(permission))) continue;
        await hooks.collect(keyReplaced, { tenantId: key.tenantId, formerId: former.id, id: key.id, transaction });
      }
      await audit?.record([...replaced.map((old) => revocation(old)), issue(key, grant)], transaction);
    });
    return { rawKey, record: recordOf(key) };
  },
});

const keyOf = (
  { oidcSub, client, permissions, lifeMs }: SubjectGrant,
  rawKey: string,
  {
    clock,
    random,
    maxAgeDays,
    permissions: declared,
  }: Pick<SubjectKeyParts, 'clock' | 'random' | 'maxAgeDays' | 'permissions'>,
): StoredKey => {
  const entityUri = subjectEntity(oidcSub);
  checkRegistration({ rawKey, entityUri, permissions, allowedScopes: SCOPES, description: client }, declared);
  const createdMs = clock.nowMs();
  const longestMs = expiryOf(null, createdMs, { maxAgeDays, path: 'body' });
  const expiresMs = Math.min(createdMs + lifeMs, longestMs ?? LAST_INSTANT_MS);
  return {
    id: random.uuid(),
    entityUri,
    permissions: sortedPermissions(permissions),
    allowedScopes: SCOPES,
    description: client,
    createdMs,
    expiresAt: formatInstant(expiresMs),
    expiresMs,
    revokedMs: null,
    oidcSub,
    client,
    tenantId: DEFAULT_TENANT,
  };
};

/** `known` are all keys of the person, newest first. Throws `limit_reached` for too many clients. */
const successionOf = (known: readonly StoredKey[], key: StoredKey): Succession => {
  const isActive = ({ revokedMs, expiresMs }: StoredKey): boolean =>
    revokedMs === null && (expiresMs === null || expiresMs > key.createdMs);
  const active = known.filter(isActive);
  const replaced = active.filter(({ client }) => client === key.client);
  if (active.length - replaced.length >= MAX_CLIENTS) {
    throw new ServiceError('limit_reached', `a person has keys for at most ${MAX_CLIENTS} clients at the same time`, {
      hint: 'revoke keys that are not used any more, or name a client that has a key already: its key is replaced',
    });
  }
  const ended = known.filter((old) => !isActive(old));
  return { replaced, forgotten: ended.slice(KEPT_ENDED_KEYS) };
};

const issue = (key: StoredKey, { client, roles }: SubjectGrant): AuditEntry => ({
  event: ADMIN_ACTION,
  tenantId: key.tenantId,
  entityUri: key.entityUri,
  oidcSub: key.oidcSub,
  detail: {
    action: 'oidc_exchange',
    new_key_id: key.id,
    target_entity_uri: key.entityUri,
    permissions: key.permissions,
    roles,
    client,
    has_expiry: true,
  },
});

const revocation = (key: StoredKey): AuditEntry => ({
  event: API_KEY_REVOKED,
  tenantId: key.tenantId,
  entityUri: key.entityUri,
  oidcSub: key.oidcSub,
  detail: { action: 'oidc_exchange', key_id: key.id, target_entity_uri: key.entityUri },
});
