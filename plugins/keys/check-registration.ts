import { foldName, hasForbiddenCodePoint, isWithinCharacters, LAST_INSTANT_MS } from '../../kernel/internal-api.ts';
import {
  memberRefusal,
  type Principal,
  parseInstant,
  readEntityUri,
  SCOPES,
  ServiceError,
} from '../../kernel/plugin-api.ts';
import { TENANT_PATTERN } from '../multi-tenant/multi-tenant-api.ts';
import type { KeyRegistration } from './keys-api.ts';

export const MIN_RAW_KEY_LENGTH = 32;

export const MAX_RAW_KEY_LENGTH = 1024;
export const MAX_DESCRIPTION_LENGTH = 1024;
const DAY_MS = 86_400_000;

/**
 * Throws `validation` for a registration that breaks a rule, and `reserved_namespace` for an identity of the node
 * itself. These rules apply to every caller. `known` are the declared permissions. `path` names the registration in
 * violations.
 */
export const checkRegistration = (
  registration: KeyRegistration,
  known: readonly string[],
  { minKeyLength = MIN_RAW_KEY_LENGTH, path = 'body' }: { readonly minKeyLength?: number; readonly path?: string } = {},
): void => {
  const refusal = (member: string, problem: string): ServiceError => memberRefusal(`${path}.${member}`, problem);
  const { rawKey, permissions, allowedScopes, description, tenantId } = registration;
  checkRawKey(rawKey, { minKeyLength, path });
  refuseNodeEntity(readEntityUri(registration.entityUri, `${path}.entity_uri`));
  if (permissions.length === 0 || !permissions.every((permission) => known.includes(permission))) {
    throw refusal('permissions', `must name at least one of ${known.join(', ')}, and nothing else`);
  }
  if (allowedScopes.length === 0 || !allowedScopes.every((scope) => SCOPES.includes(scope))) {
    throw refusal('allowed_scopes', `must name at least one of ${SCOPES.join(', ')}, and nothing else`);
  }
  const isText = description == null || !hasForbiddenCodePoint(description);
  if (!isText || !isWithinCharacters(description ?? '', MAX_DESCRIPTION_LENGTH)) {
    throw refusal('description', `must be text of at most ${MAX_DESCRIPTION_LENGTH} characters`);
  }
  if (tenantId !== undefined && !TENANT_PATTERN.test(tenantId)) {
    throw refusal('tenant_id', `must match ${TENANT_PATTERN.source}`);
  }
};

/** Throws `validation` for a text that cannot be a key. */
export const checkRawKey = (
  rawKey: string,
  { minKeyLength = MIN_RAW_KEY_LENGTH, path = 'body' }: { readonly minKeyLength?: number; readonly path?: string } = {},
): void => {
  // Other characters cannot be sent in a bearer token.
  const isKey = /^[\x21-\x7e]+$/.test(rawKey) && rawKey.length >= minKeyLength && rawKey.length <= MAX_RAW_KEY_LENGTH;
  if (isKey) return;
  const problem = `must be ${minKeyLength} to ${MAX_RAW_KEY_LENGTH} visible ASCII characters without blanks`;
  throw memberRefusal(`${path}.raw_key`, problem);
};

/** A caller becomes the source of the facts that its resolutions write, but no client may be a `system:...` source. */
const refuseNodeEntity = (entityUri: string): void => {
  if (!foldName(entityUri).startsWith(NODE_ENTITIES)) return;
  throw new ServiceError(
    'reserved_namespace',
    `entities under ${NODE_ENTITIES} belong to the node; name another for the key`,
  );
};

const NODE_ENTITIES = 'system:';

/** Returns the latest end of a key from now on; null without a limit. It is an instant that can be written. */
export const latestEnd = (nowMs: number, maxAgeDays: number): number | null =>
  maxAgeDays === 0 ? null : Math.min(nowMs + maxAgeDays * DAY_MS, LAST_INSTANT_MS);

/** Returns the requested end, or the latest possible one. `maxAgeDays` 0 sets no limit. Throws `validation`. */
export const expiryOf = (
  asked: string | null | undefined,
  nowMs: number,
  { maxAgeDays, path }: { readonly maxAgeDays: number; readonly path: string },
): number | null => {
  const refusal = (problem: string): ServiceError => memberRefusal(`${path}.expires_at`, problem);
  const limitMs = latestEnd(nowMs, maxAgeDays);
  if (asked == null) return limitMs;
  const expiresMs = parseInstant(asked);
  if (expiresMs === null) throw refusal('must be an RFC 3339 date-time with an offset');
  if (expiresMs <= nowMs) throw refusal('must lie in the future');
  if (limitMs !== null && expiresMs > limitMs) {
    throw refusal(`must not be more than ${maxAgeDays} days ahead`);
  }
  return expiresMs;
};

/** Throws `authorization` if the caller may not register this key. A caller may only grant rights that it holds. */
export const checkRegistrar = (registration: KeyRegistration, actor: Principal): void => {
  if (actor.kind === 'node') return;
  checkGivenRights(registration, actor);
  if (registration.tenantId !== undefined && registration.tenantId !== actor.tenantId) {
    throw denial('a key registers keys of its own tenant only');
  }
};

/** Throws `authorization` if the key would get a right that its creator lacks. */
export const checkGivenRights = (
  registration: Pick<KeyRegistration, 'permissions' | 'allowedScopes'>,
  actor: Principal,
): void => {
  if (actor.kind === 'node') return;
  if (!actor.permissions.has('admin')) throw denial('registering a key needs a key with permission "admin"');
  // A key registered with such a key would stay valid after the person lost access at the identity provider.
  if (actor.oidcSub !== null) throw denial('a key that came from an identity provider may not register keys');
  const permissions = registration.permissions.filter((permission) => !actor.permissions.has(permission));
  if (permissions.length > 0) throw denial(`the registering key itself lacks permission ${permissions.join(', ')}`);
  const scopes = registration.allowedScopes.filter((scope) => !actor.allowedScopes.has(scope));
  if (scopes.length > 0) throw denial(`the registering key itself lacks scope ${scopes.join(', ')}`);
};

const denial = (message: string): ServiceError => new ServiceError('authorization', message);
