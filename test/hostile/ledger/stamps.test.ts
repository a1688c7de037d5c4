import { expect } from 'chai';
import { parseHlc } from '../../../kernel/internal-api.ts';
import { compareHlc, type Hlc, NodeSelf, nodePrincipal } from '../../../kernel/plugin-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

const HOUR_MS = 3_600_000;
const body = (v: number) => ({
  entity: `user:${v}`,
  relation: 'memory:seen',
  value: { type: 'number', v },
  source: 'agent:w',
});

const stampOf = (reply: { body: { hlc: string } }): Hlc => parseHlc(reply.body.hlc) as Hlc;

const expectRising = (stamps: readonly Hlc[]): void => {
  for (const [at, stamp] of stamps.entries()) {
    if (at > 0) expect(compareHlc(stamp, stamps[at - 1] as Hlc), `stamp ${at}`).to.be.above(0);
  }
};

forEachStore('The system clock is set back repeatedly (I4)', () => {
  it('and the stamps of the node still increase', async () => {
    const node = await startTestNode();
    try {
      const key = await node.addKey();
      const stamps: Hlc[] = [];
      for (let turn = 0; turn < 12; turn += 1) {
        node.clock.setNowMs(node.clock.nowMs() + (turn % 3 === 0 ? 1_000 : -HOUR_MS));
        const alone = await node.request('POST', '/v1/facts', { key, body: body(turn) });
        const batch = await node.request('POST', '/v1/facts/batch', {
          key,
          body: [body(100 + turn), body(200 + turn)],
        });
        const facts = batch.body.results.map((result: { fact: { hlc: string } }) => ({ body: result.fact }));
        stamps.push(stampOf(alone), ...facts.map(stampOf));
      }
      expectRising(stamps);
      const feed = await node.kernel
        .get(FactStore)
        .read((snapshot) => snapshot.feedAfter({ wallMs: 0, counter: 0 }, 1_000));
      expectRising(feed.map(({ stamp }) => stamp));
    } finally {
      await node.stop();
    }
  });
});

describe('The system clock is set back an hour while the node is off (I4)', () => {
  it('and the next start gives stamps above every earlier one', () =>
    inTemporaryFolder(async (folder) => {
      const stamps: Hlc[] = [];
      for (const [turn, shift] of [0, -HOUR_MS, -2 * HOUR_MS].entries()) {
        const node = await startTestNode({ folder, random: createSeededRandom(turn) });
        try {
          node.clock.setNowMs(node.clock.nowMs() + shift);
          const key = await node.addKey();
          stamps.push(stampOf(await node.request('POST', '/v1/facts', { key, body: body(shift) })));
        } finally {
          await node.stop();
        }
      }
      expectRising(stamps);
    }));
});

forEachStore('Clients and peers send their own stamps', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode();
    key = await node.addKey();
  });
  afterEach(() => node.stop());

  it('stamps given after a fact from a node with a fast clock are higher than its stamp (I5)', async () => {
    const { names } = node.kernel.get(NodeSelf);
    const aheadMs = node.clock.nowMs() + 60_000;
    const draft = {
      entity: 'user:far',
      relation: 'memory:seen',
      value: { type: 'number', v: 1, interpretAs: 'content' },
      source: 'agent:far',
      confidence: 1,
      scope: 'public',
      id: 'a-fact-of-another-node',
      hlcText: `${aheadMs}.7`,
      receivedFrom: 'svc:node:far',
    } as const;
    await node.facts.append(draft, nodePrincipal(names), { origin: 'peer' });
    const own = stampOf(await node.request('POST', '/v1/facts', { key, body: body(1) }));
    expect(compareHlc(own, { wallMs: aheadMs, counter: 7 })).to.be.above(0);
  });

  it('a client that sends stamps and times in the far future does not advance the clock (I6)', async () => {
    const far = `${node.clock.nowMs() + 365 * 24 * HOUR_MS}.0`;
    const late = new Date(node.clock.nowMs() + 299_000).toISOString();
    const tooLate = new Date(node.clock.nowMs() + 301_000).toISOString();
    const taken = await node.request('POST', '/v1/facts', { key, body: { ...body(1), hlc: far, timestamp: late } });
    const refused = await node.request('POST', '/v1/facts', { key, body: { ...body(2), timestamp: tooLate } });
    const after = await node.request('POST', '/v1/facts', { key, body: body(3) });
    expect([taken.status, refused.status, after.status]).to.deep.equal([201, 422, 201]);
    for (const reply of [taken, after]) expect(stampOf(reply).wallMs).to.equal(node.clock.nowMs());
  });
});
