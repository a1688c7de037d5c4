import { numberOrNull } from '../../kernel/internal-api.ts';
import type { Row, Scope, SqlValue } from '../../kernel/plugin-api.ts';

/** The access that one person gave to one client. Instants are in milliseconds since the epoch. */
export interface Grant {
  readonly tenantId: string;
  readonly id: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly clientHost: string;
  /** The client's own entity, which its facts, audit entries and quotas name. */
  readonly entityUri: string;
  readonly personUri: string;
  /** The id of the key with which the person signed in. The grant ends when this key ends. */
  readonly personKeyId: string;
  /** The id of the client's hidden key. The tokens of the grant have the rights of this key. */
  readonly keyId: string;
  readonly permissions: readonly string[];
  readonly scopes: readonly Scope[];
  /** The ids of the gardens to which the client was added. */
  readonly gardens: readonly string[];
  readonly createdMs: number;
  readonly expiresMs: number;
  /** Null until the client has redeemed its code. */
  readonly redeemedMs: number | null;
}

/** The form of the entities of clients. Checking it first saves a look-up for most other entities. */
export const CLIENT_ENTITY = /^agent:[a-z0-9-]+-[0-9a-f]{16}$/;

export const rowOfGrant = (grant: Grant): Row => ({
  tenant_id: grant.tenantId,
  id: grant.id,
  client_id: grant.clientId,
  client_name: grant.clientName,
  client_host: grant.clientHost,
  entity_uri: grant.entityUri,
  person_uri: grant.personUri,
  person_key_id: grant.personKeyId,
  key_id: grant.keyId,
  permissions: grant.permissions.join(' '),
  scopes: grant.scopes.join(' '),
  gardens: grant.gardens.join(' '),
  created_ms: grant.createdMs,
  expires_ms: grant.expiresMs,
  redeemed_ms: grant.redeemedMs,
});

export const grantFromRow = (row: Readonly<Record<string, SqlValue>>): Grant => ({
  tenantId: String(row['tenant_id']),
  id: String(row['id']),
  clientId: String(row['client_id']),
  clientName: String(row['client_name']),
  clientHost: String(row['client_host']),
  entityUri: String(row['entity_uri']),
  personUri: String(row['person_uri']),
  personKeyId: String(row['person_key_id']),
  keyId: String(row['key_id']),
  permissions: words(row['permissions']),
  scopes: words(row['scopes']) as readonly Scope[],
  gardens: words(row['gardens']),
  createdMs: Number(row['created_ms']),
  expiresMs: Number(row['expires_ms']),
  redeemedMs: numberOrNull(row['redeemed_ms']),
});

const words = (value: SqlValue | undefined): readonly string[] =>
  String(value)
    .split(' ')
    .filter((word) => word !== '');
