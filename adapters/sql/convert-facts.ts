import type { Knex } from 'knex';
import {
  type FactValue,
  ServiceError,
  type Snapshot,
  type SqlValue,
  type StoredFact,
  type WriteTransaction,
} from '../../ports/ports.ts';
import { type FactForm, factColumns } from './fact-form.ts';
import { plainRecord } from './fact-row.ts';
import { FACTS_TABLE } from './fact-table.ts';

type Row = Record<string, SqlValue>;

/** The facts of one statement that only reads. */
const CHECKED_AT_ONCE = 500;

/** The last fact that was rewritten. */
export interface ConvertedUpTo {
  readonly tenantId: string;
  readonly number: number;
}

export interface FactConversion {
  /** The form of the rows that are there, and the one that they get. */
  readonly from: FactForm;
  readonly to: FactForm;
  /** Returns the value key of a value in a clear store. */
  clearKey(value: FactValue): string;
  /** Returns the commitment to a value with this salt. */
  commitment(salt: Uint8Array, value: FactValue): Uint8Array;
}

/**
 * Rewrites the next facts of a store in another form, in the order of tenant and number. Returns the last one;
 * undefined at the end. The store permits it while its settings name a conversion.
 */
export const convertFacts = async (
  transaction: WriteTransaction,
  after: ConvertedUpTo | undefined,
  limit: number,
  conversion: FactConversion,
): Promise<{ readonly last: ConvertedUpTo; readonly rows: number } | undefined> => {
  const { from } = conversion;
  const columns = factColumns(from);
  const query = transaction.table(FACTS_TABLE).select([...new Set([...columns, 'number', 'salt', 'commitment'])]);
  const rows = await factsAfter(query, after, limit);
  for (const row of rows) {
    const changed = convert(row, columns, conversion);
    if (changed === undefined) continue;
    await transaction.table(FACTS_TABLE).where({ tenant_id: row['tenant_id'], number: row['number'] }).update(changed);
  }
  const last = rows.at(-1);
  return last === undefined ? undefined : { last: placeOf(last), rows: rows.length };
};

const factsAfter = async (
  query: Knex.QueryBuilder,
  after: ConvertedUpTo | undefined,
  limit: number,
): Promise<Row[]> => {
  if (after !== undefined) {
    query.where((later) =>
      later
        .where('tenant_id', '>', after.tenantId)
        .orWhere((same) => same.where('tenant_id', after.tenantId).where('number', '>', after.number)),
    );
  }
  return query.orderBy(['tenant_id', 'number']).limit(limit);
};

const placeOf = (row: Row): ConvertedUpTo => ({ tenantId: String(row['tenant_id']), number: Number(row['number']) });

const convert = (
  row: Row,
  columns: readonly string[],
  { from, to, clearKey, commitment }: FactConversion,
): Record<string, SqlValue> | undefined => {
  const read = columns.map((column) => row[column] ?? null);
  if ((row['commitment'] ?? null) !== null) {
    // Of an erased fact only its references are left.
    const { tenantId, derivedFrom } = from.fact(read);
    if (derivedFrom.length === 0) return undefined;
    return { derived_from: JSON.stringify(to.storedCids(tenantId, derivedFrom)) };
  }
  const fact = from.fact(read);
  // A damaged fact stays damaged in either form. One such row must not end the conversion half way.
  if (fact.damage !== undefined) return undefined;
  const kept = keptCommitment(row, from);
  if (kept !== null)
    return {
      ...ERASED,
      commitment: kept,
      derived_from:
        row['derived_from'] === null ? null : JSON.stringify(to.storedCids(fact.tenantId, fact.derivedFrom)),
    };
  const valueKey = to.seal === undefined ? clearKey(fact.value) : to.seal.digestOf(fact, clearKey(fact.value));
  const salt = saltOf(row, fact, from);
  const record = { ...plainRecord(fact), salt, commitment: salt && commitment(salt, fact.value) };
  const made = to.toRow({ ...fact, valueKey }, record, Number(row['number']));
  const written = new Map(to.target.columns.map((column, at) => [column, made[at] ?? null]));
  return {
    value_v: null,
    sealed: null,
    ...Object.fromEntries(CONVERTED.flatMap((column) => (written.has(column) ? [[column, written.get(column)]] : []))),
  };
};

/** The form of an erased fact in any store. */
const ERASED = { value_v: null, sealed: null, value_key: '', cid: null, salt: null };

/** Returns the commitment of a fact whose key an erasure has destroyed, in a restored backup; null for other facts. */
const keptCommitment = (row: Row, { seal, entryMembers }: FactForm): Uint8Array | null => {
  const sealed = row['sealed'];
  if (seal === undefined || !(sealed instanceof Uint8Array)) return null;
  const place = ['tenant_id', 'entity_key', 'scope', 'id'].map((column) => row[column] ?? null);
  const [header, kept] = [sealed.subarray(0, seal.headerBytes), sealed.subarray(-seal.commitmentBytes)];
  return entryMembers.commitment.read([null, ...place, header, kept], 0);
};

/** The columns of a fact that its form decides. */
const CONVERTED = ['value_v', 'sealed', 'value_key', 'cid', 'derived_from', 'salt'];

const saltOf = (row: Row, fact: StoredFact, { seal }: FactForm): Uint8Array | null => {
  const [salt, sealed] = [row['salt'], row['sealed']];
  if (!(salt instanceof Uint8Array)) return null;
  if (seal === undefined || !(sealed instanceof Uint8Array)) return salt;
  return seal.openSalt(fact, fact.id, salt, sealed.subarray(0, seal.headerBytes));
};

/** Throws `conflict` for a damaged fact. In a clear store, a sealed value that does not open looks like none. */
export const requireWholeFacts = async (snapshot: Snapshot, form: FactForm): Promise<void> => {
  const columns = factColumns(form);
  for (let after: ConvertedUpTo | undefined, rows: Row[]; ; after = placeOf(rows.at(-1) as Row)) {
    rows = await factsAfter(
      snapshot.table(FACTS_TABLE).select([...new Set([...columns, 'number', 'commitment'])]),
      after,
      CHECKED_AT_ONCE,
    );
    for (const row of rows) {
      if ((row['commitment'] ?? null) !== null) continue;
      const { id, damage } = form.fact(columns.map((column) => row[column] ?? null));
      if (damage !== undefined) throw damaged(id);
    }
    if (rows.length < CHECKED_AT_ONCE) return;
  }
};

const damaged = (id: string): ServiceError =>
  new ServiceError('conflict', `the fact ${id} is damaged, so the store cannot be written in the clear`, {
    hint: 'run "fact-memory-node verify", and erase the fact or restore a backup; nothing was changed',
  });
