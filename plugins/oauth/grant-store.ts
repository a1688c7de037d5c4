import { column, defineRow } from '../../kernel/internal-api.ts';
import type { PluginTables, ReadableTables, Row, WritableTables } from '../../kernel/plugin-api.ts';
import { CLIENT_ENTITY, type Grant, grantFromRow, rowOfGrant } from './grant-row.ts';
import { CONSENTS_TABLE, ENTITIES_TABLE, GRANTS_TABLE, SECRETS_TABLE } from './oauth-migrations.ts';

export type SecretKind = 'code' | 'access' | 'refresh';

/** A stored code or token. The store contains only its digest. */
export interface StoredSecret {
  readonly tenantId: string;
  readonly digest: string;
  readonly grantId: string;
  readonly kind: SecretKind;
  /** The address of the node at which the secret is valid. */
  readonly audience: string;
  /** The redirect address of a code; null for a token. */
  readonly redirectUri: string | null;
  /** The S256 challenge of a code; null for a token. */
  readonly challenge: string | null;
  readonly expiresMs: number;
  readonly spentMs: number | null;
}

/** A pending consent: the person has signed in, and has not decided yet. */
export interface StoredConsent {
  readonly tenantId: string;
  readonly digest: string;
  /** The digest of the cookie of the browser in which the person signed in. */
  readonly browser: string;
  readonly keyId: string;
  /** The client's authorization request, as query text. */
  readonly request: string;
  readonly expiresMs: number;
}

/** The signal after a code or a token was spent. */
export const SECRETS_SPENT = 'secrets spent';

/** The time for which the store retains expired secrets, so that the node recognises a second use. */
const KEPT_AFTER_END_MS = 600_000;

/** Reads and writes the tables of grants, in a snapshot or transaction of the caller. */
export class GrantStore {
  async byId(own: ReadableTables, tenantId: string, id: string): Promise<Grant | undefined> {
    const [row] = await own.select(GRANTS_TABLE, { tenant_id: tenantId, id });
    return row === undefined ? undefined : grantFromRow(row);
  }

  async byKey(own: ReadableTables, keyId: string): Promise<Grant | undefined> {
    const [row] = await own.select(GRANTS_TABLE, { key_id: keyId });
    return row === undefined ? undefined : grantFromRow(row);
  }

  async insertGrant(own: WritableTables, grant: Grant): Promise<void> {
    const { tenantId, entityUri, personUri } = grant;
    await own(ENTITIES_TABLE)
      .insert({ tenant_id: tenantId, entity_uri: entityUri, person_uri: personUri })
      .onConflict(['tenant_id', 'entity_uri'])
      .ignore();
    await own.insertRows(GRANTS_TABLE, [rowOfGrant(grant)]);
  }

  /** Returns the person behind each of these entities that is a client of a person, with or without a grant. */
  async personsOf(
    own: ReadableTables,
    tenantId: string,
    entityUris: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const clients = entityUris.filter((entityUri) => CLIENT_ENTITY.test(entityUri));
    if (clients.length === 0) return new Map();
    const rows = await own.select(ENTITIES_TABLE, { tenant_id: tenantId, entity_uri: clients });
    return new Map(rows.map((row) => [String(row['entity_uri']), String(row['person_uri'])]));
  }

  /** Returns grants of a tenant, newest first; with `entityUri` only those of this person or client. */
  async list(own: ReadableTables, tenantId: string, entityUri?: string): Promise<Grant[]> {
    const query = own(GRANTS_TABLE).where('tenant_id', tenantId).whereNotNull('redeemed_ms');
    if (entityUri !== undefined) {
      query.where((mine) => mine.where('person_uri', entityUri).orWhere('entity_uri', entityUri));
    }
    const rows: Row[] = await query.orderBy('created_ms', 'desc').orderBy('id', 'desc');
    return rows.map(grantFromRow);
  }

  /** Returns the grants of one client of a person, with those whose code nobody has redeemed yet. */
  async ofClient(own: ReadableTables, { tenantId, entityUri }: Grant): Promise<Grant[]> {
    return (await own.select(GRANTS_TABLE, { tenant_id: tenantId, entity_uri: entityUri })).map(grantFromRow);
  }

  /** Counts the grants of a person, with those whose code nobody has redeemed yet. */
  async countOf(own: ReadableTables, tenantId: string, personUri: string): Promise<number> {
    const mine = own(GRANTS_TABLE).where({ tenant_id: tenantId, person_uri: personUri });
    const [row] = (await mine.count({ n: '*' })) as { n: number | string }[];
    return Number(row?.n ?? 0);
  }

  async all(own: ReadableTables): Promise<Grant[]> {
    return ((await own(GRANTS_TABLE).orderBy('tenant_id').orderBy('id')) as Row[]).map(grantFromRow);
  }

