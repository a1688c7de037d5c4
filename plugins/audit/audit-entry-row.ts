import type { AppendedFact, Hlc, Row, SqlValue } from '../../kernel/plugin-api.ts';
import { type AuditEntry, FACT_WRITE, type RecordedEntry } from './audit-api.ts';

/** The row of a stored fact. The hot path writes it, so it holds only what the fact does not say. */
export const rowOfFact = ({ fact, caller }: AppendedFact, id: string, nowMs: number): Row => ({
  id,
  event_type: FACT_WRITE.id,
  tenant_id: fact.tenantId,
  entity_uri: caller.entityUri,
  oidc_sub: caller.oidcSub,
  fact_id: fact.id,
  feed_wall: fact.feed.wallMs,
  feed_ctr: fact.feed.counter,
  source: fact.source,
  attested_key_id: fact.attestedKeyId,
  ts_ms: nowMs,
  detail: null,
});

export const rowOfEntry = (entry: AuditEntry, id: string, nowMs: number, feed: Hlc | null): Row => ({
  id,
  event_type: entry.event.id,
  tenant_id: entry.tenantId,
  entity_uri: entry.entityUri,
  oidc_sub: entry.oidcSub ?? null,
  fact_id: entry.factId ?? null,
  feed_wall: feed?.wallMs ?? null,
  feed_ctr: feed?.counter ?? null,
  source: entry.source ?? '',
  attested_key_id: entry.attestedKeyId ?? null,
  ts_ms: nowMs,
  detail: entry.detail === undefined ? null : JSON.stringify(entry.detail),
});

export const entryFromRow = (row: Readonly<Record<string, SqlValue>>): RecordedEntry => ({
  seq: Number(row['seq']),
  id: String(row['id']),
  event: String(row['event_type']),
  tenantId: String(row['tenant_id']),
  entityUri: String(row['entity_uri']),
  oidcSub: textOrNull(row['oidc_sub']),
  factId: textOrNull(row['fact_id']),
  source: String(row['source']),
  attestedKeyId: textOrNull(row['attested_key_id']),
  tsMs: Number(row['ts_ms']),
  detail: textOrNull(row['detail']),
});

const textOrNull = (value: SqlValue | undefined): string | null => (value == null ? null : String(value));
