import type {
  Clock,
  PluginSnapshot,
  PluginTables,
  PluginTransaction,
  Random,
  ServiceNames,
} from '../../kernel/plugin-api.ts';
import type { AuditEntry } from './audit-api.ts';
import { FACT_WRITE } from './audit-words.ts';
import { readStub } from './chain/chain-stub.ts';
import { EntryChain } from './chain/entry-chain.ts';
import { ENTRIES_TABLE, recordedEntry, rowEntries, rowOfEntry } from './entry-rows.ts';
import { factEntries } from './fact-entries.ts';
import { type MatchingEntries, mergeEntries, type StoredFilter } from './matching-entries.ts';

export interface AuditStoreParts {
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly random: Random;
  readonly names: ServiceNames;
}

/** Reads and writes entries: those derived from stored facts, and those with rows of their own. */
export class AuditStore {
  readonly #parts: AuditStoreParts;
  readonly #chain: EntryChain;

  constructor(parts: AuditStoreParts) {
    this.#parts = parts;
    this.#chain = new EntryChain(parts.tables);
  }

  /** Adds entries of one tenant in a transaction of their own. */
  async addApart(entries: readonly AuditEntry[], tenantId: string): Promise<void> {
    const { tables } = this.#parts;
    const transaction = await tables.write(tenantId, async (_own, apart) => {
      await this.add(entries, tenantId, apart);
      return apart;
    });
    this.#chain.committed(tenantId, transaction);
  }

  /** Adds entries in a transaction. They belong to its tenant, whose ledger numbers them. */
  async add(entries: readonly AuditEntry[], tenantId: string, transaction: PluginTransaction): Promise<void> {
    const { tables, clock, random } = this.#parts;
    const tsMs = clock.nowMs();
    const previous = await this.#chain.newest(tenantId, transaction);
    const first = await transaction.takeNumbers(entries.length);
    const recorded = entries.map((entry, at) => {
      const salt = random.uuid().replaceAll('-', '');
      return recordedEntry(entry, { seq: first + at, id: random.uuid(), tsMs, salt });
    });
    const links = this.#chain.extend(previous, recorded, transaction);
    const rows = links.map((link, at) => rowOfEntry(recorded[at] as (typeof recorded)[number], link));
    await tables.in(transaction).insertRows(ENTRIES_TABLE, rows);
  }

  async matching(filter: StoredFilter, snapshot: PluginSnapshot): Promise<MatchingEntries> {
    const { tables, names } = this.#parts;
    const parts: MatchingEntries[] = [];
    const { event, sinceMs } = filter;
    if (event === undefined || event === FACT_WRITE.id) {
      // Hides fact entries older than the deleted rows, because fact entries have no rows to delete.
      const floorMs = (await readStub(tables.in(snapshot), filter.tenantId))?.stub.floorMs;
      const from = floorMs === undefined ? sinceMs : Math.max(sinceMs ?? floorMs, floorMs);
      parts.push(await factEntries({ ...filter, sinceMs: from }, snapshot, names));
    }
    if (event !== FACT_WRITE.id) parts.push(rowEntries(filter, snapshot, tables));
    return mergeEntries(parts);
  }
}
