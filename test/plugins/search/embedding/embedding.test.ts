import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { defineOwnPlugin } from '../../../../kernel/internal-api.ts';
import { Embedder } from '../../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../../kernel/plugins/plugin-definition.ts';
import { FactStore } from '../../../../ports/ports.ts';
import { createScriptedEmbedder } from '../../../fakes/scripted-embedder.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../../kit/start-test-node.ts';

const PLUGINS = ['keys', 'facts', 'conflicts', 'recall', 'search'];
const RETRY_MS = 5_000;
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const NOT_NOW = 'facts could not be embedded; they will be tried again';
const WITHOUT_DENSE = 'a query could not be embedded; it is answered without the dense stage';

/** An embedder that fails, or returns given values, on request, and records its queries. */
const createMoodyEmbedder = (dimensions: number) => {
  const sound = createScriptedEmbedder({}, dimensions);
  const moody = {
    documents: [] as (readonly string[])[],
    answer: undefined as ((texts: readonly string[]) => Float32Array[]) | undefined,
  };
  const embedder: Embedder = {
    ...sound,
    async embed(texts, purpose) {
      if (purpose === 'document') moody.documents.push(texts);
      return moody.answer === undefined ? sound.embed(texts, purpose) : moody.answer(texts);
    },
  };
  const plugin: AnyPlugin = defineOwnPlugin({
    name: `moody-${dimensions}`,
    provides: [Embedder],
    setup: ({ provide }) => provide(Embedder, embedder),
  });
  return { moody, plugin };
};

const fails = (): never => {
  throw new Error('out of order');
};

