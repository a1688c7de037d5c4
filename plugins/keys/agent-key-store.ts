import { column, defineRow, openRow, sealRow } from '../../kernel/internal-api.ts';
import type {
  PluginTables,
  ReadableTables,
  Row,
  SealedColumns,
  SqlValue,
  WritableTables,
} from '../../kernel/plugin-api.ts';
import { KEYS_CHANGED } from './key-store.ts';
import { AGENT_KEYS_TABLE as TABLE } from './keys-migrations.ts';

export const SEALED_AGENT_KEYS = {
  table: TABLE,
  key: ['tenant_id', 'id'],
  columns: [],
  plain: ['id', 'tenant_id', 'entity_uri', 'public_key', 'revoked_ms'],
} as const satisfies SealedColumns;

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
    return own.parse(await own.select(TABLE, { tenant_id: tenantId, id: ids }), keyFromRow);
  }

  /** Returns all keys of an agent, newest first, including revoked keys. */
  listOf(entityUri: string, tenantId: string): Promise<AgentKey[]> {
    return this.#tables.read(async (own) => {
      const rows: unknown = await own(TABLE)
        .where({ entity_uri: entityUri, tenant_id: tenantId })
        .orderBy('registered_ms', 'desc')
        .orderBy('id', 'desc');
      return own.parse(rows as Record<string, SqlValue>[], keyFromRow);
    });
  }

  /** Returns the number of keys that an agent has registered, including revoked keys, up to `limit`. */
  async countOf(own: ReadableTables, { entityUri, tenantId }: AgentKey, limit: number): Promise<number> {
    const mine = own(TABLE).where({ entity_uri: entityUri, tenant_id: tenantId });
    return ((await mine.select('id').limit(limit)) as unknown[]).length;
  }

  insert(own: WritableTables, key: AgentKey): Promise<void> {
    own.signal(KEYS_CHANGED);
    return own.insertRows(TABLE, [rowOf(key)]);
  }

  async revoke(own: WritableTables, key: AgentKey, nowMs: number): Promise<void> {
    own.signal(KEYS_CHANGED);
    const { tenant_id, id, ...columns } = rowOf({ ...key, revokedMs: nowMs });
    await own(TABLE).where({ tenant_id, id }).update(columns);
  }
}

const KEY_ROW = defineRow<AgentKey>({
  id: column.text('id'),
  entityUri: column.text('entity_uri'),
  tenantId: column.text('tenant_id'),
  publicKey: column.text('public_key'),
  description: column.textOrNull('description'),
  registeredMs: column.number('registered_ms'),
  revokedMs: column.numberOrNull('revoked_ms'),
});

const rowOf = (key: AgentKey): Row => sealRow(SEALED_AGENT_KEYS, KEY_ROW.rowOf(key));

const keyFromRow = (stored: Row): AgentKey => KEY_ROW.fromRow(openRow(SEALED_AGENT_KEYS, stored));