  async redeem(own: WritableTables, { tenantId, id }: Grant, nowMs: number): Promise<void> {
    await own(GRANTS_TABLE).where({ tenant_id: tenantId, id }).update({ redeemed_ms: nowMs });
  }

  /** Moves grants to the key that replaces a person's key. */
  async movePersonKey(own: WritableTables, tenantId: string, formerId: string, id: string): Promise<void> {
    const where = { tenant_id: tenantId, person_key_id: formerId };
    await own(GRANTS_TABLE).where(where).update({ person_key_id: id });
  }

  /** Deletes a grant with its codes and tokens. Returns false for a grant that another request has deleted. */
  async remove(own: WritableTables, { tenantId, id }: Pick<Grant, 'tenantId' | 'id'>): Promise<boolean> {
    await own(SECRETS_TABLE).where({ tenant_id: tenantId, grant_id: id }).delete();
    return Number(await own(GRANTS_TABLE).where({ tenant_id: tenantId, id }).delete()) > 0;
  }

  async secret(own: ReadableTables, digest: string): Promise<StoredSecret | undefined> {
    const [row] = await own.select(SECRETS_TABLE, { digest });
    return row === undefined ? undefined : SECRET_ROW.fromRow(row);
  }

  insertSecrets(own: WritableTables, secrets: readonly StoredSecret[]): Promise<void> {
    return own.insertRows(SECRETS_TABLE, secrets.map(SECRET_ROW.rowOf));
  }

  /** Spends a code or a refresh token. Returns false if another request has spent it, even at the same time. */
  async spend(own: WritableTables, { tenantId, digest }: StoredSecret, nowMs: number): Promise<boolean> {
    const unspent = own(SECRETS_TABLE).where({ tenant_id: tenantId, digest }).whereNull('spent_ms');
    own.signal(SECRETS_SPENT);
    return Number(await unspent.update({ spent_ms: nowMs })) === 1;
  }

  /** Returns the unexpired secrets that were spent since an instant. */
  async spentSince(own: ReadableTables, sinceMs: number, nowMs: number): Promise<StoredSecret[]> {
    const query = own(SECRETS_TABLE).where('spent_ms', '>=', sinceMs).where('expires_ms', '>', nowMs);
    return ((await query) as Row[]).map(SECRET_ROW.fromRow);
  }

  /** Returns those of these secrets that nobody has spent. */
  async unspentAmong(own: ReadableTables, digests: readonly string[]): Promise<StoredSecret[]> {
    if (digests.length === 0) return [];
    const found = await own.select(SECRETS_TABLE, { digest: [...digests] });
    return found.map(SECRET_ROW.fromRow).filter(({ spentMs }) => spentMs === null);
  }

  async removeSecret(own: WritableTables, { tenantId, digest }: StoredSecret): Promise<void> {
    await own(SECRETS_TABLE).where({ tenant_id: tenantId, digest }).delete();
  }

  insertConsent(own: WritableTables, consent: StoredConsent): Promise<void> {
    const { tenantId, digest, browser, keyId, request, expiresMs } = consent;
    const row = { tenant_id: tenantId, digest, browser, key_id: keyId, request, expires_ms: expiresMs };
    return own.insertRows(CONSENTS_TABLE, [row]);
  }

  async consent(own: ReadableTables, digest: string): Promise<StoredConsent | undefined> {
    const [row] = await own.select(CONSENTS_TABLE, { digest });
    if (row === undefined) return undefined;
    return {
      tenantId: String(row['tenant_id']),
      digest,
      browser: String(row['browser']),
      keyId: String(row['key_id']),
      request: String(row['request']),
      expiresMs: Number(row['expires_ms']),
    };
  }

  /** Deletes a consent. Returns false if another request took it. */
  async takeConsent(own: WritableTables, { tenantId, digest }: StoredConsent): Promise<boolean> {
    return Number(await own(CONSENTS_TABLE).where({ tenant_id: tenantId, digest }).delete()) > 0;
  }

  /** Deletes expired consents, codes and tokens. */
  async prune(tables: PluginTables, nowMs: number): Promise<void> {
    await tables(CONSENTS_TABLE).where('expires_ms', '<=', nowMs).delete();
    await tables(SECRETS_TABLE)
      .where('expires_ms', '<=', nowMs - KEPT_AFTER_END_MS)
      .delete();
  }
}

const SECRET_ROW = defineRow<StoredSecret>({
  tenantId: column.text('tenant_id'),
  digest: column.text('digest'),
  grantId: column.text('grant_id'),
  kind: column.text('kind'),
  audience: column.text('audience'),
  redirectUri: column.textOrNull('redirect_uri'),
  challenge: column.textOrNull('challenge'),
  expiresMs: column.number('expires_ms'),
  spentMs: column.numberOrNull('spent_ms'),
});