forEachStore('the vectors of facts', () => {
  let folder: string;
  let key: string;
  const nodes: TestNode[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'embedding-'));
  });
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (plugin: AnyPlugin, search: object = {}): Promise<TestNode> => {
    const settings = { search: { snapshotFolder: join(folder, 'snapshots'), ...search } };
    const node = await startTestNode({ plugins: [...PLUGINS, plugin], folder, settings });
    if (nodes.length === 0) key = await node.addKey();
    nodes.push(node);
    return node;
  };
  const say = async (node: TestNode, v: string, members = {}): Promise<void> => {
    const body = { entity: `user:${v}`, relation: 'memory:note', value: { type: 'text', v }, source: 'agent:s' };
    const reply = await node.request('POST', '/v1/facts', { key, body: { ...body, ...members } });
    expect(reply.status, reply.text).to.equal(201);
  };
  const recall = async (node: TestNode, members: object): Promise<string[]> => {
    const reply = await node.request('POST', '/v1/recall', { key, body: { token_budget: 1_000, ...members } });
    expect(reply.status, reply.text).to.equal(200);
    return reply.body.facts.map(({ fact }: { fact: { value: { v: string } } }) => fact.value.v);
  };
  /** Returns true if the fact is found by its vector alone, because its embedded text is most similar to itself. */
  const hasVector = async (node: TestNode, v: string): Promise<boolean> => {
    // Ends the current rests of the worker.
    await node.clock.advance(0);
    return (await recall(node, { query: `${v} memory:note ${v}`, weights: { vector: 1 } }))[0] === v;
  };
  const vectorsOf = async (node: TestNode, dimensions: number): Promise<number> =>
    (
      await node.kernel
        .get(FactStore)
        .table('search_vectors')
        .where({ embedder: `scripted-${dimensions}` })
    ).length;
  const warned = (node: TestNode, message: string): number =>
    node.logLines.filter((line) => line.level === 'warn' && line.message === message).length;
  /**
   * Advances the clock by a day and an hour, to be independent of minutes. In that time a node notes that its embedder
   * is in use, and drops the vectors of unused ones.
   */
  const useForADay = async (node: TestNode, dimensions: number): Promise<void> => {
    node.clock.setNowMs(node.clock.nowMs() + DAY_MS + HOUR_MS);
    const sinceMs = node.clock.nowMs();
    const store = node.kernel.get(FactStore);
    await comesTrue(async () => {
      await node.clock.advance(9_000);
      // Advances no faster than the store can follow; otherwise leases would expire.
      await store.write('pace', async () => {});
      const [row] = await store.table('search_embedders').where({ embedder: `scripted-${dimensions}` });
      return Number(row?.used_ms) >= sinceMs;
    });
  };

  it('are added later, in the order of the feed, after an outage of the embedder', async () => {
    const { moody, plugin } = createMoodyEmbedder(8);
    const node = await start(plugin);
    moody.answer = fails;
    for (const v of ['one', 'two', 'three']) await say(node, v);
    await comesTrue(() => warned(node, NOT_NOW) === 1);
    const tries = moody.documents.length;
    await node.clock.advance(RETRY_MS - 1);
    expect(moody.documents).to.have.length(tries);
    await node.clock.advance(1);
    await comesTrue(() => warned(node, NOT_NOW) === 2);
    moody.answer = undefined;
    moody.documents.length = 0;
    await node.clock.advance(RETRY_MS);
    await comesTrue(async () => (await vectorsOf(node, 8)) === 3);
    expect(moody.documents.flat()).to.deep.equal(['one', 'two', 'three'].map((v) => `${v} memory:note ${v}`));
    await comesTrue(() => hasVector(node, 'two'));
  });

  it('are not computed for facts of low confidence, retractions and system facts', async () => {
    const { moody, plugin } = createMoodyEmbedder(8);
    const node = await start(plugin);
    await say(node, 'faint', { confidence: 0.09 });
    await say(node, 'weak', { confidence: 0.1 });
    await say(node, 'this', { entity: 'user:x' });
    await say(node, 'that', { entity: 'user:x' });
    await say(node, 'weak', { confidence: 0 });
    await say(node, 'last');
    await comesTrue(() => hasVector(node, 'last'));
    expect(moody.documents.flat().map((text) => text.split(' ').at(-1))).to.deep.equal([
      'weak',
      'this',
      'that',
      'last',
    ]);
  });

  const garbage: Readonly<Record<string, (texts: readonly string[]) => Float32Array[]>> = {
    'too few vectors': () => [],
    'vectors of other dimensions': (texts) => texts.map(() => new Float32Array(5)),
    'vectors with a component that is no number': (texts) => texts.map(() => new Float32Array(8).fill(Number.NaN)),
  };
  for (const [what, answer] of Object.entries(garbage)) {
    it(`are dropped if the embedder returns ${what}, and recalls work without them`, async () => {
      const { moody, plugin } = createMoodyEmbedder(8);
      const node = await start(plugin);
      moody.answer = answer;
      await say(node, 'lantern');
      await comesTrue(() => warned(node, NOT_NOW) === 1);
      expect(await recall(node, { query: 'lantern' })).to.deep.equal(['lantern']);
      expect(warned(node, WITHOUT_DENSE)).to.equal(1);
      expect(await vectorsOf(node, 8)).to.equal(0);
      moody.answer = undefined;
      await node.clock.advance(RETRY_MS);
      await comesTrue(() => hasVector(node, 'lantern'));
    });
  }

  it('are made at a limited rate for old facts, and the log reports the progress', async () => {
    const before = await start(createMoodyEmbedder(8).plugin);
    const facts = Array.from({ length: 300 }, (_, n) => ({
      entity: `user:${n}`,
      relation: 'memory:note',
      value: { type: 'text', v: `note ${n}` },
      source: 'agent:s',
    }));
    const reply = await before.request('POST', '/v1/facts/batch', { key, body: facts });
    expect(reply.status, reply.text).to.be.within(200, 207);
    await before.stop();
    const node = await start(createMoodyEmbedder(16).plugin, { backlogPerSecond: 10 });
    const message = 'facts are being embedded';
    await comesTrue(async () => {
      await node.clock.advance(1_000);
      return node.logLines.some((line) => line.message === message);
    });
    const { fields } = node.logLines.find((line) => line.message === message) ?? {};
    expect(fields).to.include({ embedder: 'scripted-16', total: 300 });
    expect(fields?.['done']).to.be.within(65, 235);
    expect(fields?.['ratePerSecond']).to.be.within(1, 15);
  });

  it('are made again by another embedder, while the old ones stay for a day after their last use', async () => {
    const [small, large] = [createMoodyEmbedder(8), createMoodyEmbedder(16)];
    const one = await start(small.plugin);
    for (const v of ['one', 'two', 'three']) await say(one, v);
    await comesTrue(() => hasVector(one, 'three'));
    const other = await start(large.plugin);
    await comesTrue(() => hasVector(other, 'three'));
    expect([await vectorsOf(other, 8), await vectorsOf(other, 16)]).to.deep.equal([3, 3]);

    await useForADay(one, 8);
    await useForADay(other, 16);
    expect(await vectorsOf(other, 8), 'while another process uses them').to.equal(3);
    expect(await hasVector(one, 'two')).to.equal(true);

    await one.stop();
    await useForADay(other, 16);
    await comesTrue(async () => (await vectorsOf(other, 8)) === 0);
    expect(await vectorsOf(other, 16)).to.equal(3);
    expect(await hasVector(other, 'two')).to.equal(true);
  });

  it('are completed if an embedder returns while its vectors are being dropped', async () => {
    const [small, large] = [createMoodyEmbedder(8), createMoodyEmbedder(16)];
    const one = await start(small.plugin);
    for (const v of ['one', 'two']) await say(one, v);
    await comesTrue(() => hasVector(one, 'two'));
    await one.stop();
    const other = await start(large.plugin);
    await comesTrue(() => hasVector(other, 'two'));
    await useForADay(other, 16);
    await comesTrue(async () => (await vectorsOf(other, 8)) === 0);
    const back = await start(createMoodyEmbedder(8).plugin);
    await comesTrue(() => hasVector(back, 'one'));
    expect(await hasVector(back, 'two')).to.equal(true);
  });
});
