import type { Knex } from 'knex';
import { type ChainLink, hashBytes, hashText, isSealedText, textOrNull } from '../../kernel/internal-api.ts';
import type { PluginSnapshot, PluginTables, Row, SqlValue } from '../../kernel/plugin-api.ts';
import type { AuditEntry, RecordedEntry } from './audit-api.ts';
import { detailHash } from './chain/entry-link.ts';
import type { MatchingEntries, StoredFilter } from './matching-entries.ts';

/** The table of all entries except fact entries. */
export const ENTRIES_TABLE = 'audit_entries';

/** The members of an entry that the node assigns. */
export interface EntryStamp {
  readonly seq: number;
  readonly id: string;
  readonly tsMs: number;
  /** Random text, which the hash of the detail covers. */
  readonly salt: string;
}

/**
 * Returns the entry in its stored form, before it has its link. Normalises text to a form that both database engines
 * return unchanged, because links are computed from stored entries.
 */
export const recordedEntry = (entry: AuditEntry, { seq, id, tsMs, salt }: EntryStamp): RecordedEntry => {
  const detail = entry.detail === undefined ? null : JSON.stringify(entry.detail);
  return {
    seq,
    id,
    event: entry.event.id,
    tenantId: entry.tenantId,
    entityUri: entry.entityUri.toWellFormed(),
    oidcSub: entry.oidcSub?.toWellFormed() ?? null,
    factId: entry.factId?.toWellFormed() ?? null,
    source: entry.source?.toWellFormed() ?? '',
    attestedKeyId: entry.attestedKeyId?.toWellFormed() ?? null,
    tsMs,
    detail,
    detailSalt: detail === null ? null : salt,
    detailHash: detail === null ? null : detailHash(salt, detail),
    detailIsGone: false,
    link: null,
  };
};

export const rowOfEntry = (entry: RecordedEntry, link: ChainLink): Row => ({
  tenant_id: entry.tenantId,
  seq: entry.seq,
  id: entry.id,
  event_type: entry.event,
  entity_uri: entry.entityUri,
  oidc_sub: entry.oidcSub,
  fact_id: entry.factId,
  source: entry.source,
  attested_key_id: entry.attestedKeyId,
  ts_ms: entry.tsMs,
  detail: entry.detail,
  detail_salt: entry.detailSalt,
  detail_hash: entry.detailHash,
  chain_seq: link.seq,
  link_hash: hashText(link.hash),
});

/** Reads the entries that have rows. */
export const rowEntries = (filter: StoredFilter, snapshot: PluginSnapshot, tables: PluginTables): MatchingEntries => {
  const { tenantId, factId } = filter;
  const rows = (): Knex.QueryBuilder => tables.in(snapshot)(ENTRIES_TABLE).where('tenant_id', tenantId);
  const matching = (): Knex.QueryBuilder => narrowed(rows(), filter);
  return {
    async inOrder(afterSeq, limit) {
      const query = matching().where('seq', '>', afterSeq).orderBy('seq').limit(limit);
      // This subquery first finds the few rows of a fact; otherwise SQLite would scan all rows in order.
      if (factId !== undefined) query.whereIn('seq', rows().where('fact_id', factId).select('seq'));
      return entriesOf(await query);
    },
    async newestFirst(after, limit) {
      const query = matching().orderBy('ts_ms', 'desc').orderBy('id', 'desc').limit(limit);
      if (after !== undefined) {
        const { tsMs, id } = after;
        // Uses two conditions in place of a tuple comparison: the first one lets the index find the position.
        query.where('ts_ms', '<=', tsMs).whereNot((tie) => tie.where('ts_ms', tsMs).where('id', '>=', id));
      }
      return entriesOf(await query);
    },
    async count() {
      const [row] = (await matching().count({ n: '*' })) as { n: number | string }[];
      return Number(row?.n ?? 0);
    },
  };
};

const narrowed = (query: Knex.QueryBuilder, filter: StoredFilter): Knex.QueryBuilder => {
  const equal: Record<string, SqlValue> = {};
  if (filter.source !== undefined) equal['source'] = filter.source;
  if (filter.oidcSub !== undefined) equal['oidc_sub'] = filter.oidcSub;
  if (filter.event !== undefined) equal['event_type'] = filter.event;
  if (filter.factId !== undefined) equal['fact_id'] = filter.factId;
  query.where(equal);
  for (const entity of [filter.entityUri, filter.ownedBy]) {
    if (entity !== undefined) query.where('entity_uri', entity);
  }
  if (filter.attested === true) query.whereNotNull('attested_key_id');
  if (filter.attested === false) query.whereNull('attested_key_id');
  if (filter.sinceMs !== undefined) query.where('ts_ms', '>=', filter.sinceMs);
  if (filter.untilMs !== undefined) query.where('ts_ms', '<=', filter.untilMs);
  return query;
};

const entriesOf = (rows: unknown): RecordedEntry[] => (rows as Record<string, SqlValue>[]).map(entryFromRow);

export const entryFromRow = (row: Readonly<Record<string, SqlValue>>): RecordedEntry => {
  const detail = textOrNull(row['detail']);
  const detailIsGone = detail !== null && isSealedText(detail);
  return {
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
    detail: detailIsGone ? null : detail,
    detailSalt: detailIsGone ? null : textOrNull(row['detail_salt']),
    detailHash: textOrNull(row['detail_hash']),
    detailIsGone,
    link: row['link_hash'] == null ? null : linkFromRow(row),
  };
};

export const linkFromRow = (row: Readonly<Record<string, SqlValue>>): ChainLink => ({
  seq: Number(row['chain_seq']),
  hash: hashBytes(String(row['link_hash'])),
});
