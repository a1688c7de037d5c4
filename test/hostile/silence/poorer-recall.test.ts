import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { Embedder } from '../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { REFRESH_LIMIT_MS } from '../../../plugins/cards/memory-cards.ts';
import { createScriptedEmbedder } from '../../fakes/scripted-embedder.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { createScriptedSummariser } from '../../plugins/cards/scripted-summariser.ts';

const PLUGINS = ['keys', 'facts', 'conflicts', 'gardens', 'graph', 'cards', 'recall', 'search'];

/** An embedder that fails or delays selected texts. */
const createMoodyEmbedder = () => {
  const sound = createScriptedEmbedder();
  const moody = { refusesQueries: false, documents: Promise.resolve() };
  const embedder: Embedder = {
    ...sound,
    async embed(texts, purpose) {
      if (purpose === 'document') await moody.documents;
      else if (moody.refusesQueries) throw new Error('out of order');
      return sound.embed(texts, purpose);
    },
  };
  const plugin = defineOwnPlugin({
    name: 'moody-embedder',
    provides: [Embedder],
    setup: ({ provide }) => provide(Embedder, embedder),
  });
  return { moody, plugin };
};

forEachStore('An incomplete recall never looks complete (I22)', () => {
  let folder: string;
  let node: TestNode;
  let key: string;
  const start = async (...extra: readonly AnyPlugin[]): Promise<void> => {
    const settings = { search: { snapshotFolder: join(folder, 'snapshots') } };
    node = await startTestNode({ plugins: [...PLUGINS, ...extra], folder, settings });
    key ??= await node.addKey();
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'poorer-recall-'));
  });
  afterEach(async () => {
    await node.stop();
    key = undefined as unknown as string;
    await rm(folder, { recursive: true, force: true });
  });

  const say = async (relation: string, v: string, members = {}, as = key) => {
    const body = { entity: 'user:alice', relation, value: { type: 'string', v }, source: 'agent:s', ...members };
    const reply = await node.request('POST', '/v1/facts', { key: as, body });
    expect(reply.status, reply.text).to.equal(201);
  };
  const recall = async (members: object, as = key) => {
    const reply = await node.request('POST', '/v1/recall', { key: as, body: { token_budget: 500, ...members } });
    expect(reply.status, reply.text).to.equal(200);
    const { facts, omitted, degraded, truncated } = reply.body;
    return {
      values: facts.map(({ fact }: { fact: { value: { v: string } } }) => fact.value.v),
      omitted,
      degraded,
      truncated,
    };
  };
  const WHOLE = { omitted: { contradicted: 0, budget: 0, repeated: 0 }, degraded: [], truncated: false };

  it('a writer contradicts a fact: the recall is empty, and states how many facts it omitted', async () => {
    await start();
    await say('memory:role', 'CEO');
    expect(await recall({ query: 'Who is Alice?' })).to.deep.equal({ values: ['CEO'], ...WHOLE });
    await say('memory:role', 'CTO');
    const omitted = { contradicted: 2, budget: 0, repeated: 0 };
    expect(await recall({ query: 'Who is Alice?' })).to.deep.equal({ values: [], ...WHOLE, omitted });
    const { values } = await recall({ query: 'Who is Alice?', include_contradicted: true });
    expect([...values].sort()).to.deep.equal(['CEO', 'CTO']);
    expect(await recall({ query: 'windmill' })).to.deep.equal({ values: [], ...WHOLE });
    expect((await recall({ entity: 'user:alice' })).omitted).to.deep.equal(omitted);
    expect((await recall({ entity: 'user:alice', query: 'CEO' })).omitted).to.deep.equal(omitted);
    expect((await recall({ entity: 'user:alice', relation: 'memory:other' })).omitted.contradicted).to.equal(0);
    expect((await recall({ entity: 'user:alice', min_confidence: 1 })).omitted.contradicted).to.equal(2);
  });

  it('a writer adds many contradictory facts to an entity: undisputed facts are still found', async () => {
    await start();
    await say('memory:town', 'Ghent');
    const rivals = Array.from({ length: 700 }, (_, n) => ({
      entity: 'user:alice',
      relation: 'memory:role',
      value: { type: 'string', v: `alice role ${n}` },
      source: 'agent:s',
    }));
    expect((await node.request('POST', '/v1/facts/batch', { key, body: rivals })).status).to.equal(200);
    const found = await recall({ entity: 'user:alice', query: 'alice role' });
    expect(found.values).to.deep.equal(['Ghent']);
    expect(found.omitted.contradicted).to.be.within(120, 700);
    expect((await recall({ query: 'alice' })).values).to.deep.equal(['Ghent']);
  });

  it('a card names all contradictory facts, so that none is omitted', async () => {
    await start();
    await say('memory:role', 'CEO');
    await say('memory:role', 'CTO');
    expect((await node.request('GET', '/v1/cards/user:alice', { key })).status).to.equal(200);
    const { values, omitted } = await recall({ entity: 'user:alice' });
    expect(values[0]).to.contain('CEO').and.to.contain('CTO');
    expect(omitted).to.deep.equal({ contradicted: 0, budget: 0, repeated: 0 });
  });

  it('facts beyond the token budget are counted', async () => {
    await start();
    for (const n of [1, 2, 3]) await say(`memory:note-${n}`, `harbour ${n} ${'x'.repeat(40 * n)}`);
    const { values, omitted, truncated } = await recall({ query: 'harbour', token_budget: 25 });
    expect([values.length, omitted, truncated]).to.deep.equal([1, { contradicted: 0, budget: 2, repeated: 0 }, true]);
  });

  it('contradictory facts in a garden are counted only for its members', async () => {
    await start();
    const member = await node.addKey({ entityUri: 'agent:member' });
    const made = await node.request('POST', '/v1/gardens', {
      key: member,
      body: { slug: 'den', name: 'Den', scope: 'local' },
    });
    expect(made.status, made.text).to.equal(201);
    await say('memory:role', 'CEO', { garden_id: 'den' }, member);
    await say('memory:role', 'CTO', { garden_id: 'den' }, member);
    expect(await recall({ query: 'alice' })).to.deep.equal({ values: [], ...WHOLE });
    expect((await recall({ query: 'alice' }, member)).omitted.contradicted).to.equal(2);
  });

  it('a failing embedder is named in the reply', async () => {
    const { moody, plugin } = createMoodyEmbedder();
    await start(plugin);
    await say('memory:role', 'CEO');
    expect((await recall({ query: 'alice' })).degraded).to.deep.equal([]);
    moody.refusesQueries = true;
    // The vector of the other query is cached.
    const found = await recall({ query: 'alice?' });
    expect([found.values, found.degraded]).to.deep.equal([['CEO'], ['embedder_unavailable']]);
    expect((await recall({ entity: 'user:alice' })).degraded).to.deep.equal([]);
  });

  it('a recall reports that vectors of another embedder are being computed, until all exist', async () => {
    await start();
    await say('memory:role', 'CEO');
    await node.stop();
    const { moody, plugin } = createMoodyEmbedder();
    let release = (): void => {};
    moody.documents = new Promise((resolve) => {
      release = resolve;
    });
    await start(plugin);
    expect((await recall({ query: 'alice' })).degraded).to.deep.equal(['index_rebuilding']);
    expect((await recall({ entity: 'user:alice' })).degraded).to.deep.equal([]);
    release();
    await comesTrue(async () => (await recall({ query: 'alice' })).degraded.length === 0);
  });

  it('a card that is older than requested is named in the reply', async () => {
    const scripted = createScriptedSummariser();
    await start(scripted.plugin);
    await say('memory:role', 'CEO');
    const asking = recall({ entity: 'user:alice', force_refresh: true });
    await comesTrue(() => scripted.asked.length === 1);
    await node.clock.advance(REFRESH_LIMIT_MS);
    const { values, degraded } = await asking;
    expect([values, degraded]).to.deep.equal([['CEO'], ['card_refresh_timeout']]);
  });
});
