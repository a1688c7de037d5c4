import { eachInTurn, encodeBase64Url } from '../../kernel/internal-api.ts';
import {
  type Clock,
  formatInstant,
  type GardenAccess,
  nodePrincipal,
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  type Principal,
  parseInstant,
  type Random,
  type ReadableTables,
  type Scope,
  ServiceError,
  type ServiceNames,
  sha256Hex,
} from '../../kernel/plugin-api.ts';
import type { AuditLog } from '../audit/audit-api.ts';
import type { Gardens } from '../gardens/gardens-api.ts';
import type { KeyRegistry } from '../keys/keys-api.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { OAuthClient } from './client-directory.ts';
import type { Grant } from './grant-row.ts';
import type { GrantStore } from './grant-store.ts';
import { OAUTH_ENDED, OAUTH_GRANTED } from './oauth-words.ts';
import { shownHost } from './redirect-uri.ts';

const DAY_MS = 86_400_000;
/** A client that does not redeem its code within this time loses its grant. */
const UNREDEEMED_MS = 600_000;
const MAX_GRANTS_OF_PERSON = 100;

/** The part of the registry of keys that grants need. */
export type GrantKeys = Pick<KeyRegistry, 'own' | 'principalOf' | 'register' | 'revoke'>;

export interface GrantParts {
  readonly store: GrantStore;
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly random: Random;
  readonly names: ServiceNames;
  readonly keys: GrantKeys;
  readonly audit: AuditLog | undefined;
  readonly gardens: Gardens | undefined;
  readonly access: GardenAccess | undefined;
}

/** The choices of a person on the consent page. */
export interface Choice {
  readonly permissions: readonly string[];
  readonly scopes: readonly Scope[];
  /** The ids of the gardens that the client joins. */
  readonly gardens: readonly string[];
  readonly days: number;
}

/** A garden to which a person may add a client. */
export interface OfferedGarden {
  readonly id: string;
  readonly name: string;
}

/** Makes, lists and ends grants. */
export class OAuthGrants {
  readonly #parts: GrantParts;

  constructor(parts: GrantParts) {
    this.#parts = parts;
  }

