import type { ChainLink, ChainPlace } from '../../../kernel/internal-api.ts';
import type { PluginTables, PluginTransaction, ReadableTables, SqlValue } from '../../../kernel/plugin-api.ts';
import type { RecordedEntry } from '../audit-api.ts';
import { ENTRIES_TABLE, linkFromRow } from '../entry-rows.ts';
import { readStub } from './chain-stub.ts';
import { linksAfter } from './entry-link.ts';

type Builder = (table: string) => ReturnType<ReadableTables>;

/** Returns the newest chain place of a tenant at or below this number; undefined without one. */
export const placeAt = async (
  tables: Builder,
  tenantId: string,
  number: number = Number.MAX_SAFE_INTEGER,
): Promise<ChainPlace | undefined> => {
  const query = tables(ENTRIES_TABLE).where('tenant_id', tenantId).where('seq', '<=', number);
  const [row] = (await query.orderBy('seq', 'desc').limit(1).select('seq', 'chain_seq', 'link_hash')) as Record<
    string,
    SqlValue
  >[];
  if (row === undefined) return (await readStub(tables, tenantId))?.stub.place;
  return { number: Number(row['seq']), link: linkFromRow(row) };
};

/** The maximum number of tenants in the cache of newest links. */
const MOST_REMEMBERED = 1_000;

/** Links new entries to the chain, in the transaction that stores them. */
export class EntryChain {
  readonly #tables: PluginTables;
  /** The newest places that this process has committed. They are valid until the tenant's ledger grows. */
  readonly #committed = new Map<string, ChainPlace>();
  /** The newest place within each open transaction. */
  readonly #open = new WeakMap<PluginTransaction, ChainPlace>();

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  /** Returns the newest link of the tenant. Must be called before the new entries get their numbers. */
  async newest(tenantId: string, transaction: PluginTransaction): Promise<ChainLink | null> {
    const open = this.#open.get(transaction);
    if (open !== undefined) return open.link;
    // Needs no statement, because the transaction has read the ledger's head to number the entries.
    const head = await transaction.ledgerHead(tenantId);
    const known = this.#committed.get(tenantId);
    if (known?.number === head.number) return known.link;
    return (await placeAt(this.#tables.in(transaction), tenantId))?.link ?? null;
  }

  /** Computes the links of entries that the transaction is about to store. */
  extend(previous: ChainLink | null, entries: readonly RecordedEntry[], transaction: PluginTransaction): ChainLink[] {
    const links = linksAfter(previous, entries);
    const [entry, link] = [entries.at(-1), links.at(-1)];
    if (entry !== undefined && link !== undefined) this.#open.set(transaction, { number: entry.seq, link });
    return links;
  }

  /** Updates the cache after the commit of a transaction that stored only entries. */
  committed(tenantId: string, transaction: PluginTransaction): void {
    const place = this.#open.get(transaction);
    if (place === undefined) return;
    this.#committed.delete(tenantId);
    const [oldest] = this.#committed.keys();
    if (this.#committed.size >= MOST_REMEMBERED && oldest !== undefined) this.#committed.delete(oldest);
    this.#committed.set(tenantId, place);
  }
}
