import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody } from './fact-bodies.ts';

interface Shown {
  readonly value: { readonly v: string };
  readonly confidence: number;
  readonly ended?: string;
}

forEachStore('A fact that another one has ended', () => {
  let node: TestNode;
  let key: string;
  let entities = 0;
  let entity: string;

  before(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts', 'gardens', 'time-travel'] });
    key = await node.addKey();
  });
  after(() => node.stop());
  beforeEach(() => {
    entity = `user:e${entities++}`;
  });

  const say = async (v: string, changes: Record<string, unknown> = {}) => {
    await node.clock.advance(1_000);
    const body = factBody({ entity, value: { type: 'string', v }, ...changes });
    return (await node.request('POST', '/v1/facts', { key, body })).body;
  };
  const settle = async (winner: string): Promise<void> => {
    await node.clock.advance(1_000);
    const { body } = await node.request('GET', '/v1/conflicts?limit=500', { key });
    const { conflict_id: id } = body.conflicts.find(({ fact_a: fact }: { fact_a: { entity: string } }) =>
      fact.entity.includes(entity),
    );
    const body_ = { winning_fact_id: winner };
    const { status } = await node.request('POST', `/v1/conflicts/${encodeURIComponent(id)}/resolve`, {
      key,
      body: body_,
    });
    expect(status).to.equal(200);
  };
  /** Returns the values with their ends, by the query. */
  const listed = async (query: string): Promise<readonly string[]> => {
    const { body, text } = await node.request('GET', `/v1/facts?entity=${entity}${query}`, { key });
    expect(body.facts, text).to.be.an('array');
    return body.facts
      .map(({ value, ended, confidence }: Shown) => `${confidence === 0 ? 'end' : value.v} ${ended ?? ''}`.trim())
      .sort();
  };
  const endOf = async (id: string, query = ''): Promise<string | undefined> =>
    (await node.request('GET', `/v1/facts/${id}${query}`, { key })).body.ended;

  it('is superseded by a resolution, in lists with all sides and by itself', async () => {
    const [one, other] = [await say('CEO'), await say('CTO')];
    expect(await listed('&include_contradicted=true')).to.deep.equal(['CEO', 'CTO']);
    await settle(other.id);
    expect(await listed('&include_contradicted=true')).to.deep.equal(['CEO superseded', 'CTO', 'CTO superseded']);
    expect(await listed('')).to.deep.equal(['CTO']);
    expect(await endOf(one.id)).to.equal('superseded');
    expect(await listed('&include_contradicted=true&fields=compact')).to.include('CEO superseded');
  });

  it('is superseded by a replacement, and retracted by a retraction that follows', async () => {
    const old = await say('gardener');
    const next = await say('beekeeper', { replaces: [old.id] });
    expect(await listed('&include_contradicted=true')).to.deep.equal(['beekeeper', 'gardener superseded']);
    await say('', { confidence: 0 });
    expect(await listed('&include_contradicted=true&include_retracted=true')).to.deep.equal([
      'beekeeper retracted',
      'end',
      'gardener retracted',
    ]);
    expect([await endOf(old.id), await endOf(next.id)]).to.deep.equal(['retracted', 'retracted']);
  });

  it('is not ended as of an earlier moment, nor in a list by which it does not stand beside what ended it', async () => {
    const { id } = await say('early');
    await node.clock.advance(60_000);
    const before = new Date(node.clock.nowMs() - 1_000).toISOString();
    await say('late', { replaces: [id] });
    expect(await endOf(id)).to.equal('superseded');
    expect(await endOf(id, `?as_of=${before}`)).to.equal(undefined);
    expect(await listed(`&include_contradicted=true&as_of=${before}`)).to.deep.equal(['early']);
    expect(await listed(`&include_contradicted=true&before=${before}`)).to.deep.equal(['early superseded']);
  });
});