  /** Returns the instant in milliseconds at which the person's key ends; null for a key that has no end. */
  async endOfKey(person: Principal): Promise<number | null> {
    const key = (await this.#parts.keys.own(person)).find(({ id }) => id === person.keyId);
    return key?.expiresAt == null ? null : parseInstant(key.expiresAt);
  }

  /** Returns the gardens that the person administers. Only their own admins can share other gardens. */
  async offeredGardens(person: Principal): Promise<readonly OfferedGarden[]> {
    const { gardens, access, tables } = this.#parts;
    if (gardens === undefined || access === undefined || !person.permissions.has('read')) return [];
    const known = await gardens.list(person);
    const ids = known.map(({ id }) => id);
    const administered = new Set(await tables.read((_, snapshot) => access.administered(ids, person, snapshot)));
    return known.filter(({ id, deletedMs }) => deletedMs === null && administered.has(id));
  }

  /**
   * Gives a client access on behalf of a person, with at most the person's own rights. The access begins when the
   * client redeems a code. Rejects with `limit_reached` for a person with too many grants.
   */
  async give(person: Principal, asked: AuthorizationRequest, client: OAuthClient, choice: Choice): Promise<Grant> {
    const { tables, clock, random, keys, names } = this.#parts;
    const { tenantId, entityUri: personUri } = person;
    await tables.read((own) => this.#requireRoom(own, person));
    const permissions = choice.permissions.filter((permission) => person.permissions.has(permission));
    const scopes = choice.scopes.filter((scope) => person.allowedScopes.has(scope));
    const entityUri = entityOf(client, person);
    const createdMs = clock.nowMs();
    const key = await keys.register(nodePrincipal(names), {
      // Later requests use only the id of the key, so its text is discarded.
      rawKey: encodeBase64Url(random.bytes(32)),
      entityUri,
      permissions,
      allowedScopes: scopes,
      description: `oauth client ${client.name}`,
      tenantId,
    });
    const ends = [createdMs + choice.days * DAY_MS, await this.endOfKey(person), endOf(key.expiresAt)];
    const gardens = (await this.offeredGardens(person)).filter(({ id }) => choice.gardens.includes(id));
    const grant: Grant = {
      tenantId,
      id: random.uuid(),
      clientId: client.clientId,
      clientName: client.name,
      clientHost: hostOf(client, asked),
      entityUri,
      personUri,
      personKeyId: person.keyId ?? '',
      keyId: key.id,
      permissions,
      scopes,
      gardens: gardens.map(({ id }) => id),
      createdMs,
      expiresMs: Math.min(...ends.filter((end) => end !== null)),
      redeemedMs: null,
    };
    try {
      await this.#store(grant, person);
      // The stored grant names the gardens, so that the client leaves them even after a stop in between.
      await this.#share(grant, person);
    } catch (error) {
      await this.drop(grant, personUri);
      throw error;
    }
    return grant;
  }

  /** Returns true for the key of a client whose grant has ended: it has expired, or the person's key has ended. */
  async endsKey(keyId: string, snapshot: PluginSnapshot): Promise<true | undefined> {
    const { store, tables, clock, keys } = this.#parts;
    const grant = await store.byKey(tables.in(snapshot), keyId);
    if (grant === undefined) return undefined;
    if (grant.expiresMs <= clock.nowMs()) return true;
    return (await keys.principalOf(grant.personKeyId, snapshot)) === undefined ? true : undefined;
  }

  /** Returns the caller's grants. An admin gets all grants of the tenant. */
  async list(caller: Principal): Promise<Grant[]> {
    const isAdmin = caller.kind === 'node' || caller.permissions.has('admin');
    const { store, tables, clock } = this.#parts;
    const found = await tables.read((own) => store.list(own, caller.tenantId, isAdmin ? undefined : caller.entityUri));
    return found.filter(({ expiresMs }) => expiresMs > clock.nowMs());
  }

  /** Ends a grant at the request of its person, its client or an admin. Rejects with `lookup` for all other callers. */
  async end(caller: Principal, id: string): Promise<void> {
    const { store, tables } = this.#parts;
    const grant = await tables.read((own) => store.byId(own, caller.tenantId, id));
    const isOwn = grant !== undefined && [grant.personUri, grant.entityUri].includes(caller.entityUri);
    const mayEnd = isOwn || caller.kind === 'node' || caller.permissions.has('admin');
    if (grant === undefined || !mayEnd) throw new ServiceError('lookup', 'there is no such grant');
    await this.drop(grant, caller.entityUri);
  }

  /** Ends a grant. Every process refuses its tokens from the next request on. Idempotent. */
  async drop(grant: Grant, actorUri: string): Promise<void> {
    const { store, tables, keys, names } = this.#parts;
    // The id of the key in a damaged row may be wrong, and then there is no key to revoke.
    await unless(['lookup'], keys.revoke(nodePrincipal(names), grant.keyId));
    await this.#leaveGardens(grant);
    await tables.write(grant.tenantId, async (own, transaction) => {
      if (await store.remove(own, grant)) await this.#audit(OAUTH_ENDED, grant, actorUri, transaction);
    });
  }

  /** Ends expired grants, grants whose code nobody redeemed in time, and grants with an ended key. */
  async sweep(): Promise<void> {
    const { store, tables, clock, keys, names } = this.#parts;
    const nowMs = clock.nowMs();
    await store.prune(tables, nowMs);
    const ended = await tables.read(async (own, snapshot) => {
      const over: Grant[] = [];
      for (const grant of await store.all(own)) {
        const isUnused = grant.redeemedMs === null && grant.createdMs <= nowMs - UNREDEEMED_MS;
        if (isUnused || (await keys.principalOf(grant.keyId, snapshot)) === undefined) over.push(grant);
      }
      return over;
    });
    await eachInTurn(ended, (grant) => this.drop(grant, nodePrincipal(names).entityUri));
  }

  async #store(grant: Grant, person: Principal): Promise<void> {
    const { store, tables } = this.#parts;
    await tables.write(grant.tenantId, async (own, transaction) => {
      await this.#requireRoom(own, person);
      await store.insertGrant(own, grant);
      await this.#audit(OAUTH_GRANTED, grant, person.entityUri, transaction);
    });
  }

  /** Throws `limit_reached` for a person with too many grants. */
  async #requireRoom(own: ReadableTables, { tenantId, entityUri }: Principal): Promise<void> {
    if ((await this.#parts.store.countOf(own, tenantId, entityUri)) < MAX_GRANTS_OF_PERSON) return;
    throw new ServiceError('limit_reached', `a person gives access to at most ${MAX_GRANTS_OF_PERSON} clients`, {
      hint: 'end grants that are not used any more',
    });
  }

  /** Adds the client to the gardens of its grant, in the name of their admin. */
  async #share({ entityUri, permissions, gardens: ids }: Grant, person: Principal): Promise<void> {
    const { gardens } = this.#parts;
    const role = permissions.includes('write') ? 'writer' : 'reader';
    for (const id of ids) {
      await unless(['conflict'], gardens?.addMember(person, id, { entityUri, role }), () =>
        gardens?.changeMember(person, id, entityUri, role),
      );
    }
  }

  /**
   * Removes the client from the gardens of this grant, except those that another grant of the client names, and those
   * whose last admin it is.
   */
  async #leaveGardens(grant: Grant): Promise<void> {
    const { store, tables, gardens, names } = this.#parts;
    if (gardens === undefined || grant.gardens.length === 0) return;
    const { tenantId, entityUri } = grant;
    const others = (await tables.read((own) => store.ofClient(own, grant))).filter(({ id }) => id !== grant.id);
    const kept = new Set(others.flatMap((other) => other.gardens));
    const client: Principal = { ...nodePrincipal(names, tenantId), kind: 'anonymous', entityUri };
    for (const id of grant.gardens.filter((garden) => !kept.has(garden))) {
      await unless(['lookup', 'last_admin'], gardens.removeMember(client, id, entityUri));
    }
  }

