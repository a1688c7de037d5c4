import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Telemetry } from '../../../../kernel/plugin-api.ts';
import { SearchIndex } from '../../../../plugins/search/search-api.ts';
import { FactStore } from '../../../../ports/ports.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { forEachLayout } from '../../../kit/for-each-layout.ts';
import { startTestNode, type TestNode } from '../../../kit/start-test-node.ts';

const PLUGINS = ['keys', 'facts', 'conflicts', 'jobs', 'graph', 'recall', 'search', 'multi-tenant'];
/** The limit of a recall, below the number of facts with a vector near the question. */
const LIMIT = 5;
const FACTS = 100;

forEachLayout('search indexes and edges that a job rebuilds', () => {
  let folder: string;
  let admin = '';
  let key: string;
  const nodes: TestNode[] = [];
  beforeEach(async () => {
    admin = '';
    folder = await mkdtemp(join(tmpdir(), 'reindex-'));
  });
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (search = {}): Promise<TestNode> => {
    const settings = {
      'multi-tenant': { enabled: true },
      search: { snapshotFolder: join(folder, `snapshots-${nodes.length}`), ...search },
    };
    const node = await startTestNode({ plugins: PLUGINS, folder, settings });
    if (admin === '') {
      admin = await node.addKey({ permissions: ['read', 'write', 'admin'] });
      key = await node.addKey();
    }
    nodes.push(node);
    return node;
  };
  const fill = async (node: TestNode): Promise<void> => {
    const body = Array.from({ length: FACTS }, (_, n) => ({
      entity: `user:u${n}`,
      relation: 'memory:knows',
      value: { type: 'ref', v: `user:u${(n + 1) % FACTS}` },
      source: 'agent:s',
    }));
    const reply = await node.request('POST', '/v1/facts/batch', { key, body });
    expect(reply.status, reply.text.slice(0, 300)).to.be.within(200, 201);
    await comesTrue(async () => {
      await node.clock.advance(500);
      return (await count(node, 'search_vectors')) === FACTS;
    });
  };
  const count = async (node: TestNode, table: string): Promise<number> => {
    const [row] = await node.kernel.get(FactStore).table(table).count({ n: '*' });
    return Number(row?.n);
  };
  const ask = async (node: TestNode, what?: readonly string[]): Promise<string> => {
    const reply = await node.request('POST', '/v1/admin/reindex', { key: admin, body: what ? { what } : {} });
    expect(reply.status, reply.text).to.equal(202);
    return reply.body.job_id;
  };
  /** Returns the number of the target generation of vectors. */
  const madeOf = async (node: TestNode): Promise<number> => {
    const state = await node.request('GET', '/v1/admin/reindex', { key: admin });
    return state.body.indexes[2].details.generation;
  };
  const recalled = async (node: TestNode): Promise<string[]> => {
    const body = { token_budget: 2_000, limit: LIMIT, query: 'u17', depth: 0 };
    const reply = await node.request('POST', '/v1/recall', { key, body });
    expect(reply.status, reply.text).to.equal(200);
    return reply.body.facts.map(({ fact }: { fact: { entity: string } }) => fact.entity).sort();
  };
  const neighbours = async (node: TestNode): Promise<number> => {
    const reply = await node.request('GET', '/v1/graph/neighbors?entity=user:u17', { key });
    expect(reply.status, reply.text).to.equal(200);
    return reply.body.neighbors.length;
  };
  const job = async (node: TestNode, id: string) =>
    (await node.request('GET', `/v1/jobs/${id}`, { key: admin })).body as Record<string, unknown>;
  /** Advances the clocks of all nodes until the job has ended; `meanwhile` checks the replies in between. */
  const ended = async (id: string, meanwhile: () => Promise<void> = async () => {}) => {
    const first = nodes.at(-1) as TestNode;
    let report: Record<string, unknown> = {};
    await comesTrue(async () => {
      for (const node of nodes) await node.clock.advance(500);
      await meanwhile();
      report = await job(first, id);
      return report['status'] !== 'pending' && report['status'] !== 'running';
    });
    return report;
  };

  it('give the same answers before, during and after the rebuild, in all processes', async () => {
    const one = await start();
    await fill(one);
    const two = await start();
    const before = await recalled(one);
    expect(before).to.include('user:u17');
    const id = await ask(one);
    const report = await ended(id, async () => {
      for (const node of nodes) expect(await recalled(node)).to.deep.equal(before);
      expect(await neighbours(two)).to.equal(2);
    });
    expect(report, JSON.stringify(report)).to.include({ status: 'done', job_type: 'search.reindex' });
    expect(report).to.deep.include({ indexes: ['edges', 'words', 'vectors'] });
    for (const node of nodes) {
      expect(node.logLines.filter(({ message }) => message === 'the search index was built anew')).to.have.length(1);
    }
    expect(await recalled(two)).to.deep.equal(before);
    expect(await count(one, 'search_vectors'), 'both generations').to.equal(2 * FACTS);
    const state = await one.request('GET', '/v1/admin/reindex', { key: admin });
    expect(state.body.indexes.map(({ name, state: now }: Record<string, string>) => [name, now])).to.deep.equal([
      ['edges', 'complete'],
      ['words', 'complete'],
      ['vectors', 'complete'],
    ]);
    expect(state.body.indexes[2].details).to.include({ generation: 2, embedder: 'words-3-768' });
  });

  it('restore lost edges, and correct wrong ones', async () => {
    const node = await start();
    await fill(node);
    const edges = () => node.kernel.get(FactStore).table('graph_edges');
    await edges().where({ subject_key: 'user:u17' }).delete();
    await edges().where({ subject_key: 'user:u16' }).update({ object_key: 'user:nobody' });
    expect(await neighbours(node)).to.equal(0);
    expect(await ended(await ask(node, ['edges']))).to.include({ status: 'done' });
    expect(await neighbours(node)).to.equal(2);
    expect(await count(node, 'graph_edges')).to.equal(FACTS);
  });

  it('keep the previous vectors if the job is cancelled', async () => {
    // A minute passes after the first step.
    const node = await start({ backlogPerSecond: 1 });
    await fill(node);
    // The index follows the stored vectors.
    await comesTrue(async () => (await recalled(node)).length === LIMIT);
    const before = await recalled(node);
    const id = await ask(node, ['vectors']);
    await comesTrue(async () => {
      const state = await node.request('GET', '/v1/admin/reindex', { key: admin });
      if (state.body.indexes[2].details.generation === 2) return true;
      await node.clock.advance(100);
      return false;
    });
    expect((await node.request('DELETE', `/v1/jobs/${id}`, { key: admin })).status).to.equal(204);
    await comesTrue(async () => {
      await node.clock.advance(500);
      const state = await node.request('GET', '/v1/admin/reindex', { key: admin });
      return state.body.indexes[2].details.generation === 1 && state.body.indexes[2].state === 'complete';
    });
    expect(await node.kernel.get(SearchIndex).isMakingVectors()).to.equal(false);
    expect(await recalled(node)).to.deep.equal(before);
  });

  it('are completed by another process if the first one stops, with progress metrics', async () => {
    const one = await start({ backlogPerSecond: 1 });
    await fill(one);
    const id = await ask(one, ['edges', 'vectors']);
    const gauge = async (node: TestNode, name: string, label: string): Promise<number | undefined> => {
      const found = node.kernel
        .get(Telemetry)
        .instruments()
        .find((instrument) => instrument.name === name);
      const readings = found?.kind === 'gauge' ? await found.read() : [];
      const one = typeof readings === 'number' ? [] : readings;
      return one.find(({ labels = {} }) => Object.values(labels).includes(label))?.value;
    };
    await comesTrue(async () => {
      await one.clock.advance(100);
      return ((await gauge(one, 'search_backlog_facts', 'done')) ?? 0) > 0 && (await madeOf(one)) === 2;
    });
    expect(await gauge(one, 'search_backlog_facts', 'left')).to.be.above(0);
    await one.stop();
    const two = await start();
    nodes.splice(0, 1);
    expect(await ended(id)).to.include({ status: 'done' });
    expect(await gauge(two, 'search_backlog_facts', 'left')).to.equal(0);
    expect(await gauge(two, 'search_rebuilding', 'vectors')).to.equal(0);
    expect(await count(two, 'search_vectors'), 'each fact once in each generation').to.equal(2 * FACTS);
    expect(await madeOf(two)).to.equal(2);
  });

  it('are started only by administrators of the default tenant, and only with known names', async () => {
    const node = await start();
    const stranger = await node.addKey({ tenantId: 'other', permissions: ['read', 'admin'] });
    for (const method of ['GET', 'POST'] as const) {
      const body = method === 'POST' ? { body: {} } : {};
      expect((await node.request(method, '/v1/admin/reindex', { key, ...body })).status).to.equal(403);
      expect((await node.request(method, '/v1/admin/reindex', { key: stranger, ...body })).status).to.equal(403);
    }
    const only = await node.addKey({ entityUri: 'agent:ops', permissions: ['admin'] });
    expect((await node.request('GET', '/v1/admin/reindex', { key: only })).status).to.equal(200);
    const unknown = await node.request('POST', '/v1/admin/reindex', { key: admin, body: { what: ['cards'] } });
    expect(unknown.status).to.equal(422);
    expect(unknown.text).to.include('edges, words, vectors').and.not.include('cards');
  });
});
