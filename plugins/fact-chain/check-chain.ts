import type { ChainPlace } from '../../kernel/internal-api.ts';
import { type PluginTables, ServiceError } from '../../kernel/plugin-api.ts';
import type { LedgerPage, StoreCheck } from '../backup/backup-api.ts';
import { verifyEntries, verifyLinks } from './verify-links.ts';

/** Number of links that are verified in one snapshot. */
const STRETCH = 500;

/** Verifies the whole chain of every tenant, including the prefix that was verified before. */
export const createChainCheck = (tables: PluginTables): StoreCheck => ({
  name: 'chain',
  summary: 'every link of the chain of facts, and the facts that it was made of',
  begin({ find }) {
    let walk: Walk = { place: undefined, state: 'linked' };
    /** Reports only the first broken link, because every later link of the chain would be broken too. */
    const attempt = async (tenantId: string, work: () => Promise<void> | void): Promise<void> => {
      try {
        await work();
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status >= 500) throw error;
        find({ tenantId, message: error.message, hint: error.hint ?? 'compare the store with a backup' });
        walk = { ...walk, state: 'broken' };
      }
    };
    return {
      page: (page) =>
        attempt(page.tenantId, () => {
          if (walk.state === 'linked') walk = follow(walk, page);
        }),
      async end(tenantId) {
        await attempt(tenantId, () => (walk.state === 'broken' ? undefined : toHead(tables, tenantId, walk.place)));
        walk = { place: undefined, state: 'linked' };
      },
    };
  },
});

interface Walk {
  /** The last verified place. */
  readonly place: ChainPlace | undefined;
  readonly state: 'linked' | 'unlinked' | 'broken';
}

/** Verifies the links of a page up to the first entry without a link, which is new or has lost its link. */
const follow = ({ place }: Walk, { entries, facts }: LedgerPage): Walk => {
  const unlinked = entries.findIndex(({ link }) => link === null);
  const linked = unlinked === -1 ? entries : entries.slice(0, unlinked);
  return {
    place: verifyEntries(linked, new Map(facts.map((fact) => [fact.id, fact])), place),
    state: unlinked === -1 ? 'linked' : 'unlinked',
  };
};

/** Verifies from a place to the end of the chain, which may have grown during the walk. */
const toHead = async (tables: PluginTables, tenantId: string, from: ChainPlace | undefined): Promise<void> => {
  for (let [place, isDone] = [from, false]; !isDone; ) {
    place = await tables.read(async (_own, snapshot) => {
      const head = await snapshot.ledgerHead(tenantId);
      const reached = await verifyLinks({ tenantId, from: place, head, limit: STRETCH }, snapshot);
      isDone = reached === undefined || reached.number >= (head.linked?.number ?? 0);
      return reached;
    });
  }
};
