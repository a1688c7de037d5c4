import { all, equals, type Hlc, type Snapshot, type WriteTransaction } from '../../ports/ports.ts';
import { tickHlc } from '../facts/hybrid-logical-clock.ts';
import { readCovers, readExpiries, readExpiriesAfter } from './fact-lifetimes.ts';
import type { PluginSnapshot, PluginTransaction } from './plugin-transaction.ts';

/** The snapshots and transactions of the store behind those of plugins, where a plugin cannot get at them. */
const snapshots = new WeakMap<PluginSnapshot, Snapshot>();
const transactions = new WeakMap<PluginSnapshot, WriteTransaction>();

/** What plugins may do with a snapshot of the store. */
export const narrowSnapshot = (wide: Snapshot): PluginSnapshot => {
  const narrow = readsOf(wide);
  snapshots.set(narrow, wide);
  return narrow;
};

/** What plugins may do in a write transaction. One for each transaction, so that plugins may keep notes by it. */
export const narrowTransaction = (wide: WriteTransaction): PluginTransaction => {
  const narrow: PluginTransaction = {
    ...readsOf(wide),
    cover: (covers) => wide.cover(covers),
    setExpiry: (factId, expiresMs, hlc, since) => wide.setExpiry(factId, expiresMs, hlc, since),
    raisePastFloor: (stamp) => wide.raisePastFloor(stamp),
    dropPast: (limit) => wide.dropPast(limit),
    takeNumbers: (count) => wide.takeNumbers(count),
    addLinks: (links) => wide.addLinks(links),
    announce: (kind, subjectIds, nowMs) => announce(wide, { kind: kind.id, subjectIds, nowMs }),
  };
  transactions.set(narrow, wide);
  return narrow;
};

const announce = async (
  wide: WriteTransaction,
  {
    kind,
    subjectIds,
    nowMs,
  }: { readonly kind: string; readonly subjectIds: readonly string[]; readonly nowMs: number },
): Promise<Hlc> => {
  let stamp = await wide.lockClock();
  const entries = subjectIds.map((subjectId) => {
    stamp = tickHlc(stamp, nowMs);
    return { stamp, kind, subjectId };
  });
  await wide.announce(entries);
  await wide.saveClock(stamp);
  return stamp;
};

const readsOf = (wide: Snapshot): PluginSnapshot => ({
  find: (query) => wide.find(query),
  outline: (filter, limit) => wide.outline(filter, limit),
  outlineByTriple: (query) => wide.outlineByTriple(query),
  entitiesWith: (tenantId, entityKeys, filter) => wide.entitiesWith(tenantId, entityKeys, filter),
  count: (filter) => wide.count(filter),
  get: async (tenantId, id) => {
    const filter = all(equals('tenantId', tenantId), equals('id', id));
    return (await wide.find({ filter, order: 'feed', limit: 1 }))[0];
  },
  siblings: (triples, nowMs, limit) => wide.siblings(triples, nowMs, limit),
  covers: (facts) => readCovers(wide, facts),
  expiries: (facts) => readExpiries(wide, facts),
  expiriesAfter: (tenantId, factId, limit) => readExpiriesAfter(wide, tenantId, factId, limit),
  ledger: (query) => wide.ledger(query),
  ledgerCount: (range) => wide.ledgerCount(range),
  ledgerHead: (tenantId) => wide.ledgerHead(tenantId),
  ledgerEnds: () => wide.ledgerEnds(),
  ledgerNumberAt: (tenantId, feed) => wide.ledgerNumberAt(tenantId, feed),
  feedAfter: (stamp, limit) => wide.feedAfter(stamp, limit),
  announced: (query) => wide.announced(query),
  head: () => wide.head(),
  epoch: () => wide.epoch(),
  databaseMs: () => wide.databaseMs(),
  pastFloor: () => wide.pastFloor(),
});

export const isTransaction = (narrow: PluginSnapshot): narrow is PluginTransaction => transactions.has(narrow);

/** The snapshot of the store behind that of a plugin, for the kernel's own use. */
export const wideSnapshot = (narrow: PluginSnapshot): Snapshot => {
  const wide = snapshots.get(narrow) ?? transactions.get(narrow);
  if (wide === undefined) throw new Error('this is no snapshot or transaction that the node has given out');
  return wide;
};

/** The transaction of the store behind that of a plugin, for the kernel's own use. */
export const wideTransaction = (narrow: PluginTransaction): WriteTransaction => {
  const wide = transactions.get(narrow);
  if (wide === undefined) throw new Error('this is no write transaction that the node has given out');
  return wide;
};
