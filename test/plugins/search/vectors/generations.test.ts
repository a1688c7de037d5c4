import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { defineOwnPlugin } from '../../../../kernel/internal-api.ts';
import { EarlierEmbedders, Embedder } from '../../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../../kernel/plugins/plugin-definition.ts';
import { SearchIndex } from '../../../../plugins/search/search-api.ts';
import { FactStore } from '../../../../ports/ports.ts';
import { createScriptedEmbedder } from '../../../fakes/scripted-embedder.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { forEachLayout } from '../../../kit/for-each-layout.ts';
import { startTestNode, type TestNode } from '../../../kit/start-test-node.ts';

const PLUGINS = ['keys', 'facts', 'conflicts', 'recall', 'search', 'node-info', 'tombstones'];
const RATE = 1_000;
const [OLD, NEW] = [8, 16];
/** A number of facts that takes several steps. */
const FACTS = 150;

/** An embedder that can be stopped, and the earlier embedders of the node. */
const embedderOf = (dimensions: number, earlier: readonly number[] = []) => {
  const sound = createScriptedEmbedder({}, dimensions);
  const state = { isDown: false, refused: 0, documents: [] as string[] };
  const embedder: Embedder = {
    ...sound,
    async embed(texts, purpose) {
      if (state.isDown && purpose === 'document') {
        state.refused += 1;
        throw new Error('out of order');
      }
      if (purpose === 'document') state.documents.push(...texts);
      return sound.embed(texts, purpose);
    },
  };
  const plugin: AnyPlugin = defineOwnPlugin({
    name: `embedder-${dimensions}`,
    provides: [Embedder, EarlierEmbedders],
    setup: ({ provide }) => {
      provide(Embedder, embedder);
      const known = earlier.map((of) => createScriptedEmbedder({}, of));
      provide(EarlierEmbedders, { find: (id) => known.find((one) => one.id === id) });
    },
  });
  return { state, plugin };
};

