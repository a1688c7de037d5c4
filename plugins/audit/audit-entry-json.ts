import { openChained, VALUE_TYPES } from '../../kernel/internal-api.ts';
import {
  COUNT_JSON,
  CURSOR_JSON,
  component,
  defineComponent,
  formatInstant,
  INSTANT_JSON,
  type JsonSchema,
  listOf,
  objectOf,
  orNull,
  SCOPES,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import type { EntryWithFact, RecordedEntry } from './audit-api.ts';

/** The members of an entry that every list contains. */
const ENTRY_MEMBERS = {
  id: STRING_JSON,
  fact_id: orNull(STRING_JSON),
  event_type: STRING_JSON,
  entity_uri: STRING_JSON,
  oidc_sub: orNull(STRING_JSON),
  source: STRING_JSON,
  attested_key_id: orNull(STRING_JSON),
  ts: INSTANT_JSON,
};

const logPage = (members: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  objectOf({
    entries: listOf(objectOf({ seq: COUNT_JSON, ...ENTRY_MEMBERS, tenant_id: STRING_JSON, ...members })),
    total: COUNT_JSON,
    next_cursor: orNull({ type: 'integer' }),
  });

export const LOG_JSON = logPage({ detail: orNull({ type: 'object' }) });
export const ADMIN_LOG_JSON = logPage({ detail: orNull(STRING_JSON), detail_salt: orNull(STRING_JSON) });

/** The JSON of an entry in `GET /v1/auth/audit`. */
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
  detail: entry.detail === null ? null : openChained(entry.detail),
});

/** The JSON of an entry in `GET /v1/admin/audit`, whose clients expect `detail` as text, and compute links. */
export const adminEntryJson = (entry: RecordedEntry): Record<string, unknown> => ({
  ...logEntryJson(entry),
  detail: entry.detail,
  detail_salt: entry.detailSalt,
});

/** The JSON schema of an entry in `GET /v1/audit`. */
export const FACT_ENTRY = defineComponent('FactEntry', {
  summary: 'an audit entry about a fact',
  json: objectOf({
    ...ENTRY_MEMBERS,
    attested_key_entity_uri: orNull(STRING_JSON),
    attested_key_description: orNull(STRING_JSON),
    fact_entity: orNull(STRING_JSON),
    fact_relation: orNull(STRING_JSON),
    fact_value_type: orNull({ type: 'string', enum: VALUE_TYPES }),
    fact_value_v: { type: ['string', 'number', 'boolean', 'null'] },
    fact_scope: orNull({ type: 'string', enum: SCOPES }),
    recall: orNull(objectOf({ facts: COUNT_JSON, tokens: COUNT_JSON, fact_ids: listOf(STRING_JSON) })),
  }),
});

export const FACT_ENTRY_PAGE_JSON = objectOf({
  entries: listOf(component(FACT_ENTRY)),
  total: COUNT_JSON,
  cursor: CURSOR_JSON,
});

/** The JSON of an entry in `GET /v1/audit`. */
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
  recall: recallOf(entry),
});

/**
 * Returns the number of facts that a recall returned, and the ids of the best ones. Readers of the log may see ids; the
 * facts themselves have their own route, with its rights. Null for other entries, and for recalls of earlier versions.
 */
const recallOf = ({ detail }: RecordedEntry): RecallJson | null => {
  if (detail === null) return null;
  const { action, facts, tokens, fact_ids: ids } = openDetail(detail);
  if (action !== 'recall' || typeof facts !== 'number' || typeof tokens !== 'number' || !Array.isArray(ids))
    return null;
  return { facts, tokens, fact_ids: ids.map(String) };
};

interface RecallJson {
  readonly facts: number;
  readonly tokens: number;
  readonly fact_ids: readonly string[];
}

/** Returns the members of a detail; those of another version may be missing or have other types. */
export const openDetail = (text: string): Readonly<Record<string, unknown>> => {
  const detail = openChained(text);
  return typeof detail === 'object' && detail !== null ? (detail as Record<string, unknown>) : {};
};

/** An entry of `GET /v1/audit`. In CSV it has no member about a recall, because cells are no lists. */
export type FactEntryJson = Omit<ReturnType<typeof factEntryJson>, 'recall'>;

/** The members of a `FactEntryJson`, in the order of the columns. */
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

/** Additional columns at the end of a CSV row, because existing clients expect two members under these names. */
const CSV_ALIASES = {
  principal_entity_uri: 'entity_uri',
  principal_oidc_sub: 'oidc_sub',
} as const satisfies Readonly<Record<string, keyof FactEntryJson>>;

export const CSV_COLUMNS: readonly string[] = [...FACT_ENTRY_MEMBERS, ...Object.keys(CSV_ALIASES)];

const CSV_MEMBERS: readonly (keyof FactEntryJson)[] = [...FACT_ENTRY_MEMBERS, ...Object.values(CSV_ALIASES)];

/** Returns the cells of a CSV row, in the order of the columns. */
export const csvCells = (entry: FactEntryJson) => CSV_MEMBERS.map((member) => entry[member]);
