import { expect } from 'chai';
import { definePlugin, Embedder, type FactDraft, KERNEL_API } from '../../../kernel/plugin-api.ts';
import { createStoreCounter, type StoreCounts } from '../../fakes/counting-store.ts';
import { createScriptedEmbedder } from '../../fakes/scripted-embedder.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { refDraft, WRITER } from '../../plugins/graph/ref-drafts.ts';

const CROWD = 2_000;

const note = (entity: string, v: string, members: Partial<FactDraft> = {}): FactDraft =>
  refDraft(entity, v, { relation: 'memory:note', value: { type: 'string', v, interpretAs: 'content' }, ...members });
const many = (draftOf: (n: number) => FactDraft): FactDraft[] => Array.from({ length: CROWD }, (_, n) => draftOf(n));

/** Leaves facts unembedded until the end, so that nothing but the recall asks the store for anything. */
const createIdleEmbedder = () => {
  let end = (): void => {};
  const atTheEnd = new Promise<void>((resolve) => {
    end = resolve;
  });
  const sound = createScriptedEmbedder();
  const embedder: Embedder = {
    ...sound,
    async embed(texts, purpose) {
      if (purpose === 'document') await atTheEnd;
      return sound.embed(texts, purpose);
    },
  };
  const plugin = definePlugin({
    name: 'idle-embedder',
    version: '1.0.0',
    kernelApi: KERNEL_API,
    provides: [Embedder],
    setup: ({ provide }) => provide(Embedder, embedder),
  });
  return { plugin, end };
};

forEachStore('A writer makes the entity beside somebody’s fact a hub (I21)', () => {
  const counter = createStoreCounter();
  let node: TestNode;
  let key: string;
  let idle: ReturnType<typeof createIdleEmbedder>;
  beforeEach(async () => {
    idle = createIdleEmbedder();
    const plugins = ['keys', 'facts', 'graph', 'recall', idle.plugin];
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

  const recall = async (): Promise<StoreCounts & { readonly found: readonly string[] }> => {
    let found: readonly string[] = [];
    const counts = await counter.during(async () => {
      const body = { query: 'lantern', token_budget: 2_000, depth: 1, limit: 500 };
      const reply = await node.request('POST', '/v1/recall', { key, body });
      expect(reply.status, reply.text).to.equal(200);
      found = reply.body.facts.map(({ fact }: { fact: { entity: string } }) => fact.entity);
    });
    return { ...counts, found };
  };

  /** What a recall costs once the index has read what was stored: what runs beside it can only add to that. */
  const settled = async () => {
    const all: Awaited<ReturnType<typeof recall>>[] = [];
    for (let turn = 0; turn < 6; turn += 1) all.push(await recall());
    return all.sort((a, b) => a.statements - b.statements || a.rows - b.rows)[0] as (typeof all)[number];
  };

  it('by thousands of facts about it that were taken back: the recall reads none of them', async () => {
    const before = await settled();
    expect(before.found).to.include('org:hub');
    await node.facts.appendAll(
      many((n) => note('org:hub', `gone ${n}`, { relation: 'memory:gone' })),
      WRITER,
    );
    await node.facts.append(note('org:hub', 'gone', { relation: 'memory:gone', confidence: 0 }), WRITER);
    const after = await settled();
    expect(after).to.deep.equal(before);
  });

  it('by thousands of facts about it that expired', async () => {
    const before = await settled();
    const validUntil = new Date(node.clock.nowMs() + 1_000).toISOString();
    await node.facts.appendAll(
      many((n) => note('org:hub', `gone ${n}`, { relation: `memory:r${n}`, validUntil })),
      WRITER,
    );
    await node.clock.advance(2_000);
    expect(await settled()).to.deep.equal(before);
  });

  it('by thousands of live facts about it: the recall reads the newest few, as many as it has room for', async () => {
    const before = await settled();
    await node.facts.appendAll(
      many((n) => note('org:hub', `news ${n}`, { relation: `memory:r${n}` })),
      WRITER,
    );
    const after = await settled();
    expect(after.statements).to.equal(before.statements);
    expect(after.rows).to.be.below(before.rows + 1_200);
  });

  it('by thousands of edges to it: they are no way from here', async () => {
    const before = await settled();
    await node.facts.appendAll(
      many((n) => refDraft(`user:crowd-${n}`, 'org:hub')),
      WRITER,
    );
    expect(await settled()).to.deep.equal(before);
  });
});
