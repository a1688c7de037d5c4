import { expect } from 'chai';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../../kit/start-test-node.ts';

const PLUGINS = ['facts', 'keys', 'time-travel'] as const;
const DAY = 86_400_000;

interface Tally {
  readonly day: string;
  readonly source: string;
  readonly facts: number;
}

forEachStore('the timeline of a memory', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: PLUGINS });
    key = await node.addKey({ entityUri: 'agent:s' });
  });
  afterEach(() => node.stop());

  const say = async (source: string, members: object = {}): Promise<void> => {
    await node.clock.advance(1_000);
    const value = { type: 'string', v: `at ${node.clock.nowMs()}` };
    const body = { entity: 'user:noor', relation: 'memory:note', value, source, scope: 'company', ...members };
    const { status, text } = await node.request('POST', '/v1/facts', { key, body });
    expect(status, text).to.equal(201);
  };
  const page = async (query = '', as = key) => {
    const { status, body } = await node.request('GET', `/v1/timeline${query}`, { key: as });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body as { days: Tally[]; counted: number; cursor: string | null };
  };
  const today = (): string => new Date(node.clock.nowMs()).toISOString().slice(0, 10);

  it('counts the facts of each source on each day, newest day first and of any state', async () => {
    await say('agent:one');
    const first = today();
    await node.clock.advance(DAY);
    for (const source of ['agent:one', 'agent:two', 'agent:two']) await say(source);
    await say('agent:two', { confidence: 0 });
    const { days, counted, cursor } = await page();
    expect(days).to.deep.equal([
      { day: today(), source: 'agent:two', facts: 3 },
      { day: today(), source: 'agent:one', facts: 1 },
      { day: first, source: 'agent:one', facts: 1 },
    ]);
    expect([counted, cursor]).to.deep.equal([5, null]);
  });

  it('gives the same numbers in parts, whose sums a reader adds up', async () => {
    for (const source of ['agent:one', 'agent:two', 'agent:one', 'agent:one', 'agent:two']) await say(source);
    const sums = new Map<string, number>();
    let cursor: string | null = null;
    do {
      const part = await page(`?limit=2${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
      expect(part.counted).to.be.at.most(2);
      for (const { source, facts } of part.days) sums.set(source, (sums.get(source) ?? 0) + facts);
      cursor = part.cursor;
    } while (cursor !== null);
    expect([...sums].sort()).to.deep.equal([
      ['agent:one', 3],
      ['agent:two', 2],
    ]);
  });

  it('counts nothing that the caller may not see', async () => {
    await say('agent:one');
    await say('agent:one', { scope: 'public' });
    const stranger = await node.addKey({ entityUri: 'agent:stranger', scopes: ['public'] });
    expect((await page('', stranger)).counted).to.equal(1);
    const writer = await node.addKey({ entityUri: 'agent:writer', permissions: ['write'] });
    expect((await node.request('GET', '/v1/timeline', { key: writer })).status).to.equal(403);
  });
});
