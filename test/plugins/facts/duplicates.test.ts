import { expect } from 'chai';
import { definePlugin, factAppended } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody, storedFacts } from './fact-bodies.ts';

forEachStore('a repeated assertion of the same fact', () => {
  let node: TestNode;
  let key: string;
  let appended = 0;
  const countAppended = definePlugin({
    name: 'count-appended',
    version: '1.0.0',
    kernelApi: 1,
    setup({ on }) {
      on(factAppended, ({ facts }) => {
        appended += facts.length;
      });
    },
  });

  beforeEach(async () => {
    appended = 0;
    node = await startTestNode({ plugins: ['facts', 'conflicts', countAppended] });
    key = await node.addKey();
  });

  afterEach(() => node.stop());

  const assert = (changes: Record<string, unknown> = {}, as = key) =>
    node.request('POST', '/v1/facts', { key: as, body: factBody(changes) });
  const idOf = async (changes: Record<string, unknown> = {}, as = key): Promise<string> => {
    const { status, body } = await assert(changes, as);
    expect(status).to.equal(201);
    return body.id;
  };
  const batch = async (...items: Record<string, unknown>[]): Promise<string[]> => {
    const { body } = await node.request('POST', '/v1/facts/batch', { key, body: items.map(factBody) });
    return body.results.map(({ fact, status }: { status: number; fact?: { id: string } }) => fact?.id ?? status);
  };

  it('returns 201 with the existing fact and stores nothing', async () => {
    const first = await assert();
    await node.clock.advance(1000);
    const second = await assert();
    expect(second.status).to.equal(201);
    expect(second.body).to.deep.equal(first.body);
    expect(await storedFacts(node)).to.equal(1);
  });

  it('causes no event, no billing row and no audit row', async () => {
    await assert();
    await assert();
    expect(appended).to.equal(1);
  });

  it('is recognised by values of equal meaning, but texts must be equal byte for byte', async () => {
    const number = await idOf({ value: { type: 'number', v: 1 } });
    expect(await idOf({ value: { type: 'number', v: 1.0 } })).to.equal(number);
    const date = await idOf({ relation: 'x-a:d', value: { type: 'datetime', v: '2026-01-01T00:00:00Z' } });
    const sameInstant = { type: 'datetime', v: '2026-01-01T01:00:00+01:00' };
    expect(await idOf({ relation: 'x-a:d', value: sameInstant })).to.equal(date);
    const ref = await idOf({ relation: 'rel:r', value: { type: 'ref', v: 'user:Bob' } });
    expect(await idOf({ relation: 'rel:r', value: { type: 'ref', v: 'user:bob' } })).to.equal(ref);
    const text = await idOf({ relation: 'x-a:t', value: { type: 'string', v: 'A' } });
    expect(await idOf({ relation: 'x-a:t', value: { type: 'string', v: 'a' } })).to.not.equal(text);
    expect(await idOf({ entity: 'USER:alice', value: { type: 'number', v: 1 } })).to.not.equal(number);
  });

  it('is recognised by the same instants in another spelling', async () => {
    const first = await idOf({ valid_from: '2026-01-01T00:00:00Z', valid_until: '2027-01-01T00:00:00Z' });
    const respelt = { valid_from: '2026-01-01T00:00:00.000+00:00', valid_until: '2027-01-01T01:00:00.0+01:00' };
    expect(await idOf(respelt)).to.equal(first);
    expect(await batch(respelt)).to.deep.equal([first]);
    const [fresh, again] = await batch(
      { valid_until: '2028-01-01T00:00:00Z' },
      { valid_until: '2028-01-01T00:00:00z' },
    );
    expect(again).to.equal(fresh);
    const [finer, other] = await batch(
      { valid_until: '2028-01-01T00:00:00.0001Z' },
      { valid_until: '2028-01-01T00:00:00.0002Z' },
    );
    expect(new Set([first, fresh, finer, other]).size).to.equal(4);
  });

  it('stores a new fact if any compared member differs', async () => {
    const author = await node.addKey({ permissions: ['write', 'instruction:write'] });
    const first = await idOf({}, author);
    const others = [
      { source: 'agent:w2' },
      { scope: 'public' },
      { confidence: 0.5 },
      { valid_until: '2027-01-01T00:00:00Z' },
      { derived_from: ['a'.repeat(64)] },
      { relation: 'memory:title' },
      { value: { type: 'text', v: 'CEO' } },
      { value: { type: 'string', v: 'CEO', interpret_as: 'instruction' } },
    ];
    const ids = new Set([first]);
    for (const changes of others) ids.add(await idOf(changes, author));
    expect(ids.size).to.equal(others.length + 1);
    expect(await idOf({ timestamp: '2026-03-01T00:00:00Z', write_mode: 'assert' }, author)).to.equal(first);
  });

  it('stores a new fact for another caller, but not for another key of the same caller', async () => {
    const first = await idOf();
    expect(await idOf({}, await node.addKey({ entityUri: 'agent:other' }))).to.not.equal(first);
    expect(await idOf({}, await node.addKey())).to.equal(first);
  });

  it('stores a new fact after a retraction; a retraction never counts as a repetition of another', async () => {
    const first = await idOf();
    const retraction = { value: { type: 'string', v: 'retracted' }, confidence: 0 };
    const retracted = await idOf(retraction);
    expect(await idOf(retraction)).to.not.equal(retracted);
    const third = await idOf();
    expect(third).to.not.equal(first);
    expect(await idOf()).to.equal(third);
  });

  it('stores a new fact once the first one has expired', async () => {
    const changes = { valid_until: '2026-03-02T09:00:10Z' };
    const first = await idOf(changes);
    await node.clock.advance(10_000);
    const second = await idOf(changes);
    expect(second).to.not.equal(first);
    expect(await idOf(changes), 'expired when it was asserted').to.not.equal(second);
  });

  it('stores a new fact once the first one is superseded; a resolution never counts as a repetition', async () => {
    const first = await idOf({ source: 'agent:test' });
    const rival = await idOf({ value: { type: 'string', v: 'CTO' } });
    const { body } = await node.request('GET', '/v1/conflicts', { key });
    const resolve = await node.request('POST', `/v1/conflicts/${body.conflicts[0].conflict_id}/resolve`, {
      key,
      body: { winning_fact_id: first },
    });
    expect(resolve.status).to.equal(200);
    expect([first, rival]).to.not.include(resolve.body.resolution_fact_id);
    expect(await idOf({ source: 'agent:test' })).to.not.equal(first);
  });

  it('is recognised among the items of one batch, in their order', async () => {
    const retraction = { value: { type: 'string', v: 'retracted' }, confidence: 0 };
    const [a, b, r, c, d] = await batch({}, {}, retraction, {}, {});
    expect(b).to.equal(a);
    expect(new Set([a, r, c]).size).to.equal(3);
    expect(d).to.equal(c);
    expect(await storedFacts(node)).to.equal(3);
    const [e] = await batch({});
    expect(e).to.equal(c);
  });

  it('stores a new fact if an earlier item of the batch has retracted the stored one', async () => {
    const first = await idOf();
    const [same, , again] = await batch({}, { confidence: 0 }, {});
    expect(same).to.equal(first);
    expect(again).to.not.equal(first);
  });

  it('is recognised among hundreds of live values of one triple', async () => {
    const values = Array.from({ length: 200 }, (_, v) => ({ value: { type: 'number', v }, confidence: 0.5 }));
    const ids = await batch(...values);
    expect(new Set(ids).size).to.equal(200);
    for (const at of [0, 63, 64, 199]) expect(await idOf(values[at])).to.equal(ids[at]);
    expect(await batch(...values)).to.deep.equal(ids);
  });

  it('is recognised between parallel requests, which share one transaction', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => idOf()));
    expect(new Set(ids).size).to.equal(1);
  });
});
