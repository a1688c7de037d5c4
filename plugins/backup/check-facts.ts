import { countNoun } from '../../kernel/command-api.ts';
import { grouped, isIntact, namedBy, ownCoverKind, tripleId } from '../../kernel/internal-api.ts';
import {
  all,
  compareHlc,
  equals,
  type Hlc,
  isIn,
  isNull,
  not,
  type PluginSnapshot,
  type PluginTables,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import type { CheckReport, LedgerPage, StoreCheck } from './backup-api.ts';

const FROM_BACKUP = 'somebody changed the store past the node, or the disk is damaged: restore a backup';

/**
 * Checks the rules of all facts. Each fact matches its content id, and the ledger has the order of the feed and a
 * correct head. Each retraction and each replacement ends the facts that it covers.
 */
export const createFactCheck = (tables: PluginTables, nodeId: string): StoreCheck => ({
  name: 'facts',
  summary: 'content ids, the order of the ledgers and their heads, and covers of retractions and replacements',
  begin(report) {
    let erasedSince = 0;
    let previous: { readonly tenantId: string; readonly stamp: Hlc } | undefined;
    return {
      async page(page) {
        const { tenantId, entries } = page;
        checkOrder(page, previous?.tenantId === tenantId ? previous.stamp : undefined, report);
        checkFacts(page, report);
        erasedSince += await countErasedSince(page);
        if (erasedSince > 0) report.note(`${countNoun(erasedSince, 'fact')} erased since this backup`);
        checkCovers(page, nodeId, report);
        previous = { tenantId, stamp: entries.at(-1)?.feed ?? { wallMs: 0, counter: 0 } };
      },
      end: (tenantId) => tables.read((_own, snapshot) => checkHead(snapshot, tenantId, report)),
    };
  },
});

const checkOrder = ({ tenantId, entries }: LedgerPage, last: Hlc | undefined, report: CheckReport): void => {
  let stamp = last;
  for (const { factId, feed } of entries) {
    if (stamp !== undefined && compareHlc(feed, stamp) <= 0) {
      report.find({ tenantId, message: `the fact ${factId} has a stamp of before its place`, hint: FROM_BACKUP });
    }
    stamp = feed;
  }
};

const checkFacts = ({ tenantId, entries, facts }: LedgerPage, report: CheckReport): void => {
  const byId = new Map(facts.map((fact) => [fact.id, fact]));
  const told = (message: string): void => report.find({ tenantId, message, hint: FROM_BACKUP });
  for (const { factId, commitment, number } of entries) {
    const fact = byId.get(factId);
    // An erased fact has no value, and no content id.
    if (commitment !== null && fact?.damage === undefined) continue;
    if (fact === undefined) told(`the entry ${number} of the ledger has no fact`);
    else if (fact.damage !== undefined) told(`the column ${fact.damage} of the fact ${factId} is damaged`);
    else if (!isIntact(fact)) told(`the fact ${factId} does not match its content id`);
  }
};

/**
 * Counts the facts whose keys an erasure has destroyed after this store was copied. Their rows still have a content id,
 * and nothing else of them can be read.
 */
const countErasedSince = async ({ tenantId, entries, snapshot }: LedgerPage): Promise<number> => {
  const ids = entries.filter(({ commitment }) => commitment !== null).map(({ factId }) => factId);
  if (ids.length === 0) return 0;
  return snapshot.count(all(equals('tenantId', tenantId), isIn('id', ids), not(isNull('cid'))));
};

const checkCovers = ({ tenantId, facts, covers }: LedgerPage, nodeId: string, report: CheckReport): void => {
  const byFact = grouped(covers, ({ factId }) => factId);
  const told = (message: string): void => report.find({ tenantId, message, hint: FROM_BACKUP });
  for (const fact of facts) {
    const own = byFact.get(fact.id) ?? [];
    const names = namedBy(fact, nodeId).map(nameText);
    const isExact = own.every((cover) => isCoverOf(fact, cover)) && (own.length === 0 || isSameSet(own, names));
    if (!isExact) told(`the fact ${fact.id} ends other facts than it should`);
    if (own.length > 0 || ownCoverKind(fact) === undefined || fact.system) continue;
    told(`the ${ownCoverKind(fact)} ${fact.id} ends nothing`);
  }
};

/** Skips whether a resolution settles a contradiction, because only the plugin conflicts can check that. */
const isCoverOf = (fact: StoredFact, cover: Cover): boolean =>
  cover.kind === (ownCoverKind(fact) ?? 'resolution') &&
  tripleId(fact) === tripleId(cover) &&
  (cover.speaker === null || cover.speaker === fact.speaker) &&
  compareHlc(fact.hlc, cover.hlc) === 0;

type Cover = LedgerPage['covers'][number];

const nameText = ({ id, origin }: NonNullable<Cover['named']>): string => `${id} ${origin}`;

/** Returns true if the covers have exactly these names; without names, a cover has none. */
const isSameSet = (covers: readonly Cover[], names: readonly string[]): boolean => {
  const found = covers.flatMap(({ named }) => (named === null ? [] : [nameText(named)]));
  return found.length === names.length && names.every((name) => found.includes(name));
};

const checkHead = async (snapshot: PluginSnapshot, tenantId: string, report: CheckReport): Promise<void> => {
  const head = await snapshot.ledgerHead(tenantId);
  const [newest] = await snapshot.ledger({ tenantId, order: 'newest', limit: 1, members: ['number'] });
  if ((newest?.number ?? null) === (head.newest?.number ?? null) && head.number >= (newest?.number ?? 0)) return;
  report.find({ tenantId, message: 'the ledger does not end where its head says', hint: FROM_BACKUP });
};
