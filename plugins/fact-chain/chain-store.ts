import {
  above,
  all,
  equals,
  type PluginSnapshot,
  type PluginTables,
  type PluginTransaction,
  type ReadableTables,
  type SqlValue,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import { CHAIN_START, type ChainHead, type ChainLink, linkFromRow, linkRow, nextLink } from './chain-link.ts';
import { LINKS_TABLE } from './fact-chain-migrations.ts';

/** Most facts that one transaction chains besides its own: those that were stored while the plugin was off. */
export const BACKLOG_PER_WRITE = 1_000;

/** Extends the chains, one link for each fact, in the transaction that stores it. */
export class ChainStore {
  readonly #tables: PluginTables;
  /**
   * The end of each chain when this process last saw it. Another process may have gone on since, so it only tells where
   * to look. A tenant is in the map once its chain holds every fact; from then on each transaction that stores facts
   * adds their links.
   */
  readonly #ends = new Map<string, number>();

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  /**
   * Adds the facts of one tenant that the transaction has just stored, in stamp order, after all earlier facts that
   * have no link yet.
   */
  async extend(facts: readonly StoredFact[], transaction: PluginTransaction, nowMs: number): Promise<void> {
    const [first] = facts;
    if (first === undefined) return;
    const own = this.#tables.in(transaction);
    const { tenantId } = first;
    const known = this.#ends.get(tenantId);
    if (known === undefined) {
      await this.catchUp(tenantId, transaction, nowMs);
      return;
    }
    // The chain ends elsewhere after a write of another process, or a rollback of our own.
    const end = (await endAt(own, tenantId, known)) ?? (await endOf(own, tenantId));
    const seq = await this.#append(facts, end, transaction, nowMs);
    this.#ends.set(tenantId, seq);
  }

  /** Chains stored facts without a link, oldest first. Returns true when none is left. */
  async catchUp(tenantId: string, transaction: PluginTransaction, nowMs: number): Promise<boolean> {
    const end = await endOf(this.#tables.in(transaction), tenantId);
    const ofTenant = equals('tenantId', tenantId);
    const filter = end === undefined ? ofTenant : all(ofTenant, above('feed', end.feed));
    const missing = await transaction.find({ filter, order: 'feed', limit: BACKLOG_PER_WRITE });
    const seq = await this.#append(missing, end, transaction, nowMs);
    const isComplete = missing.length < BACKLOG_PER_WRITE;
    if (isComplete) this.#ends.set(tenantId, seq);
    return isComplete;
  }

  /** Returns links after a place in the chain, in order. */
  async after(snapshot: PluginSnapshot, tenantId: string, seq: number, limit: number): Promise<ChainLink[]> {
    const rows = await this.#tables
      .in(snapshot)(LINKS_TABLE)
      .where('tenant_id', tenantId)
      .where('chain_seq', '>', seq)
      .orderBy('chain_seq')
      .limit(limit);
    return (rows as Record<string, SqlValue>[]).map(linkFromRow);
  }

  /** Returns links of facts, by fact. */
  async ofFacts(snapshot: PluginSnapshot, facts: readonly StoredFact[]): Promise<ReadonlyMap<string, ChainLink>> {
    const rows = await this.#tables.in(snapshot).select(LINKS_TABLE, {
      feed_wall: [...new Set(facts.map(({ feed }) => feed.wallMs))],
    });
    return new Map(rows.map(linkFromRow).map((link) => [link.factId, link]));
  }

  async #append(
    facts: readonly StoredFact[],
    end: ChainLink | undefined,
    transaction: PluginTransaction,
    nowMs: number,
  ): Promise<number> {
    let head: ChainHead = end ?? CHAIN_START;
    const links = facts.map((fact) => {
      const link = nextLink(fact, head, nowMs);
      head = link;
      return link;
    });
    if (links.length > 0) await this.#tables.in(transaction).insertRows(LINKS_TABLE, links.map(linkRow));
    return head.seq;
  }
}

/** Returns the end of the chain if it is at this place. Unlike the search for it, this is a prepared statement. */
const endAt = async (own: ReadableTables, tenantId: string, seq: number): Promise<ChainLink | undefined> => {
  const rows = await own.select(LINKS_TABLE, { tenant_id: tenantId, chain_seq: [seq, seq + 1] });
  const links = rows.map(linkFromRow);
  const [only] = links;
  return links.length === 1 && only?.seq === seq ? only : undefined;
};

const endOf = async (own: ReadableTables, tenantId: string): Promise<ChainLink | undefined> => {
  const rows = await own(LINKS_TABLE).where('tenant_id', tenantId).orderBy('chain_seq', 'desc').limit(1);
  const [row] = rows as Record<string, SqlValue>[];
  return row === undefined ? undefined : linkFromRow(row);
};
