import { expect } from 'chai';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { exportLines, importAll } from './transfer-node.ts';

const MINUTE_MS = 60_000;

forEachStore('times-to-live that an import brings to a running node', () => {
  const nodes: TestNode[] = [];

  const start = async () => {
    const node = await startTestNode({ random: createSeededRandom(nodes.length + 1) });
    nodes.push(node);
    return { node, key: await node.addKey({ permissions: ['read', 'write'] }) };
  };
  type Started = Awaited<ReturnType<typeof start>>;
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.stop();
  });

  const post = async ({ node, key }: Started, entity: string, relation: string, value: unknown): Promise<string> => {
    const body = { entity, relation, value, source: 'agent:w1' };
    const reply = await node.request('POST', '/v1/facts', { key, body });
    expect(reply.status, reply.text).to.be.below(300);
    return reply.body.id;
  };

  const liveFor = async (started: Started, id: string, minutes: number): Promise<void> => {
    const v = new Date(started.node.clock.nowMs() + minutes * MINUTE_MS).toISOString();
    await post(started, `svc:fact:${id}`, 'svc:ttl', { type: 'datetime', v });
  };

  const recall = async ({ node, key }: Started, members: string): Promise<readonly Recalled[]> => {
    const path = `/v1/recall?token_budget=4000&weights.lexical=1&${members}`;
    const { body, text, status } = await node.request('GET', path, { key });
    expect(status, text).to.equal(200);
    return body.facts;
  };
  const scoresOf = async (started: Started, moment = ''): Promise<unknown> =>
    (await recall(started, `query=cats${moment}`)).map(({ fact, score }) => [fact.value.v, score]);
  type Recalled = { readonly fact: { readonly value: { readonly v: string } }; readonly score: number };

  /** Imports the facts, lets the index follow them, and then imports the other lines alone. */
  const importInTwo = async (started: Started, [header = '', ...lines]: readonly string[]): Promise<void> => {
    const isFact = (line: string): boolean => JSON.parse(line).type === 'fact';
    await importAll(started.node, [header, ...lines.filter(isFact)], 1000);
    expect(await recall(started, 'query=zebras')).to.deep.equal([]);
    await importAll(started.node, [header, ...lines.filter((line) => !isFact(line))], 1000);
  };

  it('count in scores at once, and in recalls of the past after they were replaced', async () => {
    const from = await start();
    const ids: string[] = [];
    for (const v of ['grey cats', 'cats and a boat', 'a small boat', 'the harbour at night']) {
      ids.push(await post(from, `user:${ids.length}`, 'memory:note', { type: 'string', v }));
    }
    const [, second = ''] = ids;
    await liveFor(from, second, 10);
    const first = await exportLines(from.node);
    await liveFor(from, second, 300);
    const later = await exportLines(from.node);

    const whole = await start();
    await importAll(whole.node, first, 1000);
    const parted = await start();
    await importInTwo(parted, first);
    for (const { node } of [whole, parted]) await node.clock.advance(11 * MINUTE_MS);
    const scores = await scoresOf(whole);
    expect(scores).to.have.length(1);
    expect(await scoresOf(parted)).to.deep.equal(scores);

    const moment = `&as_of=${new Date(parted.node.clock.nowMs()).toISOString()}`;
    await parted.node.clock.advance(MINUTE_MS);
    await importInTwo(parted, later);
    await parted.node.clock.advance(MINUTE_MS);
    expect(await scoresOf(parted)).to.have.length(2);
    expect(await scoresOf(parted, moment)).to.deep.equal(scores);
  });
});
