import type { MigrationSchema, SqlValue, StoredFact } from '../../../ports/ports.ts';
import { ROOM_TABLE } from './begin-copy.ts';
import type { OldLink } from './old-chain.ts';
import { OLD_AUDIT, OLD_BILLING, OLD_LINKS, oldTables } from './old-tables.ts';
import { inStep, type StampRange } from './step-range.ts';

type Row = Readonly<Record<string, SqlValue>>;

/** What the audit log knew of a fact. */
export interface OldWrite {
  readonly seq: number;
  readonly writer: string;
  readonly writerSub: string | null;
  /** Entries behind it, up to the entry of the next fact, and the number of the last of them. */
  readonly room: { readonly entries: number; readonly lastSeq: number } | undefined;
}

/** What an older store kept of some facts in tables of plugins, by fact. */
export interface OldWrites {
  readonly audited: ReadonlyMap<string, OldWrite>;
  readonly billed: ReadonlySet<string>;
  /** Undefined for a store without a chain. */
  readonly links: OldLinks | undefined;
}

export interface OldLinks {
  readonly of: ReadonlyMap<string, OldLink>;
  /** The link before one of them. */
  readonly before: (link: OldLink, tenantId: string) => OldLink | undefined;
}

export const readOldWrites = async (
  schema: MigrationSchema,
  facts: readonly StoredFact[],
  range: StampRange,
): Promise<OldWrites> => {
  const { data } = schema;
  const tables = await oldTables(schema);
  return {
    audited: tables.includes(OLD_AUDIT) ? await readAudit(data, range) : new Map(),
    billed: tables.includes(OLD_BILLING) ? await readBilling(data, facts) : new Set(),
    links: tables.includes(OLD_LINKS) ? await readLinks(data, range) : undefined,
  };
};

type Data = MigrationSchema['data'];

const readAudit = async (data: Data, range: StampRange): Promise<Map<string, OldWrite>> => {
  const columns = ['fact_id', 'tenant_id', 'seq', 'entity_uri', 'oidc_sub'];
  const rows: Row[] = await inStep(data.table(OLD_AUDIT).select(columns), range).where('event_type', 'fact_write');
  const room = await readRoom(data, rows);
  return new Map(
    rows.map((row) => [
      String(row['fact_id']),
      {
        seq: Number(row['seq']),
        writer: String(row['entity_uri']),
        writerSub: row['oidc_sub'] === null ? null : String(row['oidc_sub']),
        room: room.get(keyOf(row['tenant_id'], row['seq'])),
      },
    ]),
  );
};

const readRoom = async (data: Data, entries: readonly Row[]) => {
  const seqs = entries.map((row) => Number(row['seq']));
  if (seqs.length === 0) return new Map<string, never>();
  const rows: Row[] = await data
    .table(ROOM_TABLE)
    .whereIn('tenant_id', [...new Set(entries.map((row) => row['tenant_id'] as string))])
    .whereBetween('after_seq', [seqs.reduce((a, b) => Math.min(a, b)), seqs.reduce((a, b) => Math.max(a, b))]);
  return new Map(
    rows.map((row) => [
      keyOf(row['tenant_id'], row['after_seq']),
      { entries: Number(row['entries']), lastSeq: Number(row['last_seq']) },
    ]),
  );
};

const readBilling = async (data: Data, facts: readonly StoredFact[]): Promise<Set<string>> => {
  const rows = await data.select(OLD_BILLING, { fact_id: facts.map(({ id }) => id) });
  return new Set(rows.map((row) => String(row['fact_id'])));
};

const readLinks = async (data: Data, range: StampRange): Promise<OldLinks> => {
  const rows: Row[] = await inStep(data.table(OLD_LINKS), range).orderBy(['tenant_id', 'chain_seq']);
  const byPlace = new Map<string, OldLink>();
  for (const [at, row] of rows.entries()) {
    const seq = Number(row['chain_seq']);
    const before = rows[at - 1];
    if (before?.['tenant_id'] !== row['tenant_id']) {
      for (const earlier of await data.select(OLD_LINKS, { tenant_id: row['tenant_id'] ?? '', chain_seq: seq - 1 })) {
        byPlace.set(keyOf(row['tenant_id'], seq - 1), linkFromRow(earlier));
      }
    }
    byPlace.set(keyOf(row['tenant_id'], seq), linkFromRow(row));
  }
  return {
    of: new Map(rows.map((row) => [String(row['fact_id']), linkFromRow(row)])),
    before: ({ seq }, tenantId) => byPlace.get(keyOf(tenantId, seq - 1)),
  };
};

const linkFromRow = (row: Row): OldLink => ({
  seq: Number(row['chain_seq']),
  createdMs: Number(row['created_ms']),
  eventHash: String(row['event_hash']),
  hash: String(row['link_hash']),
});

const keyOf = (tenantId: SqlValue | undefined, seq: SqlValue | undefined): string => `${seq} ${tenantId}`;
