import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { Embedder, type FactDraft } from '../../../kernel/plugin-api.ts';
import { createStoreCounter, type StoreCounts } from '../../fakes/counting-store.ts';
import { createScriptedEmbedder } from '../../fakes/scripted-embedder.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { createGate } from '../../kit/create-gate.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { refDraft, WRITER } from '../../plugins/graph/ref-drafts.ts';

const CROWD = 2_000;
/** The interval at which ended edges are removed. */
const SWEEP_MS = 1_000;

const note = (entity: string, v: string, members: Partial<FactDraft> = {}): FactDraft =>
  refDraft(entity, v, { relation: 'memory:note', value: { type: 'string', v, interpretAs: 'content' }, ...members });
const many = (draftOf: (n: number) => FactDraft): FactDraft[] => Array.from({ length: CROWD }, (_, n) => draftOf(n));

/** Creates an embedder that leaves facts unembedded until the end, so that only the recall queries the store. */
const createIdleEmbedder = () => {
  const { passed: atTheEnd, open: end } = createGate();
  const sound = createScriptedEmbedder();
  const embedder: Embedder = {
    ...sound,
    async embed(texts, purpose) {
      if (purpose === 'document') await atTheEnd;
      return sound.embed(texts, purpose);
    },
  };
  const plugin = defineOwnPlugin({
    name: 'idle-embedder',
    provides: [Embedder],
    setup: ({ provide }) => provide(Embedder, embedder),
  });
  return { plugin, end };
};

