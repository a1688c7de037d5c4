import type { Knex } from 'knex';
import { soundRows } from '../../kernel/internal-api.ts';
import type { PluginTables, ReadableTables, Row, WritableTables } from '../../kernel/plugin-api.ts';
import { SIGNING_KEYS_TABLE, TOKENS_TABLE } from './capability-migrations.ts';
import { capabilityFromRow, entityDigest, rowOfCapability, type StoredCapability } from './capability-row.ts';
import type { CapabilityPosition } from './capability-tokens-api.ts';

/** The signal after a revocation. */
export const TOKENS_REVOKED = 'revoked';

/** A filter for tokens of a tenant; without `entityUri` it selects all of them. */
export interface CapabilityFilter {
  readonly tenantId: string;
  /** Selects only tokens that this entity issued, or is the subject of. */
  readonly entityUri?: string | undefined;
}

/** Names who revoked a token, and the reason for people. */
export interface Revocation {
  readonly nowMs: number;
  readonly by: string;
  readonly reason: string | null;
}

/** Stores the issued tokens, and all keys with which this node has ever signed. */
export class CapabilityStore {
  readonly #tables: PluginTables;

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  /** Returns a token of the tenant. A token of another tenant is unknown. */
  async byId(own: ReadableTables, tokenId: string, tenantId: string): Promise<StoredCapability | undefined> {
    return own.parse(await own.select(TOKENS_TABLE, { token_id: tokenId, tenant_id: tenantId }), capabilityFromRow)[0];
  }

  insert(own: WritableTables, token: StoredCapability): Promise<void> {
    return own.insertRows(TOKENS_TABLE, [rowOfCapability(token)]);
  }

  async revoke(own: WritableTables, token: StoredCapability, { nowMs, by, reason }: Revocation): Promise<void> {
    own.signal(TOKENS_REVOKED);
    const { tenant_id, token_id, ...columns } = rowOfCapability({ ...token, revokedMs: nowMs });
    await own(TOKENS_TABLE)
      .where({ tenant_id, token_id })
      .update({ ...columns, revoked_by: by, revoke_reason: reason });
  }

  /** Returns tokens by the instant of issue, newest first. */
  async newestFirst(
    own: ReadableTables,
    filter: CapabilityFilter,
    after: CapabilityPosition | undefined,
    limit: number,
  ): Promise<StoredCapability[]> {
    return soundRows<Row, StoredCapability>(
      limit,
      (last, count) => rowsAfter(own, filter, last === undefined ? after : positionOf(last), count),
      (rows) => own.parse(rows, capabilityFromRow),
    );
  }

  async count(own: ReadableTables, filter: CapabilityFilter): Promise<number> {
    const [row] = (await matching(own, filter).count({ n: '*' })) as { n: number | string }[];
    return Number(row?.n ?? 0);
  }

  /**
   * Returns true if the issuer of a token has fewer than `limit` other ones, including revoked ones. Expired ones are
   * deleted to make room, so that the rows of an issuer never exceed the limit.
   */
  async hasRoomFor(
    own: WritableTables,
    { issuer, tenantId, issuedMs }: StoredCapability,
    limit: number,
  ): Promise<boolean> {
    const ofIssuer = () => own(TOKENS_TABLE).where({ tenant_id: tenantId, issuer_digest: entityDigest(issuer) });
    const isFull = async () => ((await ofIssuer().select('token_id').limit(limit)) as unknown[]).length >= limit;
    if (!(await isFull())) return true;
    await ofIssuer().where('expires_ms', '<=', issuedMs).delete();
    return !(await isFull());
  }

  /** Deletes tokens that expired before the instant. */
  async prune(beforeMs: number): Promise<void> {
    await this.#tables(TOKENS_TABLE).where('expires_ms', '<', beforeMs).delete();
  }

  async signingKeys(own: ReadableTables): Promise<string[]> {
    const rows = (await own(SIGNING_KEYS_TABLE).select('public_key')) as { public_key: string }[];
    return rows.map((row) => row.public_key);
  }

  /** Stores a key, so that its signatures can be verified after a key rotation. */
  async addSigningKey(publicKey: string, tenantId: string, nowMs: number): Promise<void> {
    const isKnown = (own: ReadableTables) => own.select(SIGNING_KEYS_TABLE, { public_key: publicKey });
    // Reads without a transaction first, to save one at every start.
    if ((await this.#tables.read(isKnown)).length > 0) return;
    await this.#tables.write(tenantId, async (own) => {
      if ((await isKnown(own)).length > 0) return;
      await own.insertRows(SIGNING_KEYS_TABLE, [{ public_key: publicKey, known_since_ms: nowMs }]);
    });
  }
}

const positionOf = (row: Row): CapabilityPosition => ({
  issuedMs: Number(row['issued_ms']),
  tokenId: String(row['token_id']),
});

const rowsAfter = async (
  own: ReadableTables,
  filter: CapabilityFilter,
  after: CapabilityPosition | undefined,
  limit: number,
): Promise<Row[]> => {
  const query = matching(own, filter).orderBy('issued_ms', 'desc').orderBy('token_id', 'desc').limit(limit);
  if (after !== undefined) {
    const { issuedMs, tokenId } = after;
    query
      .where('issued_ms', '<=', issuedMs)
      .whereNot((tie) => tie.where('issued_ms', issuedMs).where('token_id', '>=', tokenId));
  }
  return (await query) as Row[];
};

const matching = (own: ReadableTables, { tenantId, entityUri }: CapabilityFilter): Knex.QueryBuilder => {
  const query = own(TOKENS_TABLE).where('tenant_id', tenantId);
  if (entityUri === undefined) return query;
  const digest = entityDigest(entityUri);
  return query.where((mine) => mine.where('issuer_digest', digest).orWhere('subject_digest', digest));
};
