import {
  foldName,
  hasForbiddenCodePoint,
  isWithinCharacters,
  LAST_INSTANT_MS,
  refuseGarden,
} from '../../kernel/internal-api.ts';
import {
  type GardenAccess,
  memberRefusal,
  type PluginSnapshot,
  type Principal,
  parseInstant,
  readEntityUri,
  ServiceError,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';
import { FEDERATE } from '../keys/keys-api.ts';
import { CAPABILITY_VERBS, type CapabilityRequest, type CapabilityVerb } from './capability-tokens-api.ts';
import { namesUnknownScope, scopesOfObject } from './covers-target.ts';

export const MAX_LIFETIME_MS = 90 * 86_400_000;
export const MAX_LIFETIME_S = MAX_LIFETIME_MS / 1000;
export const DEFAULT_LIFETIME_S = 3_600;

/** The permission that a key needs to issue a token with a verb. */
const NEEDED: Readonly<Record<CapabilityVerb, string>> = {
  read: 'read',
  write: 'write',
  admin: 'admin',
  federate: FEDERATE.id,
  subscribe: 'read',
  // Only admins see tombstones.
  'tombstone:read': 'admin',
};

/** Returns the requested expiry, or an hour from now. Throws `validation` beyond 90 days. */
export const expiryOf = ({ expiry, ttlSeconds }: CapabilityRequest, nowMs: number): number => {
  if (expiry == null) return Math.min(nowMs + lifetimeOf(ttlSeconds) * 1000, LAST_INSTANT_MS);
  if (ttlSeconds !== undefined) throw memberRefusal('body.ttl_seconds', 'must be absent where "expiry" is given');
  const expiresMs = parseInstant(expiry);
  if (expiresMs === null) throw memberRefusal('body.expiry', 'must be an RFC 3339 date-time with an offset');
  if (expiresMs <= nowMs) throw memberRefusal('body.expiry', 'must lie in the future');
  if (expiresMs > nowMs + MAX_LIFETIME_MS) throw memberRefusal('body.expiry', 'must not be more than 90 days ahead');
  return expiresMs;
};

const lifetimeOf = (seconds: number = DEFAULT_LIFETIME_S): number => {
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_LIFETIME_S) return seconds;
  throw memberRefusal('body.ttl_seconds', `must be a whole number from 1 to ${MAX_LIFETIME_S}, which is 90 days`);
};

export const MAX_LISTED = 10_000;

export const checkLimit = (limit: number): void => {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LISTED) return;
  throw memberRefusal('query.limit', `must be a whole number from 1 to ${MAX_LISTED}`, 'bad_parameter');
};

/** The maximum length of a reason in characters. */
export const MAX_REASON_LENGTH = 1_024;

/** Reads the reason of a revocation. Throws `validation` if it is too long, or a store cannot hold it. */
export const readReason = (reason: string | null): string | null => {
  if (reason === null || (isWithinCharacters(reason, MAX_REASON_LENGTH) && !hasForbiddenCodePoint(reason)))
    return reason;
  throw memberRefusal('body.reason', `must be at most ${MAX_REASON_LENGTH} characters that can be stored`);
};

/** Reads the issuer, subject, verb and object, with trimmed names. Throws `validation` or `invalid_entity_uri`. */
export const readNames = (request: CapabilityRequest, names: ServiceNames) => {
  const issuer = readEntityUri(request.issuer, 'body.issuer');
  const subject = readEntityUri(request.subject, 'body.subject');
  const object = readEntityUri(request.object, 'body.object');
  if (namesUnknownScope(object, names)) throw memberRefusal('body.object', 'names a scope that there is not');
  const { verb } = request;
  if (!CAPABILITY_VERBS.includes(verb)) {
    throw memberRefusal('body.verb', `must be one of ${CAPABILITY_VERBS.join(', ')}`);
  }
  return { issuer, subject, verb, object };
};

interface IssueParts {
  readonly names: ServiceNames;
  readonly gardens: GardenAccess | undefined;
}

/**
 * Throws `authorization` if the caller may not issue this token: in another entity's name, for another subject without
 * `admin`, or beyond its own rights. The node itself, on its command line, may issue any token.
 */
export const checkIssuer = async (
  token: { readonly issuer: string; readonly subject: string; readonly verb: CapabilityVerb; readonly object: string },
  actor: Principal,
  snapshot: PluginSnapshot,
  { names, gardens }: IssueParts,
): Promise<void> => {
  const { issuer, subject, verb, object } = token;
  if (issuer !== actor.entityUri) throw denial('issuer must be the entity of the key that issues the token');
  if (actor.kind === 'node') return;
  const isAdmin = actor.permissions.has('admin');
  if (subject !== actor.entityUri && !isAdmin) {
    throw denial('a token for another entity needs a key with permission "admin"');
  }
  if (!actor.permissions.has(NEEDED[verb])) {
    throw denial(`nobody issues more than they hold: verb "${verb}" needs permission "${NEEDED[verb]}"`);
  }
  const lacking = scopesOfObject(object, names).filter((scope) => !actor.allowedScopes.has(scope));
  if (lacking.length > 0) throw denial(`nobody issues more than they hold: the key lacks scope ${lacking.join(', ')}`);
  // An object in the form of a garden may be an ordinary entity, which admins may read as well.
  if (isAdmin) return;
  const garden = gardenNamed(object, names);
  if (garden !== null && (await gardens?.enter(garden, actor, snapshot)) === undefined) throw refuseGarden(actor);
};

/**
 * Returns the name of the garden within an object; null if the object has another form. A URI below a garden's URI is
 * an entity.
 */
const gardenNamed = (object: string, names: ServiceNames): string | null => {
  const text = foldName(object);
  if (!text.startsWith(names.scheme)) return null;
  const segments = text.slice(names.scheme.length).split('/');
  if (segments.length === 2 && segments[0] === 'garden') return segments[1] ?? null;
  return segments.length === 3 && segments[1] === 'garden' ? object : null;
};

const denial = (message: string): ServiceError => new ServiceError('authorization', message);
