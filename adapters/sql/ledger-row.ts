import type { FactLink, LedgerEntry, LedgerHead, SqlValue } from '../../ports/ports.ts';
import { sourceSql, writerSql } from './fact-field-columns.ts';

/** A member of a ledger entry: its columns in the row of the fact, and a function that reads it. */
export interface EntryMember<T> {
  readonly columns: readonly string[];
  read(row: readonly SqlValue[], at: number): T;
}

const column = <T>(sql: string): EntryMember<T> => ({ columns: [sql], read: (row, at) => row[at] as T });

export type EntryMembers = { readonly [M in keyof LedgerEntry]: EntryMember<LedgerEntry[M]> };

/** The members in a clear store. */
export const CLEAR_MEMBERS: EntryMembers = {
  tenantId: column('f.tenant_id'),
  number: column('f.number'),
  factId: column('f.id'),
  scope: column('f.scope'),
  gardenId: column('f.garden_id'),
  source: column(sourceSql('f')),
  attestedKeyId: column('f.attested_key_id'),
  feed: {
    columns: ['f.feed_wall', 'f.feed_ctr'],
    read: (row, at) => ({ wallMs: row[at] as number, counter: row[at + 1] as number }),
  },
  writer: { columns: [writerSql('f')], read: (row, at) => (row[at] ?? '') as string },
  writerSub: column('f.writer_sub'),
  writerKeyId: column('f.writer_key_id'),
  tags: { columns: ['f.tags'], read: (row, at) => readTags(row[at] as string | null) },
  salt: column('f.salt'),
  commitment: column('f.commitment'),
  link: {
    columns: ['f.link_seq', 'f.link_hash'],
    read: (row, at) => linkOf(row[at] as number | null, row[at + 1] as Uint8Array | null),
  },
};

export const ENTRY_MEMBERS = Object.keys(CLEAR_MEMBERS) as readonly (keyof LedgerEntry)[];

/** Returns the columns of these members, in order. */
export const entryColumns = (members: readonly (keyof LedgerEntry)[], of: EntryMembers): string =>
  members.flatMap((member) => of[member].columns).join(', ');

/** Parses entries with these members from rows. */
export const entriesFromRows = <M extends keyof LedgerEntry>(
  members: readonly M[],
  rows: readonly (readonly SqlValue[])[],
  given: EntryMembers,
): Pick<LedgerEntry, M>[] => {
  let next = 0;
  const places = members.map((member) => {
    const at = next;
    next += given[member].columns.length;
    return { member, at, of: given[member] };
  });
  return rows.map((row) => {
    const entry: Partial<Pick<LedgerEntry, M>> = {};
    for (const { member, at, of } of places) entry[member] = of.read(row, at);
    return entry as Pick<LedgerEntry, M>;
  });
};

const NO_TAGS: readonly string[] = Object.freeze([]);

/** Joins tags with commas, also at both ends, so that a search can find a whole tag. */
export const writtenTags = (tags: readonly string[]): string | null =>
  tags.length === 0 ? null : `,${tags.length === 1 ? tags[0] : [...new Set(tags)].sort().join()},`;

const readTags = (text: string | null): readonly string[] => (text === null ? NO_TAGS : text.slice(1, -1).split(','));

/** The columns of the table `ledgers`, in the order of `HeadRow`. */
export const HEAD_COLUMNS = [
  'number',
  'fact_number',
  'feed_wall',
  'feed_ctr',
  'linked_number',
  'link_seq',
  'link_hash',
] as const;

type HeadRow = [
  number: number | null,
  factNumber: number | null,
  feedWall: number | null,
  feedCtr: number | null,
  linkedNumber: number | null,
  linkSeq: number | null,
  linkHash: Uint8Array | null,
];

export const headFromRow = (row: readonly SqlValue[]): LedgerHead => {
  const [number, factNumber, feedWall, feedCtr, linkedNumber, linkSeq, linkHash] = row as HeadRow;
  const link = linkOf(linkSeq, linkHash);
  return {
    number: number ?? 0,
    newest: factNumber === null ? null : { number: factNumber, feed: { wallMs: feedWall ?? 0, counter: feedCtr ?? 0 } },
    linked: linkedNumber === null || link === null ? null : { number: linkedNumber, link },
  };
};

export const headToRow = ({ number, newest, linked }: LedgerHead): SqlValue[] => [
  number,
  newest?.number ?? null,
  newest?.feed.wallMs ?? null,
  newest?.feed.counter ?? null,
  linked?.number ?? null,
  linked?.link.seq ?? null,
  linked?.link.hash ?? null,
];

/** The head of a ledger without entries. */
export const EMPTY_LEDGER: LedgerHead = Object.freeze({ number: 0, newest: null, linked: null });

const linkOf = (seq: number | null, hash: Uint8Array | null): FactLink | null =>
  seq === null || hash === null ? null : { seq, hash };