forEachLayout('vectors of a new embedder that replaces another one', () => {
  let folder: string;
  let key: string;
  const nodes: TestNode[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'generations-'));
  });
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (plugin: AnyPlugin): Promise<TestNode> => {
    const settings = {
      tombstones: { enabled: true },
      search: { snapshotFolder: join(folder, 'snapshots'), backlogPerSecond: RATE },
    };
    const node = await startTestNode({ plugins: [...PLUGINS, plugin], folder, settings });
    if (nodes.length === 0) key = await node.addKey({ permissions: ['read', 'write', 'admin'] });
    nodes.push(node);
    return node;
  };
  const say = async (node: TestNode, names: readonly string[], members = {}): Promise<void> => {
    const body = names.map((v) => ({
      entity: `user:${v}`,
      relation: 'memory:note',
      value: { type: 'text', v },
      source: 'agent:s',
      ...members,
    }));
    const reply = await node.request('POST', '/v1/facts/batch', { key, body });
    expect(reply.status, reply.text.slice(0, 300)).to.be.within(200, 201);
  };
  const recall = async (node: TestNode, v: string, weights: object): Promise<{ first: unknown; degraded: unknown }> => {
    const body = { token_budget: 1_000, limit: 3, query: `${v} memory:note ${v}`, weights };
    const reply = await node.request('POST', '/v1/recall', { key, body });
    expect(reply.status, reply.text).to.equal(200);
    return { first: reply.body.facts[0]?.fact.value.v, degraded: reply.body.degraded };
  };
  const byVector = (node: TestNode, v: string) => recall(node, v, { vector: 1 });
  const finds = async (node: TestNode, v: string): Promise<boolean> => {
    await node.clock.advance(0);
    return (await byVector(node, v)).first === v;
  };
  const stored = async (node: TestNode, dimensions: number): Promise<number> => {
    const rows = await node.kernel
      .get(FactStore)
      .table('search_vectors')
      .where({ embedder: `scripted-${dimensions}` });
    return rows.length;
  };
  const embedders = (node: TestNode): Promise<readonly string[]> => node.kernel.get(SearchIndex).embedders();
  const names = Array.from({ length: FACTS }, (_, n) => `name${n}`);
  /** Prepares a stopped node with facts that have vectors of the old embedder. */
  const prepare = async (): Promise<void> => {
    const before = embedderOf(OLD);
    const node = await start(before.plugin);
    for (let at = 0; at < FACTS; at += 50) await say(node, names.slice(at, at + 50));
    await comesTrue(async () => {
      await node.clock.advance(100);
      return (await stored(node, OLD)) === FACTS;
    });
    await comesTrue(() => finds(node, 'name149'));
    await node.stop();
  };

  it('are added beside those of the old embedder, which find each fact until it has a new one', async () => {
    await prepare();
    const { plugin, state } = embedderOf(NEW, [OLD]);
    state.isDown = true;
    const node = await start(plugin);
    await comesTrue(() => finds(node, 'name149'));
    expect(await embedders(node)).to.deep.equal(['scripted-16', 'scripted-8']);
    expect((await byVector(node, 'name3')).degraded).to.deep.equal(['index_rebuilding']);
    state.isDown = false;
    await comesTrue(async () => {
      await node.clock.advance(1_000);
      return (await stored(node, NEW)) > 0;
    });
    // New facts are embedded before the remaining old ones.
    await say(node, ['latest']);
    await comesTrue(async () => {
      await node.clock.advance(20);
      const found = await Promise.all(['name3', 'name80', 'name149'].map(async (v) => (await byVector(node, v)).first));
      expect(found).to.deep.equal(['name3', 'name80', 'name149']);
      return (await stored(node, NEW)) === FACTS + 1;
    });
    await comesTrue(async () => (await embedders(node)).length === 1);
    expect(await byVector(node, 'name80')).to.deep.equal({ first: 'name80', degraded: [] });
    expect(await finds(node, 'latest')).to.equal(true);
    expect(state.documents.length, 'each text once').to.equal(new Set(state.documents).size);
    expect(await stored(node, OLD), 'kept for a way back').to.equal(FACTS);
  });

  it('are missing at first if the previous embedder is unavailable; words find the facts meanwhile', async () => {
    await prepare();
    const { plugin, state } = embedderOf(NEW);
    state.isDown = true;
    const node = await start(plugin);
    const found = await recall(node, 'name3', { lexical: 0.5, vector: 0.5 });
    expect(found).to.deep.equal({ first: 'name3', degraded: ['index_rebuilding'] });
    expect(await embedders(node)).to.deep.equal(['scripted-16']);
  });

  it('continue to be added after a node was stopped in the middle', async () => {
    await prepare();
    const first = embedderOf(NEW, [OLD]);
    const node = await start(first.plugin);
    await comesTrue(async () => {
      await node.clock.advance(10);
      return (await stored(node, NEW)) > 0;
    });
    await node.stop();
    const second = embedderOf(NEW, [OLD]);
    const again = await start(second.plugin);
    await comesTrue(async () => {
      expect((await byVector(again, 'name149')).first).to.equal('name149');
      await again.clock.advance(50);
      return (await embedders(again)).length === 1;
    });
    const made = [...first.state.documents, ...second.state.documents];
    expect(made.length)
      .to.be.at.least(FACTS)
      .and.at.most(FACTS + 64);
    expect(await stored(again, NEW)).to.equal(FACTS);
  });

  it('are not made for hidden facts until those are shown again', async () => {
    await prepare();
    const { plugin, state } = embedderOf(NEW, [OLD]);
    state.isDown = true;
    const node = await start(plugin);
    const body = { entity_uri: 'user:name3', scope: '*' };
    const made = await node.request('POST', '/v1/tombstones', { key, body });
    expect(made.status, made.text).to.equal(201);
    // A step from before the tombstone may still request a vector of a hidden fact.
    const refused = state.refused;
    await comesTrue(async () => {
      await node.clock.advance(1_000);
      return state.refused > refused + 1;
    });
    state.isDown = false;
    await comesTrue(async () => {
      await node.clock.advance(1_000);
      return (await embedders(node)).length === 1;
    });
    const texts = () => state.documents.filter((text) => text.startsWith('name3 '));
    expect(texts()).to.deep.equal([]);
    const path = `/v1/tombstones/${made.body.id}/revoke`;
    const revoked = await node.request('POST', path, { key, body: { reason: 'a mistake' } });
    expect(revoked.status, revoked.text).to.be.within(200, 201);
    await comesTrue(async () => {
      await node.clock.advance(1_000);
      return finds(node, 'name3');
    });
    expect(texts()).to.have.length(1);
  });

  it('are not made for expired facts', async () => {
    await prepare();
    const node = await start(embedderOf(OLD).plugin);
    const soon = new Date(node.clock.nowMs() + 60_000).toISOString();
    await say(node, ['mortal'], { valid_until: soon });
    await comesTrue(() => finds(node, 'mortal'));
    await node.stop();
    const { plugin, state } = embedderOf(NEW, [OLD]);
    state.isDown = true;
    const later = await start(plugin);
    await later.clock.advance(120_000);
    state.isDown = false;
    await comesTrue(async () => {
      await later.clock.advance(1_000);
      return (await embedders(later)).length === 1;
    });
    expect(state.documents.some((text) => text.includes('mortal'))).to.equal(false);
    expect(await stored(later, NEW)).to.equal(FACTS);
  });
});