forEachStore('A writer turns the entity of a fact into a hub with thousands of links (I21)', () => {
  const counter = createStoreCounter();
  let node: TestNode;
  let key: string;
  let idle: ReturnType<typeof createIdleEmbedder>;
  beforeEach(async () => {
    idle = createIdleEmbedder();
    const plugins = ['keys', 'facts', 'graph', 'recall', 'search', idle.plugin];
    node = await startTestNode({ plugins, wrapStore: counter.count });
    key = await node.addKey();
    await node.facts.appendAll(
      [note('user:me', 'lantern'), refDraft('user:me', 'org:hub'), note('org:hub', 'founded in Ghent')],
      WRITER,
    );
  });
  afterEach(() => {
    idle.end();
    return node.stop();
  });

  const recall = async (depth = 1): Promise<StoreCounts & { readonly found: readonly string[] }> => {
    let found: readonly string[] = [];
    const counts = await counter.during(async () => {
      const body = { query: 'lantern', token_budget: 2_000, depth, limit: 500 };
      const reply = await node.request('POST', '/v1/recall', { key, body });
      expect(reply.status, reply.text).to.equal(200);
      found = reply.body.facts.map(({ fact }: { fact: { entity: string } }) => fact.entity);
    });
    return { ...counts, found };
  };

  /**
   * Returns the cost of a recall with a complete index, as the minimum of several, because background work only adds.
   */
  const settled = async () => {
    const all: Awaited<ReturnType<typeof recall>>[] = [];
    for (let turn = 0; turn < 6; turn += 1) all.push(await recall());
    return all.sort((a, b) => a.statements - b.statements || a.rows - b.rows)[0] as (typeof all)[number];
  };

  /**
   * Checks that the cost has not grown. Background work may have raised the first cost, but must not raise the second.
   */
  const expectNoMore = (after: Awaited<ReturnType<typeof recall>>, before: typeof after): void => {
    expect(after.found).to.deep.equal(before.found);
    expect(after.statements).to.be.at.most(before.statements);
    expect(after.rows).to.be.at.most(before.rows);
  };

  it('by thousands of retracted facts about it: the recall reads none of them', async () => {
    const before = await settled();
    expect(before.found).to.include('org:hub');
    await node.facts.appendAll(
      many((n) => note('org:hub', `gone ${n}`, { relation: 'memory:gone' })),
      WRITER,
    );
    await node.facts.append(note('org:hub', 'gone', { relation: 'memory:gone', confidence: 0 }), WRITER);
    expectNoMore(await settled(), before);
  });

  it('by thousands of expired facts about it', async () => {
    const before = await settled();
    const validUntil = new Date(node.clock.nowMs() + 1_000).toISOString();
    await node.facts.appendAll(
      many((n) => note('org:hub', `gone ${n}`, { relation: `memory:r${n}`, validUntil })),
      WRITER,
    );
    await node.clock.advance(2_000);
    expectNoMore(await settled(), before);
  });

  it('by thousands of live facts about it: the recall reads only the newest ones, up to a limit', async () => {
    const before = await settled();
    await node.facts.appendAll(
      many((n) => note('org:hub', `news ${n}`, { relation: `memory:r${n}` })),
      WRITER,
    );
    const after = await settled();
    expect(after.statements).to.be.at.most(before.statements);
    expect(after.rows).to.be.below(before.rows + 1_200);
  });

  it('by thousands of edges to it: the recall never follows them', async () => {
    const before = await settled();
    await node.facts.appendAll(
      many((n) => refDraft(`user:crowd-${n}`, 'org:hub')),
      WRITER,
    );
    expectNoMore(await settled(), before);
  });

  /** Waits until a recall reads no more than before, after the removal of ended facts. */
  const comesBackTo = async (before: StoreCounts) => {
    let last: StoreCounts | undefined;
    await comesTrue(async () => {
      await node.clock.advance(SWEEP_MS);
      last = await settled();
      return last.rows <= before.rows && last.statements <= before.statements;
    }).catch(() => expect(last).to.deep.equal(before));
  };

  it('by thousands of retracted edges: no recall follows them', async () => {
    const before = await settled();
    await node.facts.appendAll(
      many((n) => refDraft('user:me', `org:old-${n}`, { relation: 'rel:old' })),
      WRITER,
    );
    await node.facts.append(refDraft('user:me', 'org:old', { relation: 'rel:old', confidence: 0 }), WRITER);
    expect((await settled()).found).to.deep.equal(before.found);
    await comesBackTo(before);
  });

  it('by thousands of expired edges', async () => {
    const before = await settled();
    const validUntil = new Date(node.clock.nowMs() + 1_000).toISOString();
    await node.facts.appendAll(
      many((n) => refDraft('user:me', `org:old-${n}`, { relation: `rel:r${n}`, validUntil })),
      WRITER,
    );
    await node.clock.advance(6 * 60_000);
    expect((await settled()).found).to.deep.equal(before.found);
    await comesBackTo(before);
  });

  it('and an edge whose expiry was shortened and then extended is followed again', async () => {
    const link = (await node.facts.append(refDraft('org:hub', 'user:far', { relation: 'rel:far' }), WRITER)).view.fact;
    await node.facts.append(note('user:far', 'far away'), WRITER);
    const ttl = (ms: number) => ({
      key,
      body: {
        entity: link.id,
        relation: 'svc:ttl',
        value: { type: 'datetime', v: new Date(node.clock.nowMs() + ms).toISOString() },
        source: 'agent:s',
        scope: 'company',
      },
    });
    const owner = await node.addKey({ entityUri: WRITER.entityUri });
    const set = async (ms: number) => {
      const reply = await node.request('POST', '/v1/facts', { ...ttl(ms), key: owner });
      expect(reply.status, reply.text).to.equal(201);
    };
    const reached = async (): Promise<boolean> => (await recall(2)).found.includes('user:far');
    expect(await reached()).to.equal(true);
    await set(1_000);
    await node.clock.advance(2_000);
    expect(await reached()).to.equal(false);
    await node.clock.advance(10 * 60_000);
    expect(await reached()).to.equal(false);
    await node.clock.advance(2 * SWEEP_MS);
    await set(60_000);
    expect(await reached()).to.equal(true);
  });
});
