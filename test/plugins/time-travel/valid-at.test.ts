import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody } from '../facts/fact-bodies.ts';

forEachStore('facts that were valid at an instant', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts', 'time-travel'] });
    key = await node.addKey();
  });
  afterEach(() => node.stop());

  const now = (): string => new Date(node.clock.nowMs()).toISOString();
  const say = async (v: string, changes: Record<string, unknown> = {}) => {
    const body = factBody({ value: { type: 'string', v }, ...changes });
    const reply = await node.request('POST', '/v1/facts', { key, body });
    expect(reply.status, reply.text).to.equal(201);
    await node.clock.advance(1000);
    return now();
  };
  const shown = async (query: string): Promise<string[]> => {
    const { status, body } = await node.request('GET', `/v1/facts?${query}`, { key });
    expect(status).to.equal(200);
    expect(body.total).to.equal(body.facts.length);
    return body.facts
      .map((fact: { value: { v: string }; contradicted: boolean }) => fact.value.v + (fact.contradicted ? '!' : ''))
      .sort();
  };

  it('are selected by their own times, regardless of their record times', async () => {
    await say('backdated', { timestamp: '2020-01-01T00:00:00Z', valid_until: '2021-01-01T00:00:00Z' });
    await say('recent');
    expect(await shown('valid_at=2020-06-01T00:00:00Z')).to.deep.equal(['backdated']);
    expect(await shown('valid_at=2021-06-01T00:00:00Z')).to.deep.equal([]);
    expect(await shown('valid_at=2021-06-01T00:00:00Z&include_expired=true')).to.deep.equal(['backdated']);
    expect(await shown(`valid_at=${now()}`)).to.deep.equal(['recent']);
    expect(await shown('valid_at=2030-01-01T00:00:00Z')).to.deep.equal(['recent']);
  });

  it('leave out a fact whose triple was retracted by then', async () => {
    const said = await say('a');
    await node.clock.advance(1000);
    const retracted = await say('a', { confidence: 0 });
    expect(await shown(`valid_at=${said}`)).to.deep.equal(['a']);
    expect(await shown(`valid_at=${retracted}&min_confidence=0.1`)).to.deep.equal([]);
  });

  it('are all returned with a mark if they contradict one another', async () => {
    const before = await say('a');
    await node.clock.advance(1000);
    const after = await say('b');
    expect(await shown(`valid_at=${before}`)).to.deep.equal(['a']);
    expect(await shown(`valid_at=${after}`)).to.deep.equal(['a!', 'b!']);
    expect(await shown('')).to.deep.equal(['b!']);
  });

  it('can be combined with the state as of another moment', async () => {
    const known = await say('a');
    await node.clock.advance(1000);
    await say('late', { relation: 'memory:late', timestamp: '2020-01-01T00:00:00Z' });
    expect(await shown('valid_at=2020-06-01T00:00:00Z')).to.deep.equal(['late']);
    expect(await shown(`valid_at=2020-06-01T00:00:00Z&as_of=${known}`)).to.deep.equal([]);
    expect(await shown(`valid_at=2030-01-01T00:00:00Z&as_of=${known}`)).to.deep.equal(['a']);
  });
});
