import { expect } from 'chai';
import { ServiceError } from '../../../../kernel/plugin-api.ts';
import { FactStore } from '../../../../ports/ports.ts';
import { replaceMember } from '../../../fakes/watched-selects.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { createWorld, type FederatedNode, startFederatedNode } from '../../../kit/federation/federated-node.ts';
import { declareBoth, push } from '../../../kit/federation/peering-steps.ts';
import { signedTombstone } from '../../../kit/federation/signed-tombstone.ts';
import { startTestPeer, type TestPeer } from '../../../kit/federation/test-peer.ts';
import { capability, follow } from '../../../kit/federation/tombstone-steps.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../../kit/start-test-node.ts';

const ENTITY = 'user:gone';
/** The node says two facts about each conflict, so that they fill more than one batch. */
const CONFLICTS = 300;
/** The facts of one batch, a row for each scope, and one for all facts about facts. */
const MOST_HIDDEN_AT_ONCE = 505;
/** Each conflict of which a part is hidden costs many statements. */
const MOST_REVISED_AT_ONCE = 10;
const ENV = { SVC_TOMBSTONES_ENABLED: 'true' };
const LATER_MS = 60_000;
const PLUGINS = ['audit', 'capability-tokens', 'conflicts', 'facts', 'jobs', 'keys', 'node-info', 'tombstones'];

type Ask = Pick<TestNode, 'request'>;

/**
 * Counts the system facts that each transaction hides, and the conflicts that it withdraws. Can refuse those behind the
 * first batch of a tombstone.
 */
const watchedStore = () => {
  let [mostHidden, mostWithdrawn] = [0, 0];
  let isRefusing = false;
  let [look, isLooking]: [() => Promise<void>, boolean] = [async () => {}, false];
  type Counted = Pick<FactStore, 'table'>;
  const counted = ([row]: readonly { readonly count?: string | number }[]): number => Number(row?.count ?? 0);
  const hiddenIn = async (store: Counted) =>
    counted(await store.table('tombstones_hidden_system').count({ count: '*' }));
  const withdrawnIn = async (store: Counted) =>
    counted(await store.table('conflicts_records').where({ status: 'withdrawn' }).count({ count: '*' }));
  return {
    mostHidden: () => mostHidden,
    mostWithdrawn: () => mostWithdrawn,
    /** Calls this behind each transaction. */
    afterEach: (wanted: () => Promise<void>) => {
      look = wanted;
    },
    refuse: (wanted: boolean) => {
      isRefusing = wanted;
    },
    wrap: (store: FactStore): FactStore =>
      replaceMember(store, 'write', async (tenantId, work) => {
        const begun = isRefusing ? await begunIn(store) : [];
        if (begun.length > 0) throw new ServiceError('unavailable', 'the store is away');
        const result = await store.write(tenantId, async (transaction) => {
          const [hidden, withdrawn] = [await hiddenIn(transaction), await withdrawnIn(transaction)];
          const done = await work(transaction);
          mostHidden = Math.max(mostHidden, (await hiddenIn(transaction)) - hidden);
          mostWithdrawn = Math.max(mostWithdrawn, (await withdrawnIn(transaction)) - withdrawn);
          return done;
        });
        if (isLooking) return result;
        isLooking = true;
        await look();
        isLooking = false;
        return result;
      }),
  };
};

/** Returns the tombstones whose first batch is done, and not the last. */
const begunIn = async (store: FactStore): Promise<readonly unknown[]> =>
  store.table('tombstones_markers').whereNotNull('followed_number').whereNot({ followed_number: 0 });

const sayAbout = async (node: Ask, key: string, entity: string, values: readonly string[], count: number) => {
  const facts = Array.from({ length: count }, (_, n) =>
    values.map((v) => ({
      entity,
      relation: `memory:r${n}`,
      value: { type: 'string', v },
      source: 'agent:ops',
      scope: 'public',
      confidence: 1,
    })),
  ).flat();
  for (let at = 0; at < facts.length; at += 500) {
    const body = facts.slice(at, at + 500);
    const reply = await node.request('POST', '/v1/facts/batch', { key, body });
    expect(reply.body.accepted, reply.text).to.equal(body.length);
  }
};

/** Returns how many facts of the node about conflicts a reader finds. */
const told = async (node: Ask, key: string): Promise<number> => {
  let total = 0;
  for (const relation of ['svc:conflict:status', 'svc:conflict:between']) {
    total += (await node.request('GET', `/v1/facts?relation=${relation}&limit=1`, { key })).body.total;
  }
  return total;
};

