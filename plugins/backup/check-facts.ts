import { isIntact, tripleId } from '../../kernel/internal-api.ts';
import {
  compareHlc,
  type Hlc,
  isIn,
  type LedgerEntry,
  type PluginSnapshot,
  type PluginTables,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import type { CheckReport, StoreCheck } from './backup-api.ts';

type Cover = Awaited<ReturnType<PluginSnapshot['covers']>>[number];

/** Entries per page. All facts of a page are in memory at the same time. */
const PAGE = 250;

const MEMBERS = ['number', 'factId', 'feed', 'commitment'] as const;
type Entry = Pick<LedgerEntry, (typeof MEMBERS)[number]>;

const FROM_BACKUP = 'somebody changed the store past the node, or the disk is damaged: restore a backup';

/**
 * Checks the rules of all facts. Each fact matches its content id, and the ledger has the order of the feed and a
 * correct head. Each retraction ends the facts that it covers.
 */
export const createFactCheck = (tables: PluginTables): StoreCheck => ({
  name: 'facts',
  summary: 'content ids, the order of the ledgers and their heads, and covers of retractions',
  async run(report) {
    for (const { tenantId, number: end } of report.tenants) {
      let last: Entry | undefined;
      for (let above = 0; above < end; ) {
        const from = above;
        const previous = last;
        const page = await tables.read((_own, snapshot) =>
          checkPage(snapshot, { tenantId, above: from, previous }, report),
        );
        last = page ?? last;
        report.advance((page?.number ?? end) - above);
        above = page?.number ?? end;
      }
      await tables.read((_own, snapshot) => checkHead(snapshot, tenantId, report));
    }
  },
});

interface Place {
  readonly tenantId: string;
  readonly above: number;
  readonly previous: Entry | undefined;
}

/** Returns the last entry; undefined without one. */
const checkPage = async (
  snapshot: PluginSnapshot,
  { tenantId, above, previous }: Place,
  report: CheckReport,
): Promise<Entry | undefined> => {
  const entries = await snapshot.ledger({ tenantId, above, order: 'oldest', limit: PAGE, members: MEMBERS });
  const told = (message: string): void => report.find({ tenantId, message, hint: FROM_BACKUP });
  const ids = entries.map(({ factId }) => factId);
  const found = await snapshot.find({
    filter: { kind: 'all', of: [isIn('tenantId', [tenantId]), isIn('id', ids)] },
    order: 'feed',
    limit: PAGE,
  });
  const facts = new Map(found.map((fact) => [fact.id, fact]));
  let stamp: Hlc | undefined = previous?.feed;
  for (const { factId, feed, commitment, number } of entries) {
    if (stamp !== undefined && compareHlc(feed, stamp) <= 0) told(`the fact ${factId} has a stamp of before its place`);
    stamp = feed;
    const fact = facts.get(factId);
    // An erased fact has no value, and no content id.
    if (commitment !== null && fact?.damage === undefined) continue;
    if (fact === undefined) told(`the entry ${number} of the ledger has no fact`);
    else if (fact.damage !== undefined) told(`the column ${fact.damage} of the fact ${factId} is damaged`);
    else if (!isIntact(fact)) told(`the fact ${factId} does not match its content id`);
  }
  const covers = await snapshot.covers(found);
  const covering = new Set(covers.map(({ factId }) => factId));
  for (const { id, confidence, system } of found) {
    if (confidence === 0 && !system && !covering.has(id)) told(`the retraction ${id} ends nothing`);
  }
  for (const cover of covers) {
    const fact = facts.get(cover.factId);
    if (fact !== undefined && !isCoverOf(fact, cover)) told(`the fact ${fact.id} ends other facts than it should`);
  }
  return entries.at(-1);
};

/** Skips whether a resolution settles a contradiction, because only the plugin conflicts can check that. */
const isCoverOf = (fact: StoredFact, cover: Cover): boolean =>
  (cover.kind === 'retraction') === (fact.confidence === 0) &&
  tripleId(fact) === tripleId(cover) &&
  (cover.speaker === null || cover.speaker === fact.speaker) &&
  compareHlc(fact.hlc, cover.hlc) === 0;

const checkHead = async (snapshot: PluginSnapshot, tenantId: string, report: CheckReport): Promise<void> => {
  const head = await snapshot.ledgerHead(tenantId);
  const [newest] = await snapshot.ledger({ tenantId, order: 'newest', limit: 1, members: MEMBERS });
  if ((newest?.number ?? null) === (head.newest?.number ?? null) && head.number >= (newest?.number ?? 0)) return;
  report.find({ tenantId, message: 'the ledger does not end where its head says', hint: FROM_BACKUP });
};
