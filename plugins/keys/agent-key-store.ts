import type { PluginTables, ReadableTables, Row, SqlValue, WritableTables } from '../../kernel/plugin-api.ts';
import { KEYS_CHANGED } from './key-store.ts';
import { AGENT_KEYS_TABLE as TABLE } from './keys-migrations.ts';

/** A public key that verifies the signatures of an agent. */
export interface AgentKey {
  readonly id: string;
  readonly entityUri: string;
  readonly tenantId: string;
  /** base64url of the raw 32 bytes. */
  readonly publicKey: string;
  readonly description: string | null;
  readonly registeredMs: number;
  readonly revokedMs: number | null;
}

export class AgentKeyStore {
  readonly #tables: PluginTables;

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  /** Returns the keys of the tenant that have one of the ids, unordered. */
  async among(own: ReadableTables, ids: readonly string[], tenantId: string): Promise<AgentKey[]> {
    return (await own.select(TABLE, { tenant_id: tenantId, id: ids })).map(keyFromRow);
  }

  /** Returns all keys of an agent, newest first, including revoked keys. */
  listOf(entityUri: string, tenantId: string): Promise<AgentKey[]> {
    return this.#tables.read(async (own) => {
      const rows: unknown = await own(TABLE)
        .where({ entity_uri: entityUri, tenant_id: tenantId })
        .orderBy('registered_ms', 'desc')
        .orderBy('id', 'desc');
      return (rows as Record<string, SqlValue>[]).map(keyFromRow);
    });
  }

  insert(own: WritableTables, key: AgentKey): Promise<void> {
    own.signal(KEYS_CHANGED);
    return own.insertRows(TABLE, [rowOf(key)]);
  }

  async revoke(own: WritableTables, { id, tenantId }: AgentKey, nowMs: number): Promise<void> {
    own.signal(KEYS_CHANGED);
    await own(TABLE).where({ tenant_id: tenantId, id }).update({ revoked_ms: nowMs });
  }
}

const rowOf = (key: AgentKey): Row => ({
  id: key.id,
  entity_uri: key.entityUri,
  tenant_id: key.tenantId,
  public_key: key.publicKey,
  description: key.description,
  registered_ms: key.registeredMs,
  revoked_ms: key.revokedMs,
});

const keyFromRow = (row: Readonly<Record<string, SqlValue>>): AgentKey => ({
  id: String(row['id']),
  entityUri: String(row['entity_uri']),
  tenantId: String(row['tenant_id']),
  publicKey: String(row['public_key']),
  description: row['description'] == null ? null : String(row['description']),
  registeredMs: Number(row['registered_ms']),
  revokedMs: row['revoked_ms'] == null ? null : Number(row['revoked_ms']),
});
