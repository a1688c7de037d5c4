import type {
  Clock,
  PluginSnapshot,
  PluginTables,
  PluginTransaction,
  Random,
  ReadableTables,
  ServiceNames,
} from '../../kernel/plugin-api.ts';
import type { AuditEntry, RecordedEntry } from './audit-api.ts';
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
  /** By list of entries: number and id of its first entry in the last attempt to store it. */
  readonly #attempts = new WeakMap<readonly AuditEntry[], Pick<RecordedEntry, 'seq' | 'id'>>();

  constructor(parts: AuditStoreParts) {
    this.#parts = parts;
    this.#chain = new EntryChain(parts.tables);
  }

  /**
   * Adds entries of one tenant in a transaction of their own. A repeated call with the same list adds nothing if the
   * former one has committed.
   */
  async addApart(entries: readonly AuditEntry[], tenantId: string): Promise<void> {
    const { tables } = this.#parts;
    const transaction = await tables.write(tenantId, async (own, apart) => {
      if (await this.#isStored(entries, tenantId, own)) return undefined;
      const [first] = await this.add(entries, tenantId, apart);
      if (first !== undefined) this.#attempts.set(entries, first);
      return apart;
    });
    if (transaction !== undefined) this.#chain.committed(tenantId, transaction);
  }

  /** Must be called in a write of the tenant, which waits until the attempt has committed or failed. */
  async #isStored(entries: readonly AuditEntry[], tenantId: string, own: ReadableTables): Promise<boolean> {
    const attempt = this.#attempts.get(entries);
    if (attempt === undefined) return false;
    return (await own.select(ENTRIES_TABLE, { tenant_id: tenantId, seq: attempt.seq, id: attempt.id })).length > 0;
  }

  /**
   * Adds entries in a transaction, and returns them as stored. They belong to its tenant, whose ledger numbers them.
   */
  async add(
    entries: readonly AuditEntry[],
    tenantId: string,
    transaction: PluginTransaction,
  ): Promise<readonly RecordedEntry[]> {
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
    return recorded;
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
