import {
  type GardenAccess,
  hasForbiddenCodePoint,
  isWithinCharacters,
  memberRefusal,
  type PluginSnapshot,
  type Principal,
  parseInstant,
  readEntityUri,
  refuseGarden,
  ServiceError,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';
import { FEDERATE } from '../keys/keys-api.ts';
import { CAPABILITY_VERBS, type CapabilityRequest, type CapabilityVerb } from './capability-tokens-api.ts';
import { namesUnknownScope, scopesOfObject } from './covers-target.ts';

/** The longest life of a token: 90 days. */
export const MAX_LIFETIME_MS = 90 * 86_400_000;
export const MAX_LIFETIME_S = MAX_LIFETIME_MS / 1000;
export const DEFAULT_LIFETIME_S = 3_600;

/** What a key must be allowed itself before it issues a token for a verb. */
const NEEDED: Readonly<Record<CapabilityVerb, string>> = {
  read: 'read',
  write: 'write',
  admin: 'admin',
  federate: FEDERATE.id,
  subscribe: 'read',
  // Tombstones are shown to admins alone.
  'tombstone:read': 'admin',
};

/**
 * The instant at which a token ends: as asked for, or an hour from now. Throws `validation` outside 90 days from now.
 */
export const expiryOf = ({ expiry, ttlSeconds }: CapabilityRequest, nowMs: number): number => {
  if (expiry == null) return nowMs + lifetimeOf(ttlSeconds) * 1000;
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

/** Tokens of one page of a list. */
export const MAX_LISTED = 10_000;

export const checkLimit = (limit: number): void => {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LISTED) return;
  throw memberRefusal('query.limit', `must be a whole number from 1 to ${MAX_LISTED}`, 'bad_parameter');
};

/** Characters. */
export const MAX_REASON_LENGTH = 1_024;

/** Why a token is ended. Throws `validation` for what is too long, or could not be stored. */
export const readReason = (reason: string | null): string | null => {
  if (reason === null || (isWithinCharacters(reason, MAX_REASON_LENGTH) && !hasForbiddenCodePoint(reason)))
    return reason;
  throw memberRefusal('body.reason', `must be at most ${MAX_REASON_LENGTH} characters that can be stored`);
};

/** Issuer, subject, verb and object; names are trimmed. Throws `validation` or `invalid_entity_uri`. */
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
 * Throws `authorization` when the actor may not issue this token: in another's name, for another without `admin`, or
 * for more than it holds itself. The node itself, on its command line, may issue any.
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
  // What has the form of a garden may be an ordinary entity, of which an admin is not kept either.
  if (isAdmin) return;
  const garden = gardenNamed(object, names);
  if (garden !== null && (await gardens?.enter(garden, actor, snapshot)) === undefined) throw refuseGarden(actor);
};

/** How an object of the form of a garden names it, null for any other: what lies below a garden's URI is an entity. */
const gardenNamed = (object: string, names: ServiceNames): string | null => {
  const text = object.toLowerCase();
  if (!text.startsWith(names.scheme)) return null;
  const segments = text.slice(names.scheme.length).split('/');
  if (segments.length === 2 && segments[0] === 'garden') return segments[1] ?? null;
  return segments.length === 3 && segments[1] === 'garden' ? object : null;
};

const denial = (message: string): ServiceError => new ServiceError('authorization', message);
