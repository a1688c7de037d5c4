import { randomBytes } from 'node:crypto';
import type { FactLink, LedgerHead, MigrationSchema, SqlValue, StoredFact } from '../../../ports/ports.ts';
import { FACT_COLUMNS, factFromRow, factToRow, NEW_FACT_COLUMNS } from '../fact-row.ts';
import { EMPTY_LEDGER } from '../ledger-row.ts';
import { NEXT_FACTS } from './begin-copy.ts';
import { type CopyPlace, savePlace } from './copy-place.ts';
import { readLedgers, saveLedgers } from './next-ledgers.ts';
import { bytesOf, isSoundLink, linkAfter } from './old-chain.ts';
import { type OldLinks, type OldWrites, readOldWrites } from './old-writes.ts';
import { endOfStep, inStep, type StampRange, type StepLimits } from './step-range.ts';

const SALT_BYTES = 16;

/** Copies the next facts in the order of the feed. Returns how many are copied now. */
export const copySome = async (schema: MigrationSchema, place: CopyPlace, most: StepLimits): Promise<number> => {
  const { data } = schema;
  const range = await endOfStep(data, place.stamp, most);
  if (range === undefined) throw new Error('facts are missing: there were more when their copy began');
  const facts = await readFacts(data, range);
  const writes = await readOldWrites(schema, facts, range);
  const ledgers = await readLedgers(data, new Set(facts.map(({ tenantId }) => tenantId)));
  const salts = randomBytes(facts.length * SALT_BYTES);
  const rows = facts.map((fact, at) => {
    const salt = salts.subarray(at * SALT_BYTES, (at + 1) * SALT_BYTES);
    const { row, ledger } = enter(fact, salt, ledgers.get(fact.tenantId) ?? EMPTY_LEDGER, writes);
    ledgers.set(fact.tenantId, ledger);
    return byColumn(row);
  });
  await data.insertRows(NEXT_FACTS, rows);
  await saveLedgers(data, ledgers);
  const copied = place.copied + facts.length;
  await savePlace(schema, { ...place, stamp: range.to, copied });
  return copied;
};

const byColumn = (values: readonly SqlValue[]): Record<string, SqlValue> => {
  const row: Record<string, SqlValue> = {};
  for (const [at, column] of NEW_FACT_COLUMNS.entries()) row[column] = values[at] ?? null;
  return row;
};

const readFacts = async (data: MigrationSchema['data'], range: StampRange): Promise<StoredFact[]> => {
  const rows = await inStep(data.table('facts').select(FACT_COLUMNS), range).orderBy(['feed_wall', 'feed_ctr']);
  return (rows as Record<string, SqlValue>[]).map((row) =>
    factFromRow(FACT_COLUMNS.map((column) => row[column] ?? null)),
  );
};

/** The new row of a fact, and the end of its tenant's ledger behind it. */
const enter = (fact: StoredFact, salt: Uint8Array, ledger: LedgerHead, writes: OldWrites) => {
  const write = writes.audited.get(fact.id);
  // A number never becomes lower: clients keep it as the place up to which they have read.
  const number = Math.max(ledger.number + 1, write?.seq ?? 0);
  const link = writes.links === undefined ? null : newLink(fact, salt, ledger.linked?.link ?? null, writes.links);
  const record = {
    writer: write?.writer ?? fact.assertedBy ?? fact.receivedFrom ?? '',
    writerSub: write?.writerSub ?? null,
    writerKeyId: null,
    tags: writes.billed.has(fact.id) ? ['billing'] : [],
    salt,
    link,
  };
  const { entries, lastSeq } = write?.room ?? { entries: 0, lastSeq: 0 };
  return {
    row: factToRow(fact, record, number),
    ledger: {
      number: Math.max(number + entries, lastSeq),
      newest: { number, feed: fact.feed },
      linked: link === null ? ledger.linked : { number, link },
    },
  };
};

/** A link that did not hold keeps its old hash, so that the chain stays broken there. */
const newLink = (fact: StoredFact, salt: Uint8Array, previous: FactLink | null, links: OldLinks): FactLink => {
  const fresh = linkAfter(previous, fact, salt);
  const old = links.of.get(fact.id);
  if (old === undefined || isSoundLink(old, fact, fresh.seq, links.before(old, fact.tenantId))) return fresh;
  return { seq: fresh.seq, hash: bytesOf(old.hash) };
};
