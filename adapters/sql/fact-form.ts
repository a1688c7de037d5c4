import type {
  ContentSeal,
  FactOutline,
  Filter,
  SizedOutline,
  SqlValue,
  StoredFact,
  WriteRecord,
} from '../../ports/ports.ts';
import {
  FACT_COLUMNS,
  factFromRow,
  factToRow,
  factWithoutValue,
  NEW_FACT_COLUMNS,
  outlineFromRow,
  sizedOutlineFromRow,
} from './fact-row.ts';
import { FACTS_TABLE } from './fact-table.ts';
import { CLEAR_MEMBERS, type EntryMembers } from './ledger-row.ts';
import type { InsertTarget } from './sql-engine.ts';

/** How the rows of a store hold what facts say: in clear, or sealed. */
export interface FactForm {
  /** Undefined in a clear store. */
  readonly seal: ContentSeal | undefined;
  /** The column of values. */
  readonly valueColumn: 'value_v' | 'sealed';
  /** The SQL of the bytes of a value (UTF-8). Both engines return it without reading the value. */
  readonly valueBytes: string;
  /** The target of new rows. */
  readonly target: InsertTarget;
  readonly entryMembers: EntryMembers;
  /** Returns a new row. `above` is the last generation of keys that may not seal it. */
  toRow(fact: StoredFact, record: WriteRecord, number: number, above?: number): SqlValue[];
  /** Each parses any row. A damaged one gives a fact that says so: see `StoredFact.damage`. */
  fact(row: readonly SqlValue[]): StoredFact;
  /** Parses a row whose value was left out, as a fact with an empty text. */
  factUnread(row: readonly SqlValue[]): StoredFact;
  outline(row: readonly SqlValue[]): FactOutline;
  sizedOutline(row: readonly SqlValue[]): SizedOutline;
  /** Returns content ids as the store holds them, and back. */
  storedCids(tenantId: string, cids: readonly string[]): readonly string[];
  shownCids(tenantId: string, stored: readonly string[]): readonly string[];
  /** Returns a filter over stored values. It compiles to the same SQL. */
  storedFilter(filter: Filter, tenantId?: string): Filter;
}

/** Returns the columns of a fact, in the order that `FactForm.fact` expects. */
export const factColumns = ({ valueColumn }: Pick<FactForm, 'valueColumn'>): readonly string[] =>
  FACT_COLUMNS.map((column) => (column === 'value_v' ? valueColumn : column));

export const targetOf = (valueColumn: FactForm['valueColumn']): InsertTarget => ({
  table: FACTS_TABLE,
  columns: NEW_FACT_COLUMNS.map((column) => (column === 'value_v' ? valueColumn : column)),
});

export const CLEAR_FORM: FactForm = {
  seal: undefined,
  valueColumn: 'value_v',
  valueBytes: 'octet_length(f.value_v)',
  target: targetOf('value_v'),
  entryMembers: CLEAR_MEMBERS,
  toRow: factToRow,
  fact: factFromRow,
  factUnread: factWithoutValue,
  outline: outlineFromRow,
  sizedOutline: sizedOutlineFromRow,
  storedCids: (_, cids) => cids,
  shownCids: (_, stored) => stored,
  storedFilter: (filter) => filter,
};
