import type { FactLink, LedgerHead } from '../../kernel/internal-api.ts';
import {
  all,
  equals,
  isIn,
  type LedgerEntry,
  type PluginSnapshot,
  type PluginTransaction,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import { commitmentOf, linkAfter } from './chain-link.ts';

/**
 * The maximum number of older facts that one transaction links besides its own. They were stored while the plugin was
 * off.
 */
export const BACKLOG_PER_WRITE = 1_000;

/** Returns true if every fact of the tenant has a link. */
export const isLinked = ({ newest, linked }: LedgerHead): boolean => newest?.number === linked?.number;

/** Links new facts of a transaction, after the newest link of their tenant. */
export const linkNew = (
  facts: readonly { readonly fact: StoredFact; readonly commitment: Uint8Array }[],
  newest: FactLink | null,
): FactLink[] => {
  let link = newest;
  return facts.map(({ fact, commitment }) => {
    link = linkAfter(link, fact, commitment);
    return link;
  });
};

/** Links stored facts that have no link, oldest first. Returns the newest link once every fact has one. */
export const linkBacklog = async (
  tenantId: string,
  { newest, linked }: LedgerHead,
  transaction: PluginTransaction,
): Promise<FactLink | null> => {
  const entries = await transaction.ledger({
    tenantId,
    above: linked?.number,
    order: 'oldest',
    limit: BACKLOG_PER_WRITE,
  });
  const facts = await factsOf(tenantId, entries, transaction);
  let link = linked?.link ?? null;
  const links = entries.map((entry) => {
    const fact = facts.get(entry.factId);
    if (fact === undefined) throw new Error('the ledger has an entry without a fact');
    link = linkAfter(link, fact, commitmentOf(fact, entry));
    return { number: entry.number, link };
  });
  if (links.length > 0) await transaction.addLinks(links);
  return entries.at(-1)?.number === newest?.number ? link : null;
};

/** Returns the facts of entries, by their ids. */
export const factsOf = async (
  tenantId: string,
  entries: readonly LedgerEntry[],
  snapshot: Pick<PluginSnapshot, 'find'>,
): Promise<ReadonlyMap<string, StoredFact>> => {
  if (entries.length === 0) return new Map();
  const ids = entries.map(({ factId }) => factId);
  const filter = all(equals('tenantId', tenantId), isIn('id', ids));
  const found = await snapshot.find({ filter, order: 'feed', limit: ids.length });
  return new Map(found.map((fact) => [fact.id, fact]));
};