  async #audit(
    event: typeof OAUTH_GRANTED,
    grant: Grant,
    entityUri: string,
    transaction: PluginTransaction,
  ): Promise<void> {
    const { tenantId, id, clientHost, permissions, scopes, gardens } = grant;
    const detail = {
      grant_id: id,
      client_host: clientHost,
      target_entity_uri: grant.entityUri,
      person_uri: grant.personUri,
      permissions,
      scopes,
      gardens,
      expires_at: formatInstant(grant.expiresMs),
    };
    await this.#parts.audit?.record({ event, tenantId, entityUri, detail }, transaction);
  }
}

/** Returns the host to show for a client: the host of its metadata document, or else of its redirect address. */
export const hostOf = ({ clientId }: OAuthClient, { redirectUri }: AuthorizationRequest): string =>
  shownHost(clientId.startsWith('https:') ? clientId : redirectUri);

/**
 * Returns the entity of a client, equal in all grants of one person. It contains the host, because a metadata document
 * can change its name at any time. A digest distinguishes clients with the same name.
 */
const entityOf = ({ clientId, name }: OAuthClient, { tenantId, entityUri }: Principal): string => {
  const slug = (clientId.startsWith('https:') ? shownHost(clientId) : name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  const digest = sha256Hex(JSON.stringify([tenantId, entityUri, clientId])).slice(0, 16);
  return `agent:${slug === '' ? 'client' : slug}-${digest}`;
};

const endOf = (instant: string | null): number | null => (instant === null ? null : parseInstant(instant));

/** Waits for `work`. If it rejects with one of these codes, waits for `otherwise` instead. */
const unless = async (
  codes: readonly string[],
  work: Promise<unknown> | undefined,
  otherwise?: () => Promise<unknown> | undefined,
): Promise<void> => {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ServiceError) || !codes.includes(error.code)) throw error;
    await otherwise?.();
  }
};
