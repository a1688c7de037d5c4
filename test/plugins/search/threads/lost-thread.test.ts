import type { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { comesTrue } from '../../../kit/comes-true.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../../kit/start-test-node.ts';

const PLUGINS = ['keys', 'facts', 'conflicts', 'recall', 'search'];
const COLOURS = ['red', 'green', 'blue', 'white', 'black'];

forEachStore('a node whose search threads die', () => {
  let node: TestNode | undefined;
  const threads: Worker[] = [];
  const began = (worker: Worker): void => void threads.push(worker);
  beforeEach(() => {
    threads.length = 0;
    process.on('worker', began);
  });
  afterEach(async () => {
    process.off('worker', began);
    await node?.stop();
  });

  const start = async () => {
    const started = await startTestNode({ plugins: PLUGINS, env: { SVC_SEARCH_THREAD: 'on' } });
    node = started;
    const key = await started.addKey();
    const say = async (v: string): Promise<void> => {
      const body = { entity: 'user:ann', relation: 'memory:note', value: { type: 'text', v }, source: 'agent:s' };
      const reply = await started.request('POST', '/v1/facts', {
        key,
        body: { ...body, relation: `memory:${v.split(' ')[0]}` },
      });
      expect(reply.status, reply.text).to.equal(201);
    };
    const recall = async (query: string, weights: object = { lexical: 1 }): Promise<string[]> => {
      const body = { query, weights, token_budget: 1_000 };
      const reply = await started.request('POST', '/v1/recall', { key, body });
      expect(reply.status, reply.text).to.equal(200);
      expect(reply.body.degraded).to.deep.equal([]);
      return reply.body.facts.map(({ fact }: { fact: { value: { v: string } } }) => fact.value.v);
    };
    return { started, say, recall };
  };

  it('finds everything again, even in searches that had already begun', async () => {
    const { started, say, recall } = await start();
    for (const colour of COLOURS) await say(`${colour} kite`);
    expect(await recall('kite')).to.have.length(COLOURS.length);
    const asked = Array.from({ length: 20 }, () => recall('kite'));
    await Promise.all(threads.map((thread) => thread.terminate()));
    for (const found of await Promise.all(asked)) expect(found).to.have.length(COLOURS.length);
    expect(await recall('blue kite')).to.have.length(COLOURS.length);
    expect(started.logLines.some(({ message }) => message.startsWith('the search index was lost'))).to.equal(true);
    await say('yellow kite');
    expect((await recall('yellow kite'))[0]).to.equal('yellow kite');
  });

  it('continues to embed facts that were stored before and after the loss', async () => {
    const { started, say, recall } = await start();
    const isFoundByVector = async (v: string): Promise<boolean> => {
      await started.clock.advance(1_000);
      return (await recall(`user:ann memory:${v} ${v}`, { vector: 1 }))[0] === v;
    };
    await say('counselling');
    await comesTrue(() => isFoundByVector('counselling'));
    await Promise.all(threads.map((thread) => thread.terminate()));
    await comesTrue(() => isFoundByVector('counselling'));
    await say('education');
    await comesTrue(() => isFoundByVector('education'));
  });

  it('has no thread left after it stopped', async () => {
    const { started, say, recall } = await start();
    await say('red kite');
    expect(await recall('kite')).to.deep.equal(['red kite']);
    expect(threads).not.to.be.empty;
    await started.stop();
    // A thread that has ended has no number.
    expect(threads.filter(({ threadId }) => threadId !== -1)).to.deep.equal([]);
  });
});
