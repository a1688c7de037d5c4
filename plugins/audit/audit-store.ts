import type {
  Clock,
  PluginSnapshot,
  PluginTables,
  PluginTransaction,
  Random,
  ServiceNames,
} from '../../kernel/plugin-api.ts';
import { type AuditEntry, FACT_WRITE } from './audit-api.ts';
import { ENTRIES_TABLE, rowEntries, rowOfEntry } from './entry-rows.ts';
import { factEntries } from './fact-entries.ts';
import { type MatchingEntries, mergeEntries, type StoredFilter } from './matching-entries.ts';

export interface AuditStoreParts {
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly random: Random;
  readonly names: ServiceNames;
}

/** The entries in the store: those that facts are, and those with rows. */
export class AuditStore {
  readonly #parts: AuditStoreParts;

  constructor(parts: AuditStoreParts) {
    this.#parts = parts;
  }

  /** The entries are of the transaction's tenant, whose ledger numbers them. */
  async add(entries: readonly AuditEntry[], transaction: PluginTransaction): Promise<void> {
    const { tables, clock, random } = this.#parts;
    const tsMs = clock.nowMs();
    const first = await transaction.takeNumbers(entries.length);
    const rows = entries.map((entry, at) => rowOfEntry(entry, { seq: first + at, id: random.uuid(), tsMs }));
    await tables.in(transaction).insertRows(ENTRIES_TABLE, rows);
  }

  async matching(filter: StoredFilter, snapshot: PluginSnapshot): Promise<MatchingEntries> {
    const { tables, names } = this.#parts;
    const parts: MatchingEntries[] = [];
    const { event } = filter;
    if (event === undefined || event === FACT_WRITE.id) parts.push(await factEntries(filter, snapshot, names));
    if (event !== FACT_WRITE.id) parts.push(rowEntries(filter, snapshot, tables));
    return mergeEntries(parts);
  }
}
