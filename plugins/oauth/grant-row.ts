import { column, defineRow } from '../../kernel/internal-api.ts';
import type { Scope } from '../../kernel/plugin-api.ts';

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

const words = <T extends string>(name: string) =>
  column.of<readonly T[]>(
    name,
    (value) =>
      String(value)
        .split(' ')
        .filter((word) => word !== '') as T[],
    (list) => list.join(' '),
  );

export const { rowOf: rowOfGrant, fromRow: grantFromRow } = defineRow<Grant>({
  tenantId: column.text('tenant_id'),
  id: column.text('id'),
  clientId: column.text('client_id'),
  clientName: column.text('client_name'),
  clientHost: column.text('client_host'),
  entityUri: column.text('entity_uri'),
  personUri: column.text('person_uri'),
  personKeyId: column.text('person_key_id'),
  keyId: column.text('key_id'),
  permissions: words('permissions'),
  scopes: words('scopes'),
  gardens: words('gardens'),
  createdMs: column.number('created_ms'),
  expiresMs: column.number('expires_ms'),
  redeemedMs: column.numberOrNull('redeemed_ms'),
});
