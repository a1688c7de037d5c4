import { formatInstant } from '../../kernel/plugin-api.ts';
import type { EntryWithFact, RecordedEntry } from './audit-api.ts';

/** An entry of `GET /v1/auth/audit`. */
export const logEntryJson = (entry: RecordedEntry): Record<string, unknown> => ({
  seq: entry.seq,
  id: entry.id,
  event_type: entry.event,
  entity_uri: entry.entityUri,
  oidc_sub: entry.oidcSub,
  fact_id: entry.factId,
  source: entry.source,
  attested_key_id: entry.attestedKeyId,
  ts: formatInstant(entry.tsMs),
  tenant_id: entry.tenantId,
  detail: entry.detail === null ? null : (JSON.parse(entry.detail) as unknown),
});

/** The same for `GET /v1/admin/audit`, whose clients expect `detail` as text. */
export const adminEntryJson = (entry: RecordedEntry): Record<string, unknown> => ({
  ...logEntryJson(entry),
  detail: entry.detail,
});

/** An entry of `GET /v1/audit`. */
export const factEntryJson = ({ entry, fact, signingKey }: EntryWithFact) => ({
  id: entry.id,
  fact_id: entry.factId,
  event_type: entry.event,
  entity_uri: entry.entityUri,
  oidc_sub: entry.oidcSub,
  source: entry.source,
  attested_key_id: entry.attestedKeyId,
  ts: formatInstant(entry.tsMs),
  attested_key_entity_uri: signingKey?.entityUri ?? null,
  attested_key_description: signingKey?.description ?? null,
  fact_entity: fact?.entity ?? null,
  fact_relation: fact?.relation ?? null,
  fact_value_type: fact?.value.type ?? null,
  fact_value_v: fact?.value.v ?? null,
  fact_scope: fact?.scope ?? null,
});

export type FactEntryJson = ReturnType<typeof factEntryJson>;

/** Members of a `FactEntryJson`, in order. */
const FACT_ENTRY_MEMBERS = [
  'id',
  'fact_id',
  'event_type',
  'entity_uri',
  'oidc_sub',
  'source',
  'attested_key_id',
  'ts',
  'attested_key_entity_uri',
  'attested_key_description',
  'fact_entity',
  'fact_relation',
  'fact_value_type',
  'fact_value_v',
  'fact_scope',
] as const satisfies readonly (keyof FactEntryJson)[];

/** Names under which existing clients look for two members in the export: columns of their own, behind all others. */
const CSV_ALIASES = {
  principal_entity_uri: 'entity_uri',
  principal_oidc_sub: 'oidc_sub',
} as const satisfies Readonly<Record<string, keyof FactEntryJson>>;

/** The columns of the export. */
export const CSV_COLUMNS: readonly string[] = [...FACT_ENTRY_MEMBERS, ...Object.keys(CSV_ALIASES)];

const CSV_MEMBERS: readonly (keyof FactEntryJson)[] = [...FACT_ENTRY_MEMBERS, ...Object.values(CSV_ALIASES)];

/** What stands in the columns, in their order. */
export const csvCells = (entry: FactEntryJson) => CSV_MEMBERS.map((member) => entry[member]);
