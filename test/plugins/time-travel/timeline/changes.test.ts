import { expect } from 'chai';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../../kit/start-test-node.ts';

const PLUGINS = ['facts', 'keys', 'time-travel'] as const;

interface Said {
  readonly value: { readonly v: string };
}

forEachStore('the difference of two moments', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: PLUGINS });
    key = await node.addKey({ entityUri: 'agent:s' });
  });
  afterEach(() => node.stop());

  const say = async (entity: string, v: string, members: object = {}): Promise<void> => {
    await node.clock.advance(1_000);
    const value = { type: 'string', v };
    const body = { entity, relation: 'memory:role', value, source: 'agent:s', scope: 'company', ...members };
    const { status, text } = await node.request('POST', '/v1/facts', { key, body });
    expect(status, text).to.equal(201);
  };
  const now = async (): Promise<string> => {
    await node.clock.advance(1_000);
    return new Date(node.clock.nowMs()).toISOString();
  };
  const ask = (query: Readonly<Record<string, string>>, as = key) =>
    node.request('GET', `/v1/changes?${new URLSearchParams(query)}`, { key: as });
  const changed = async (query: Readonly<Record<string, string>>, as = key): Promise<string[]> => {
    const { status, body } = await ask(query, as);
    expect(status, JSON.stringify(body)).to.equal(200);
    return (body.facts as Said[]).map(({ value }) => value.v);
  };

  it('lists facts that began and facts that ended, newest first', async () => {
    await say('user:a', 'stays');
    await say('user:b', 'retracted');
    await say('user:c', 'expires', { valid_until: new Date(node.clock.nowMs() + 60_000).toISOString() });
    const since = await now();
    await say('user:b', '', { confidence: 0 });
    await say('user:d', 'new');
    await say('user:e', 'newer');
    await node.clock.advance(120_000);
    expect(await changed({ since })).to.deep.equal(['newer', 'new']);
    expect(await changed({ since, change: 'ended' })).to.deep.equal(['expires', 'retracted']);
  });

  it('leaves out a fact that came and went between the moments, and facts after the later one', async () => {
    const since = await now();
    await say('user:a', 'short');
    await say('user:a', '', { confidence: 0 });
    await say('user:b', 'in between');
    const until = await now();
    await say('user:c', 'afterwards');
    await say('user:b', '', { confidence: 0 });
    expect(await changed({ since, until })).to.deep.equal(['in between']);
    expect(await changed({ since, until, change: 'ended' })).to.deep.equal([]);
    expect(await changed({ since: until, change: 'ended' })).to.deep.equal(['in between']);
  });

  it('comes in pages', async () => {
    const since = await now();
    for (const v of ['one', 'two', 'three']) await say(`user:${v}`, v);
    const first = (await ask({ since, limit: '2' })).body;
    expect(first.facts.map(({ value }: Said) => value.v)).to.deep.equal(['three', 'two']);
    const rest = (await ask({ since, limit: '2', cursor: first.cursor })).body;
    expect(rest.facts.map(({ value }: Said) => value.v)).to.deep.equal(['one']);
    expect(rest.cursor).to.equal(null);
  });

  it('shows no fact that the caller may not see', async () => {
    const since = await now();
    await say('user:a', 'for the company');
    await say('user:b', 'for all', { scope: 'public' });
    const stranger = await node.addKey({ entityUri: 'agent:stranger', scopes: ['public'] });
    expect(await changed({ since }, stranger)).to.deep.equal(['for all']);
  });

  it('refuses moments that are exchanged, that are none, and that have not come', async () => {
    const since = await now();
    const until = await now();
    const exchanged = await ask({ since: until, until: since });
    expect([exchanged.status, exchanged.body.code]).to.deep.equal([400, 'validation']);
    expect(exchanged.body.detail).to.contain('until must be later than since');
    expect((await ask({ since: 'yesterday' })).body.code).to.equal('as_of_invalid_timestamp');
    const future = new Date(node.clock.nowMs() + 60_000).toISOString();
    for (const [query, detail] of [
      [{ since, until: future }, 'until is later than now: leave it out for now'],
      [{ since: future }, 'since is later than now: name an earlier moment'],
    ] as const) {
      const { body } = await ask(query);
      expect([body.code, body.detail]).to.deep.equal(['as_of_future', detail]);
    }
  });
});