forEachStore('a tombstone over an entity with more conflicts than one batch', () => {
  let store: ReturnType<typeof watchedStore>;
  let node: TestNode;
  let next: TestNode | undefined;
  let key: string;
  beforeEach(async () => {
    store = watchedStore();
    node = await startTestNode({ plugins: PLUGINS, env: ENV, wrapStore: store.wrap });
    key = await node.addKey({ entityUri: 'agent:ops', permissions: ['read', 'write', 'admin'] });
    await sayAbout(node, key, ENTITY, ['a', 'b'], CONFLICTS);
    await sayAbout(node, key, 'user:other', ['a', 'b'], 1);
  });
  afterEach(async () => {
    await next?.stop();
    next = undefined;
    await node.stop();
  });

  const bury = () => node.request('POST', '/v1/tombstones', { key, body: { entity_uri: ENTITY } });

  it('hides the facts about a bounded number of them in one transaction', async () => {
    expect(await told(node, key)).to.equal(2 * CONFLICTS + 2);
    expect((await bury()).status).to.equal(201);
    expect(await told(node, key)).to.equal(2);
    expect(store.mostHidden()).to.be.at.most(MOST_HIDDEN_AT_ONCE);
  });

  it('tells of none after a stop between two batches, and tells of other conflicts at the end', async () => {
    store.refuse(true);
    expect((await bury()).status).to.equal(503);
    expect(await told(node, key)).to.equal(0);
    await node.node.stop();
    const { clock, folder } = node;
    next = await startTestNode({ plugins: PLUGINS, env: ENV, clock, folder });
    const reader = await next.addKey({ entityUri: 'agent:ops', permissions: ['read', 'write', 'admin'] });
    expect(await told(next, reader)).to.equal(0);
    await clock.advance(LATER_MS);
    const after = next;
    await comesTrue(async () => (await begunIn(after.kernel.get(FactStore))).length === 0);
    expect(await told(after, reader)).to.equal(2);
  });

  it('tells of all again when it is revoked between two batches', async () => {
    store.refuse(true);
    expect((await bury()).status).to.equal(503);
    store.refuse(false);
    const { body } = await node.request('GET', '/v1/tombstones', { key });
    const path = `/v1/tombstones/${body.tombstones[0].id}/revoke`;
    expect((await node.request('POST', path, { key, body: { reason: 'a mistake' } })).status).to.equal(200);
    expect(await told(node, key)).to.equal(2 * CONFLICTS + 2);
    await node.clock.advance(LATER_MS);
    expect(await told(node, key)).to.equal(2 * CONFLICTS + 2);
  });
});

interface Following {
  readonly node: FederatedNode;
  readonly peer: TestPeer;
  readonly key: string;
  readonly store: ReturnType<typeof watchedStore>;
  /** Advances the clock until the condition holds. */
  comes(holds: () => Promise<boolean>): Promise<void>;
}

/** Gives the work a node that follows the tombstones of a peer. */
const withFollowing = async (work: (following: Following) => Promise<void>): Promise<void> => {
  const store = watchedStore();
  const world = createWorld();
  const { clock } = world;
  const node = await startFederatedNode({
    name: 'a',
    ...world,
    plugins: [...PLUGINS, 'federation'],
    env: { ...ENV, SVC_FEDERATION_PULL_INTERVAL_S: '20' },
    wrapStore: store.wrap,
  });
  const peer = await startTestPeer({ ...world, nowMs: () => clock.nowMs() });
  try {
    await declareBoth(node, peer);
    const key = await node.addKey({ entityUri: 'agent:ops' });
    await sayAbout(node, key, 'user:other', ['a', 'b'], 1);
    await follow(node, peer.nodeId, await capability(node, node));
    const comes: Following['comes'] = (holds) =>
      comesTrue(async () => {
        await clock.advance(20_000);
        return holds();
      });
    await work({ node, peer, key, store, comes });
  } finally {
    await peer.stop();
    await node.stop();
  }
};

/** Says one side of so many conflicts, and lets the peer say the other one. */
const contradict = async ({ node, peer, key }: Following, entity: string, count: number): Promise<void> => {
  await sayAbout(node, key, entity, ['shown'], count);
  for (let at = 0; at < count; at += 100) {
    const facts = Array.from({ length: Math.min(100, count - at) }, (_, n) =>
      peer.fact({ entity, relation: `memory:r${at + n}`, value: { type: 'string', v: 'hidden' } }),
    );
    expect((await push(node, peer, facts)).body.accepted).to.equal(facts.length);
  }
};

forEachStore('a tombstone of a peer over one side of more conflicts than one batch', () => {
  it('tells of no hidden fact between two batches, and hides a bounded number in each', () =>
    withFollowing(async (following) => {
      const { node, peer, key, store, comes } = following;
      await contradict(following, ENTITY, CONFLICTS);
      expect(await told(node, key)).to.equal(2 * CONFLICTS + 2);
      store.refuse(true);
      peer.tombstones.push(signedTombstone(peer, node.clock.nowMs(), { entity_uri: ENTITY }));
      await comes(async () => (await begunIn(node.kernel.get(FactStore))).length > 0);
      expect(await told(node, key)).to.equal(0);
      store.refuse(false);
      await comes(async () => (await begunIn(node.kernel.get(FactStore))).length === 0);
      expect(await told(node, key)).to.equal(2);
      expect(store.mostHidden()).to.be.at.most(MOST_HIDDEN_AT_ONCE);
      expect(store.mostWithdrawn()).to.equal(MOST_REVISED_AT_ONCE);
    }));
});

forEachStore('a page with tombstones of a peer over several entities', () => {
  it('hides all of them at once, and revises a bounded number of conflicts in one transaction', () =>
    withFollowing(async (following) => {
      const { node, peer, key, store, comes } = following;
      const entities = ['user:first', 'user:second', 'user:third'];
      for (const entity of entities) await contradict(following, entity, MOST_REVISED_AT_ONCE);
      const tombstones = entities.map((entity_uri, n) =>
        signedTombstone(peer, node.clock.nowMs(), { entity_uri, id: `tomb_00000000-0000-4000-8000-00000000000${n}` }),
      );
      const marked = () => node.kernel.get(FactStore).table('tombstones_markers');
      const shown: number[] = [];
      store.afterEach(async () => {
        if ((await marked()).length > 0) shown.push(await told(node, key));
      });
      peer.tombstones.push(...tombstones);
      await comes(async () => {
        const rows: readonly { readonly followed_number: unknown }[] = await marked();
        return rows.length === entities.length && rows.every(({ followed_number: number }) => number === null);
      });
      expect(await told(node, key)).to.equal(2);
      expect(Math.max(...shown)).to.be.within(0, 2);
      expect(store.mostWithdrawn()).to.equal(MOST_REVISED_AT_ONCE);
    }));
});
