import {
  type Clock,
  encodeBase64Url,
  formatInstant,
  type GardenAccess,
  nodePrincipal,
  type PluginTables,
  type PluginTransaction,
  type Principal,
  parseInstant,
  type Random,
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

export interface GrantParts {
  readonly store: GrantStore;
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly random: Random;
  readonly names: ServiceNames;
  readonly keys: KeyRegistry;
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
    const { store, tables, clock, random, keys, names } = this.#parts;
    const { tenantId, entityUri: personUri } = person;
    const held = await tables.read((own) => store.list(own, tenantId, personUri));
    if (held.length >= MAX_GRANTS_OF_PERSON) {
      throw new ServiceError('limit_reached', `a person gives access to at most ${MAX_GRANTS_OF_PERSON} clients`, {
        hint: 'end grants that are not used any more',
      });
    }
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
      gardens: await this.#share(person, entityUri, choice),
      createdMs,
      expiresMs: Math.min(...ends.filter((end) => end !== null)),
      redeemedMs: null,
    };
    await tables.write(tenantId, async (own, transaction) => {
      await store.insertGrant(own, grant);
      await this.#audit(OAUTH_GRANTED, grant, person.entityUri, transaction);
    });
    return grant;
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
    await keys.revoke(nodePrincipal(names), grant.keyId);
    await this.#leaveGardens(grant);
    await tables.write(grant.tenantId, async (own, transaction) => {
      if (await store.remove(own, grant)) await this.#audit(OAUTH_ENDED, grant, actorUri, transaction);
    });
  }

  /** Ends expired grants, grants whose code nobody redeemed in time, and grants whose key has ended. */
  async sweep(): Promise<void> {
    const { store, tables, clock, keys, names } = this.#parts;
    const nowMs = clock.nowMs();
    await store.prune(tables, nowMs);
    const ended = await tables.read(async (own, snapshot) => {
      const grants = await store.all(own);
      const gone = new Set<string>();
      for (const keyId of new Set(grants.flatMap(({ keyId, personKeyId }) => [keyId, personKeyId]))) {
        if ((await keys.principalOf(keyId, snapshot)) === undefined) gone.add(keyId);
      }
      return grants.filter(
        ({ expiresMs, createdMs, redeemedMs, keyId, personKeyId }) =>
          expiresMs <= nowMs ||
          (redeemedMs === null && createdMs <= nowMs - UNREDEEMED_MS) ||
          gone.has(keyId) ||
          gone.has(personKeyId),
      );
    });
    for (const grant of ended) await this.drop(grant, nodePrincipal(names).entityUri);
  }

  /** Adds the client to those chosen gardens that the person administers. Returns the ids of these gardens. */
  async #share(person: Principal, entityUri: string, choice: Choice): Promise<readonly string[]> {
    const { gardens } = this.#parts;
    if (gardens === undefined || choice.gardens.length === 0) return [];
    const role = choice.permissions.includes('write') ? 'writer' : 'reader';
    const offered = (await this.offeredGardens(person)).filter(({ id }) => choice.gardens.includes(id));
    for (const { id } of offered) {
      await orElse('conflict', gardens.addMember(person, id, { entityUri, role }), () =>
        gardens.changeMember(person, id, entityUri, role),
      );
    }
    return offered.map(({ id }) => id);
  }

  /** Removes the client from the gardens of this grant, except those that another grant of the client names. */
  async #leaveGardens(grant: Grant): Promise<void> {
    const { store, tables, gardens, names } = this.#parts;
    if (gardens === undefined || grant.gardens.length === 0) return;
    const { tenantId, entityUri } = grant;
    const others = (await tables.read((own) => store.list(own, tenantId, entityUri))).filter(
      ({ id }) => id !== grant.id,
    );
    const kept = new Set(others.flatMap((other) => other.gardens));
    const client: Principal = { ...nodePrincipal(names, tenantId), kind: 'anonymous', entityUri };
    for (const id of grant.gardens.filter((garden) => !kept.has(garden))) {
      await orElse('lookup', gardens.removeMember(client, id, entityUri), async () => {});
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
 * Returns the entity of a client, which is the same in every grant of one person. A digest distinguishes clients with
 * the same name.
 */
const entityOf = ({ clientId, name }: OAuthClient, { tenantId, entityUri }: Principal): string => {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  const digest = sha256Hex(JSON.stringify([tenantId, entityUri, clientId])).slice(0, 16);
  return `agent:${slug === '' ? 'client' : slug}-${digest}`;
};

const endOf = (instant: string | null): number | null => (instant === null ? null : parseInstant(instant));

/** Waits for `work`. If it rejects with this code, waits for `otherwise` instead. */
const orElse = async (code: string, work: Promise<unknown>, otherwise: () => Promise<unknown>): Promise<void> => {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== code) throw error;
    await otherwise();
  }
};
