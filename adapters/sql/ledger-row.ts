import type { FactLink, LedgerEntry, LedgerHead, Scope, SqlValue } from '../../ports/ports.ts';
import { sourceSql, writerSql } from './fact-field-columns.ts';

/** What of a fact's row is its entry in the ledger, in the order of `EntryRow`. */
export const ENTRY_COLUMNS: string = [
  'f.tenant_id',
  'f.number',
  'f.id',
  'f.scope',
  'f.garden_id',
  sourceSql('f'),
  'f.attested_key_id',
  'f.feed_wall',
  'f.feed_ctr',
  writerSql('f'),
  'f.writer_sub',
  'f.writer_key_id',
  'f.tags',
  'f.salt',
  'f.commitment',
  'f.link_seq',
  'f.link_hash',
].join(', ');

type EntryRow = [
  tenantId: string,
  number: number,
  factId: string,
  scope: Scope,
  gardenId: string | null,
  source: string,
  attestedKeyId: string | null,
  feedWall: number,
  feedCtr: number,
  writer: string | null,
  writerSub: string | null,
  writerKeyId: string | null,
  tags: string | null,
  salt: Uint8Array | null,
  commitment: Uint8Array | null,
  linkSeq: number | null,
  linkHash: Uint8Array | null,
];

export const entryFromRow = (row: readonly SqlValue[]): LedgerEntry => {
  const columns = row as EntryRow;
  return {
    tenantId: columns[0],
    number: columns[1],
    factId: columns[2],
    scope: columns[3],
    gardenId: columns[4],
    source: columns[5],
    attestedKeyId: columns[6],
    feed: { wallMs: columns[7], counter: columns[8] },
    writer: columns[9] ?? '',
    writerSub: columns[10],
    writerKeyId: columns[11],
    tags: readTags(columns[12]),
    salt: columns[13],
    commitment: columns[14],
    link: linkOf(columns[15], columns[16]),
  };
};

const NO_TAGS: readonly string[] = Object.freeze([]);

/** Between commas, so that a tag is found with one comma on either side. */
export const writtenTags = (tags: readonly string[]): string | null =>
  tags.length === 0 ? null : `,${tags.length === 1 ? tags[0] : [...new Set(tags)].sort().join()},`;

const readTags = (text: string | null): readonly string[] => (text === null ? NO_TAGS : text.slice(1, -1).split(','));

/** The row of `ledgers`, in the order of `HeadRow`. */
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
