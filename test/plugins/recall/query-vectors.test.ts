import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { Embedder } from '../../../kernel/plugin-api.ts';
import { createScriptedEmbedder } from '../../fakes/scripted-embedder.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { type KeyOptions, startTestNode, type TestNode } from '../../kit/start-test-node.ts';

/** An embedder whose queries wait until a test releases them, or fail. */
const createSlowEmbedder = () => {
  const sound = createScriptedEmbedder();
  const waiting: (() => void)[] = [];
  const slow = {
    isSlow: true,
    isBroken: false,
    asked: [] as string[],
    letGo: () => {
      for (const go of waiting.splice(0)) go();
    },
  };
  const embedder: Embedder = {
    ...sound,
    async embed(texts, purpose) {
      if (purpose === 'document') return sound.embed(texts, purpose);
      slow.asked.push(...texts);
      if (slow.isSlow) await new Promise<void>((resolve) => waiting.push(resolve));
      if (slow.isBroken) throw new Error('out of order');
      return sound.embed(texts, purpose);
    },
  };
  const plugin = defineOwnPlugin({
    name: 'slow-embedder',
    provides: [Embedder],
    setup: ({ provide }) => provide(Embedder, embedder),
  });
  return { slow, plugin };
};

const WAIT_MS = 1_000;

describe('The vector of a query', () => {
  let node: TestNode;
  let slow: ReturnType<typeof createSlowEmbedder>['slow'];
  let key: string;
  afterEach(async () => {
    slow.letGo();
    await node.stop();
  });

  const start = async (settings: Readonly<Record<string, number>> = {}): Promise<void> => {
    const made = createSlowEmbedder();
    slow = made.slow;
    node = await startTestNode({
      plugins: ['keys', 'facts', 'conflicts', 'search', 'recall', 'multi-tenant', made.plugin],
      settings: { recall: settings, 'multi-tenant': { enabled: true } },
    });
    key = await keyOf('user:ann');
    const fact = { entity: 'user:ann', relation: 'memory:note', value: { type: 'text', v: 'two grey cats' } };
    const stored = await node.request('POST', '/v1/facts', { key, body: { ...fact, source: 'agent:s' } });
    expect(stored.status, stored.text).to.equal(201);
  };
  const keyOf = (entityUri: string, more: KeyOptions = {}) => node.addKey({ entityUri, ...more });
  const recall = async (query: string, as = key) => {
    const reply = await node.request('POST', '/v1/recall', { key: as, body: { query, token_budget: 500 } });
    expect(reply.status, reply.text).to.equal(200);
    const { facts, degraded } = reply.body;
    return { found: facts.length, degraded };
  };
  /** Recalls while the embedder is late, and returns the answer. */
  const recallInVain = async (query: string, as = key) => {
    const before = slow.asked.length;
    const answer = recall(query, as);
    await comesTrue(() => slow.asked.length > before);
    await node.clock.advance(WAIT_MS);
    return answer;
  };

  const WHOLE = { found: 1, degraded: [] };
  const POORER = { found: 1, degraded: ['embedder_unavailable'] };

  it('does not delay a recall when it is late, and is used by the next one', async () => {
    await start();
    expect(await recallInVain('grey cats')).to.deep.equal(POORER);
    slow.letGo();
    expect(await recall('grey cats')).to.deep.equal(WHOLE);
    expect(slow.asked).to.deep.equal(['grey cats']);
  });

  it('delays a recall no longer than the setting allows', async () => {
    await start({ queryEmbedMs: 5_000 });
    const answer = recall('grey cats');
    await comesTrue(() => slow.asked.length === 1);
    await node.clock.advance(4_999);
    slow.letGo();
    expect(await answer).to.deep.equal(WHOLE);
  });

  it('delays a recall without limit if the setting allows it', async () => {
    await start({ queryEmbedMs: 0 });
    const answer = recall('grey cats');
    await comesTrue(() => slow.asked.length === 1);
    await node.clock.advance(3_600_000);
    slow.letGo();
    expect(await answer).to.deep.equal(WHOLE);
  });

  it('is never used for another caller', async () => {
    await start();
    const others = [await keyOf('user:ben'), await keyOf('user:ann', { tenantId: 'other' })];
    const again = await keyOf('user:ann');
    await recallInVain('grey cats');
    slow.letGo();
    for (const other of others) {
      expect((await recallInVain('grey cats', other)).degraded).to.deep.equal(['embedder_unavailable']);
    }
    expect(await recall('grey cats', again)).to.deep.equal(WHOLE);
    expect(slow.asked).to.have.length(1 + others.length);
  });

  it('is requested again after a failure of the embedder', async () => {
    await start();
    Object.assign(slow, { isSlow: false, isBroken: true });
    expect(await recall('grey cats')).to.deep.equal(POORER);
    slow.isBroken = false;
    expect(await recall('grey cats')).to.deep.equal(WHOLE);
    expect(slow.asked).to.have.length(2);
  });

  it('is cached for the last sixteen queries of a caller', async () => {
    await start();
    slow.isSlow = false;
    for (let place = 0; place <= 16; place += 1) await recall(`cats ${place}`);
    slow.isBroken = true;
    expect(await recall('cats 1')).to.deep.equal(WHOLE);
    expect(await recall('cats 0')).to.deep.equal(POORER);
  });

  it('is reported as late once, however many recalls wait for it', async () => {
    await start();
    await recallInVain('grey cats');
    for (let time = 0; time < 20; time += 1) {
      let again: unknown;
      void recall('grey cats').then((answer) => {
        again = answer;
      });
      await comesTrue(async () => {
        await node.clock.advance(WAIT_MS);
        return again !== undefined;
      });
      expect(again).to.deep.equal(POORER);
    }
    slow.isSlow = false;
    expect(await recall('two cats')).to.deep.equal(WHOLE);
    expect(slow.asked).to.deep.equal(['grey cats', 'two cats']);
  });

  it('is not requested while sixteen of the same caller are late; other callers are not affected', async () => {
    await start();
    const other = await keyOf('user:ben');
    for (let place = 0; place < 16; place += 1) await recallInVain(`cats ${place}`);
    expect(await recall('cats')).to.deep.equal(POORER);
    expect(slow.asked).to.not.include('cats');
    slow.isSlow = false;
    expect((await recall('cats', other)).degraded).to.deep.equal([]);
    slow.letGo();
    expect(await recall('cats')).to.deep.equal(WHOLE);
  });
});
