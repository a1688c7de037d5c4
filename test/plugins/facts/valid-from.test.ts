import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody } from './fact-bodies.ts';

const MINUTE_MS = 60_000;

forEachStore('A fact with valid_from', () => {
  let node: TestNode;
  let key: string;
  let entities = 0;

  before(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts', 'cards', 'time-travel', 'recall', 'search'] });
    key = await node.addKey();
  });
  after(() => node.stop());

  const inMinutes = (minutes: number): string => new Date(node.clock.nowMs() + minutes * MINUTE_MS).toISOString();
  const newEntity = (): string => `user:n${entities++}`;
  const say = async (entity: string, v: string, changes: Record<string, unknown> = {}) => {
    await node.clock.advance(1);
    const body = factBody({ entity, value: { type: 'string', v }, ...changes });
    return node.request('POST', '/v1/facts', { key, body });
  };
  const said = async (...asked: Parameters<typeof say>) => {
    const { status, body, text } = await say(...asked);
    expect(status, text).to.equal(201);
    return body;
  };
  const shown = async (entity: string, query = ''): Promise<string[]> => {
    const { body } = await node.request('GET', `/v1/facts?entity=${entity}${query}`, { key });
    expect(body.total).to.equal(body.facts.length);
    return body.facts
      .map((fact: Shown) => (fact.confidence === 0 ? '-' : '') + fact.value.v + (fact.contradicted ? '!' : ''))
      .sort();
  };

  it('is shown from its beginning on, or with include_expired', async () => {
    const entity = newEntity();
    const from = inMinutes(1);
    const stored = await said(entity, 'later', { valid_from: from });
    expect(stored.valid_from).to.equal(from);
    expect(await shown(entity)).to.deep.equal([]);
    expect(await shown(entity, '&include_expired=true')).to.deep.equal(['later']);
    expect((await node.request('GET', `/v1/facts/${stored.id}`, { key })).body).to.deep.equal(stored);
    await node.clock.advance(MINUTE_MS - 2);
    expect(await shown(entity)).to.deep.equal([]);
    await node.clock.advance(1);
    expect(await shown(entity)).to.deep.equal(['later']);
  });

  it('is recalled from its beginning on', async () => {
    const entity = newEntity();
    const { id } = await said(entity, 'plays the theremin', { valid_from: inMinutes(1) });
    const recalled = async (): Promise<string[]> => {
      const { body } = await node.request('POST', '/v1/recall', {
        key,
        body: { query: 'theremin', token_budget: 500 },
      });
      return body.facts.map(({ fact }: { fact: { id: string } }) => fact.id);
    };
    expect(await recalled()).to.deep.equal([]);
    await node.clock.advance(MINUTE_MS);
    expect(await recalled()).to.deep.equal([id]);
  });

  it('wins contradictions, and takes part in them, only from its beginning on', async () => {
    const entity = newEntity();
    await said(entity, 'Paris');
    await said(entity, 'Berlin', { valid_from: inMinutes(1), valid_until: inMinutes(2) });
    expect(await shown(entity)).to.deep.equal(['Paris']);
    await node.clock.advance(MINUTE_MS);
    expect(await shown(entity)).to.deep.equal(['Berlin!']);
    expect(await shown(entity, '&include_contradicted=true')).to.deep.equal(['Berlin!', 'Paris!']);
    await node.clock.advance(MINUTE_MS);
    expect(await shown(entity)).to.deep.equal(['Paris']);
  });

  it('opens a conflict at once, which is listed as unresolved only while both facts are live', async () => {
    const entity = newEntity();
    await said(entity, 'Paris');
    await said(entity, 'Berlin', { valid_from: inMinutes(1) });
    const listed = async (status: string): Promise<number> => {
      const { body } = await node.request('GET', `/v1/conflicts?status=${status}&limit=500`, { key });
      return body.conflicts.filter(({ fact_a: fact }: { fact_a: Shown }) => fact.entity === entity).length;
    };
    expect([await listed('unresolved'), await listed('all')]).to.deep.equal([0, 1]);
    await node.clock.advance(MINUTE_MS);
    expect([await listed('unresolved'), await listed('all')]).to.deep.equal([1, 1]);
  });

  it('leaves an earlier retraction in answers until the new fact begins', async () => {
    const entity = newEntity();
    await said(entity, 'a');
    await said(entity, 'a', { confidence: 0 });
    await said(entity, 'b', { valid_from: inMinutes(1) });
    expect(await shown(entity)).to.deep.equal(['-a']);
    await node.clock.advance(MINUTE_MS);
    expect(await shown(entity)).to.deep.equal(['b']);
  });

  it('never becomes live if a newer retraction ends its triple before it begins', async () => {
    const entity = newEntity();
    await said(entity, 'a', { valid_from: inMinutes(1) });
    await said(entity, 'a', { confidence: 0 });
    await node.clock.advance(MINUTE_MS);
    expect(await shown(entity)).to.deep.equal(['-a']);
  });

  it('is a duplicate only of a fact with the same beginning', async () => {
    const entity = newEntity();
    const from = inMinutes(1);
    const first = await said(entity, 'a', { valid_from: from });
    expect((await said(entity, 'a', { valid_from: from })).id).to.equal(first.id);
    expect((await said(entity, 'a', { valid_from: inMinutes(2) })).id).to.not.equal(first.id);
    expect((await said(entity, 'a')).id).to.not.equal(first.id);
  });

  it('has the content id of the same fact without valid_from', async () => {
    const entity = newEntity();
    const { cid } = await said(entity, 'a', { valid_from: inMinutes(-1) });
    const without = await said(entity, 'a');
    expect(without.cid).to.equal(cid);
    expect(without).to.not.have.property('valid_from');
  });

  it('is found by valid_at for an instant between valid_from and valid_until, whenever it was stored', async () => {
    const entity = newEntity();
    await said(entity, 'a', { valid_from: '2020-01-01T00:00:00Z', valid_until: '2021-01-01T00:00:00Z' });
    await said(entity, 'b', { valid_from: '2999-01-01T00:00:00Z' });
    const at = (instant: string): Promise<string[]> => shown(entity, `&valid_at=${instant}`);
    expect(await at('2019-12-31T23:59:59Z')).to.deep.equal([]);
    expect(await at('2020-01-01T00:00:00Z')).to.deep.equal(['a']);
    expect(await at('2021-01-01T00:00:00Z')).to.deep.equal([]);
    expect(await at(inMinutes(1))).to.deep.equal([]);
    expect(await at('2999-01-01T00:00:00Z')).to.deep.equal(['b']);
  });

  it('changes the card of its entity when it begins, even as another fact ends', async () => {
    const entity = newEntity();
    await said(entity, 'old', { relation: 'memory:one', valid_until: inMinutes(1) });
    await said(entity, 'new', { relation: 'memory:two', valid_from: inMinutes(1) });
    const summary = async (): Promise<string> =>
      (await node.request('GET', `/v1/cards/${entity}?scope=${factBody().scope}`, { key })).body.summary;
    expect(await summary())
      .to.include('old')
      .and.not.include('new');
    await node.clock.advance(MINUTE_MS);
    expect(await summary())
      .to.include('new')
      .and.not.include('old');
  });

  it('is refused if it begins after its own end, or is a retraction', async () => {
    const entity = newEntity();
    const refused = async (changes: Record<string, unknown>): Promise<string[]> => {
      const { status, body } = await say(entity, 'a', changes);
      expect(status).to.equal(422);
      return body.errors.map(({ path }: { path: string }) => path);
    };
    const span = { valid_from: '2030-01-01T00:00:00+01:00', valid_until: '2029-12-31T22:59:59Z' };
    expect(await refused(span)).to.deep.equal(['body.valid_from']);
    expect(await refused({ valid_from: inMinutes(1), confidence: 0 })).to.deep.equal(['body.valid_from']);
    expect(await refused({ valid_from: 'soon', valid_until: 'late' })).to.deep.equal([
      'body.valid_from',
      'body.valid_until',
    ]);
    await said(entity, 'a', { ...span, valid_until: '2029-12-31T23:00:00Z' });
  });
});

interface Shown {
  readonly entity: string;
  readonly value: { readonly v: string };
  readonly confidence: number;
  readonly contradicted: boolean;
}
