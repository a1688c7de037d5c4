import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { SearchIndex } from '../../../../plugins/search/search-api.ts';
import type { SearchService } from '../../../../plugins/search/search-service.ts';
import { takeSeat } from '../../../../plugins/search/shared/index-seat.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { scratchPlace } from '../../../kit/scratch-place.ts';
import { startTestNode, type TestNode } from '../../../kit/start-test-node.ts';
import { placeTestStore } from '../../../kit/test-store.ts';

const PLUGINS = ['keys', 'facts', 'conflicts', 'jobs', 'recall', 'search'];
/** Longer than a recall waits for an index. */
const LONG_MS = 20_000;

forEachStore('workers that share one search index', (kind) => {
  let folder: string;
  let key: string;
  let nodes: TestNode[];
  beforeEach(async () => {
    folder = await mkdtemp(join(await scratchPlace(), 'shared-'));
    nodes = [];
  });
  afterEach(async () => {
    for (const node of nodes) await node.stop();
    await (await placeTestStore(kind, folder)).remove();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (worker?: number): Promise<TestNode> => {
    const node = await startTestNode({ plugins: PLUGINS, folder, ...(worker === undefined ? {} : { worker }) });
    if (nodes.push(node) === 1) key = await node.addKey({ permissions: ['read', 'write', 'admin'] });
    return node;
  };
  const say = async (node: TestNode, v: string): Promise<void> => {
    const body = { entity: 'user:ann', relation: `memory:${v}`, value: { type: 'text', v }, source: 'agent:s' };
    expect((await node.request('POST', '/v1/facts', { key, body })).status).to.equal(201);
  };
  const recall = async (node: TestNode, query: string) => {
    const body = { query, token_budget: 1_000 };
    const reply = await node.request('POST', '/v1/recall', { key, body });
    expect(reply.status, reply.text).to.equal(200);
    const { facts, degraded } = reply.body as { facts: { fact: { value: { v: string } } }[]; degraded: string[] };
    return { found: facts.map(({ fact }) => fact.value.v), degraded };
  };
  const sizeOf = (node: TestNode): number => (node.kernel.get(SearchIndex) as SearchService).size;
  const sockets = (): string[] => readdirSync(join(folder, 'search')).filter((name) => name.endsWith('.sock'));

  it('find each fact through every worker, in the index of one of them', async () => {
    const [one, two] = [await start(0), await start(1)];
    await say(two, 'kite');
    expect(await recall(one, 'kite')).to.deep.equal({ found: ['kite'], degraded: [] });
    await say(one, 'lantern');
    expect(await recall(two, 'lantern')).to.deep.equal({ found: ['lantern'], degraded: [] });
    expect([sizeOf(one) > 0, sizeOf(two)]).to.deep.equal([true, 0]);
  });

  it('find everything again after the worker with the index has ended', async () => {
    const [one, two, three] = [await start(0), await start(1), await start(2)];
    await say(two, 'kite');
    await one.stop();
    for (const node of [two, three]) {
      await comesTrue(async () => {
        const { found, degraded } = await recall(node, 'kite');
        expect(degraded.length > 0 || found.includes('kite')).to.equal(true);
        return degraded.length === 0;
      });
    }
    expect([two, three].filter((node) => sizeOf(node) > 0)).to.have.length(1);
  });

  it('rebuild the index when any of them is asked to', async () => {
    const [one, two] = [await start(0), await start(1)];
    await say(two, 'kite');
    const asked = await two.request('POST', '/v1/admin/reindex', { key, body: { what: ['words', 'vectors'] } });
    expect(asked.status, asked.text).to.equal(202);
    await comesTrue(async () => {
      await two.clock.advance(1_000);
      await one.clock.advance(1_000);
      const { body } = await two.request('GET', `/v1/jobs/${asked.body.job_id}`, { key });
      return body.status === 'done';
    });
    expect(one.logLines.filter(({ message }) => message === 'the search index was built anew')).to.have.length(1);
    expect(await recall(two, 'kite')).to.deep.equal({ found: ['kite'], degraded: [] });
  });

  it('report an incomplete answer while the index holder is silent, then take over and find everything', async () => {
    const one = await start(0);
    await say(one, 'kite');
    const [socket = ''] = sockets();
    await one.stop();
    const askers: Socket[] = [];
    const silent = createServer((asker) => void askers.push(asker)).listen(join(folder, 'search', socket));
    await once(silent, 'listening');

    const two = await start(1);
    const asked = recall(two, 'kite');
    let answer: Awaited<typeof asked> | undefined;
    void asked.then((known) => {
      answer = known;
    });
    await comesTrue(async () => {
      await two.clock.advance(LONG_MS);
      return answer !== undefined;
    });
    expect(answer).to.deep.equal({ found: [], degraded: ['index_rebuilding'] });

    await comesTrue(async () => (await recall(two, 'kite')).found.includes('kite'));
    expect(sizeOf(two)).to.be.greaterThan(0);
    silent.close();
    for (const asker of askers) asker.destroy();
  });

  it('drop the index of a former holder once another worker has taken over', async () => {
    const [one, two] = [await start(0), await start(1)];
    await say(one, 'kite');
    expect(await recall(two, 'kite')).to.deep.equal({ found: ['kite'], degraded: [] });
    const pool = (sockets()[0] ?? '').replace(/-0\.sock$/, '');
    const accept = (asker: Socket): void => void asker.destroy();
    const seat = await takeSeat({ folder: join(folder, 'search'), pool, place: 2, accept, givenUp: 0 });
    await comesTrue(async () => {
      await one.clock.advance(LONG_MS);
      return one.logLines.some(({ message }) => message.startsWith('another process has taken over the search index'));
    });
    if ('server' in seat) seat.server.close();
    for (const node of [one, two]) {
      await comesTrue(async () => {
        await node.clock.advance(LONG_MS);
        return (await recall(node, 'kite')).found.includes('kite');
      });
    }
    expect([one, two].filter((node) => sizeOf(node) > 0)).to.have.length(1);
  });

  it('have an index each if no supervisor runs them', async () => {
    const [one, two] = [await start(), await start()];
    await say(one, 'kite');
    for (const node of [one, two]) expect((await recall(node, 'kite')).found).to.deep.equal(['kite']);
    expect([sizeOf(one) > 0, sizeOf(two) > 0]).to.deep.equal([true, true]);
    expect(readdirSync(folder)).not.to.include('search');
  });
});
