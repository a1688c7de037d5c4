import type { Knex } from 'knex';
import {
  formatInstant,
  type PluginTables,
  type ReadableTables,
  type Row,
  ServiceError,
  type ServiceNames,
  type SqlValue,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import { keyFromRow, rowOfKey, type StoredKey } from './key-row.ts';
import { principalKey } from './keys-api.ts';
import { DIGESTS_TABLE, API_KEYS_TABLE as TABLE, USES_TABLE } from './keys-migrations.ts';

/** The signal after every change of a key. */
export const KEYS_CHANGED = 'changed';

/** Selects keys. Absent members match every key. */
export interface KeyFilter {
  readonly entityUri?: string;
  readonly tenantId?: string | undefined;
  /** Only keys that are neither revoked nor expired at this instant. */
  readonly activeAtMs?: number;
  /** Only keys that expire at or before this instant. */
  readonly expiringByMs?: number;
}

/**
 * The stored keys. They are found by digest, so the time of a look-up reveals nothing about a guess. A damaged key is
 * left out, so that it grants nothing.
 */
export class KeyStore {
  readonly #tables: PluginTables;
  readonly #names: ServiceNames;

  constructor(tables: PluginTables, names: ServiceNames) {
    this.#tables = tables;
    this.#names = names;
  }

  /** Also returns revoked and expired keys. */
  findByDigest(digest: string): Promise<StoredKey | undefined> {
    return this.#tables.read((own) => this.byDigest(own, digest));
  }

  async byDigest(own: ReadableTables, digest: string): Promise<StoredKey | undefined> {
    return own.parse(await own.select(TABLE, { digest }), keyFromRow)[0];
  }

  /** Returns true if any tenant ever registered a key with this digest, including erased keys. */
  async isKnown(own: ReadableTables, digest: string): Promise<boolean> {
    return (await own.select(DIGESTS_TABLE, { digest })).length > 0;
  }

  async byId(own: ReadableTables, id: string): Promise<StoredKey | undefined> {
    return own.parse(await own.select(TABLE, { id }), keyFromRow)[0];
  }

  /**
   * Stores a key. Rejects, at once or at the commit, if any tenant has the digest. Throws `conflict` if the entity has
   * keys under another spelling, because limits apply to one spelling.
   */
  async insert(own: WritableTables, key: StoredKey, digest: string): Promise<void> {
    const entityKey = principalKey(key.entityUri, this.#names);
    await refuseOtherSpelling(own, key, entityKey);
    own.signal(KEYS_CHANGED);
    await own.insertRows(DIGESTS_TABLE, [{ digest }]);
    await own.insertRows(TABLE, [{ ...rowOfKey(key), digest, entity_key: entityKey }]);
  }

  revoke(own: WritableTables, key: StoredKey, nowMs: number): Promise<void> {
    return this.#replace(own, { ...key, revokedMs: nowMs });
  }

  /** Sets the end of a key. `endsMs` is not later than the present end. */
  endAt(own: WritableTables, key: StoredKey, endsMs: number): Promise<void> {
    return this.#replace(own, { ...key, expiresMs: endsMs, expiresAt: formatInstant(endsMs) });
  }

  async revokeAll(own: WritableTables, keys: readonly StoredKey[], nowMs: number): Promise<void> {
    for (const key of keys) await this.revoke(own, key, nowMs);
  }

  async #replace(own: WritableTables, key: StoredKey): Promise<void> {
    own.signal(KEYS_CHANGED);
    const { tenant_id, id, ...columns } = rowOfKey(key);
    await own(TABLE).where({ tenant_id, id }).update(columns);
  }

  /** Deletes ended keys. */
  async forgetAll(own: WritableTables, keys: readonly StoredKey[]): Promise<void> {
    if (keys.length === 0) return;
    const rows: { digest: string }[] = await namedBy(own(TABLE), keys).select('digest');
    await own(DIGESTS_TABLE)
      .whereIn(
        'digest',
        rows.map(({ digest }) => digest),
      )
      .delete();
    await namedBy(own(USES_TABLE), keys, 'key_id').delete();
    await namedBy(own(TABLE), keys).delete();
  }

  /** Returns all keys of a person of an identity provider, newest first. */
  async ofSubject(own: ReadableTables, tenantId: string, oidcSub: string): Promise<StoredKey[]> {
    const query = own(TABLE).where({ tenant_id: tenantId, oidc_sub: oidcSub });
    const rows: Record<string, SqlValue>[] = await query.orderBy('created_ms', 'desc').orderBy('id', 'desc');
    return own.parse(rows, keyFromRow);
  }

  /** Lists newest first, or with `expiringByMs` soonest first. */
  list(filter: KeyFilter): Promise<StoredKey[]> {
    return this.#tables.read(async (own) => {
      const query = narrow(own(TABLE), filter);
      if (filter.expiringByMs === undefined) query.orderBy('created_ms', 'desc');
      else query.orderBy('expires_ms');
      return own.parse((await query.orderBy('id', 'desc')) as Record<string, SqlValue>[], keyFromRow);
    });
  }

  count(): Promise<number> {
    return this.#tables.read((own) => this.countIn(own));
  }

  /** Returns the tenants that have a key. */
  async tenants(own: ReadableTables): Promise<string[]> {
    const rows = (await own(TABLE).distinct('tenant_id')) as { tenant_id: string }[];
    return rows.map(({ tenant_id }) => tenant_id);
  }

  /** Counts the keys of one tenant, or of all tenants. */
  async countIn(own: ReadableTables, tenantId?: string): Promise<number> {
    const [row] = (await narrow(own(TABLE), { tenantId }).count({ n: '*' })) as { n: number | string }[];
    return Number(row?.n ?? 0);
  }
}

const refuseOtherSpelling = async (
  own: ReadableTables,
  { tenantId, entityUri, createdMs }: StoredKey,
  entityKey: string,
): Promise<void> => {
  const query = narrow(own(TABLE).where('entity_key', entityKey), { tenantId, activeAtMs: createdMs });
  const known = (await query.whereNot('entity_uri', entityUri).first('entity_uri')) as Row | undefined;
  if (known === undefined) return;
  throw new ServiceError('conflict', `there are keys for this entity under the spelling ${known['entity_uri']}`, {
    hint: 'name the entity in that spelling, or revoke its keys first',
  });
};

/** `keys` is not empty, and all its keys belong to one tenant. */
const namedBy = (query: Knex.QueryBuilder, keys: readonly StoredKey[], column = 'id'): Knex.QueryBuilder =>
  query.where('tenant_id', keys[0]?.tenantId ?? '').whereIn(
    column,
    keys.map(({ id }) => id),
  );

const narrow = (query: Knex.QueryBuilder, filter: KeyFilter): Knex.QueryBuilder => {
  const { entityUri, tenantId, activeAtMs, expiringByMs } = filter;
  if (entityUri !== undefined) query.where('entity_uri', entityUri);
  if (tenantId !== undefined) query.where('tenant_id', tenantId);
  if (activeAtMs !== undefined) {
    query.whereNull('revoked_ms').where((open) => open.whereNull('expires_ms').orWhere('expires_ms', '>', activeAtMs));
  }
  if (expiringByMs !== undefined) query.where('expires_ms', '<=', expiringByMs);
  return query;
};
