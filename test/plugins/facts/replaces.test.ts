import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody, storedFacts } from './fact-bodies.ts';

interface Shown {
  readonly id: string;
  readonly value: { readonly v: string };
  readonly contradicted: boolean;
}

forEachStore('A replacement, which names the facts that it ends', () => {
  let node: TestNode;
  let key: string;
  let entities = 0;
  let entity: string;

  before(async () => {
    node = await startTestNode({
      plugins: ['facts', 'conflicts', 'gardens', 'cards', 'search', 'recall', 'time-travel', 'synthesis'],
    });
    key = await node.addKey();
  });
  after(() => node.stop());
  beforeEach(() => {
    entity = `user:n${entities++}`;
  });

  const say = async (v: string, changes: Record<string, unknown> = {}) => {
    await node.clock.advance(1);
    const body = factBody({ entity, value: { type: 'string', v }, ...changes });
    return node.request('POST', '/v1/facts', { key, body });
  };
  const said = async (...asked: Parameters<typeof say>) => {
    const { status, body, text } = await say(...asked);
    expect(status, text).to.equal(201);
    return body;
  };
  const shown = async (query = ''): Promise<string[]> => {
    const { body } = await node.request('GET', `/v1/facts?entity=${entity}&include_contradicted=true${query}`, { key });
    return body.facts.map(({ value, contradicted }: Shown) => value.v + (contradicted ? '!' : '')).sort();
  };
  const conflicts = async (): Promise<readonly string[]> => {
    const { body } = await node.request('GET', '/v1/conflicts?status=all&limit=500', { key });
    return body.conflicts
      .filter(({ fact_a: fact }: { fact_a: { entity: string } }) => fact.entity === entity)
      .map(({ status }: { status: string }) => status);
  };

  it('ends exactly the named facts, in one step, and contradicts none of them', async () => {
    const old = await said('gardener');
    const replacement = await said('beekeeper', { replaces: [old.id] });
    expect(replacement)
      .to.include({ contradicted: false })
      .and.deep.include({ replaces: [old.id] });
    const { body } = await node.request('GET', `/v1/facts?entity=${entity}`, { key });
    expect(body.facts).to.deep.equal([replacement]);
    expect(old).not.to.have.property('replaces');
    expect(await conflicts()).to.deep.equal([]);
  });

  it('leaves every other fact live, and contradicts those with another value', async () => {
    const old = await said('old');
    await said('said by another', { source: 'agent:another' });
    await said('new', { replaces: [old.id] });
    expect(await shown()).to.deep.equal(['new!', 'old', 'said by another!']);
    expect(await conflicts()).to.deep.equal(['unresolved']);
  });

  it('closes the conflict when no remaining fact contradicts it', async () => {
    const old = await said('old');
    await said('right');
    expect(await conflicts()).to.deep.equal(['unresolved']);
    const { id } = await said('right', { replaces: [old.id], source: 'agent:judge' });
    const { body } = await node.request('GET', '/v1/conflicts?status=resolved&limit=500', { key });
    expect(body.conflicts.map((one: { resolved_by: string }) => one.resolved_by)).to.include(id);
    expect(await shown()).to.deep.equal(['old', 'right', 'right']);
  });

  it('with confidence 0 retracts only the named facts; without names a retraction ends all of them', async () => {
    const [wrong, right] = [await said('wrong'), await said('right')];
    const gone = await said('-', { confidence: 0, replaces: [wrong.id] });
    const { body } = await node.request('GET', `/v1/facts?entity=${entity}`, { key });
    expect(body.facts.map((fact: Shown) => [fact.id, fact.contradicted])).to.deep.equal([[right.id, false]]);
    expect(gone.replaces).to.deep.equal([wrong.id]);
    await said('-', { confidence: 0 });
    expect(await shown('&min_confidence=0.1')).to.deep.equal([]);
  });

  it('hides the named facts from reads of the present, but not from reads of the past', async () => {
    const old = await said('plays the theremin');
    const { hlc: before } = await said('elsewhere', { relation: 'memory:place' });
    const recalled = async () => {
      const { body } = await node.request('POST', '/v1/recall', {
        key,
        body: { query: 'theremin', token_budget: 500 },
      });
      return body.facts.map(({ fact }: { fact: Shown }) => fact.id);
    };
    expect(await recalled()).to.include(old.id);
    const { id } = await said('plays the harp', { replaces: [old.id] });
    expect(await recalled()).not.to.include(old.id);
    const card = await node.request('GET', `/v1/cards/${entity}?scope=company&refresh=true`, { key });
    expect(card.body.summary).to.include('harp').and.not.include('theremin');
    const then = await node.request('GET', `/v1/facts?entity=${entity}&as_of=${before}`, { key });
    expect(then.body.facts.map((fact: Shown) => fact.id)).to.include(old.id);
    const past = encodeURIComponent(old.timestamp);
    const valid = await node.request('GET', `/v1/facts?entity=${entity}&valid_at=${past}`, { key });
    expect(valid.body.facts.map((fact: Shown) => fact.id)).to.deep.equal([old.id]);
    const history = await node.request('GET', `/v1/history/${entity}`, { key });
    expect(history.status, history.text).to.equal(200);
    const ended = history.body.events.find(({ fact }: { fact: Shown }) => fact.id === old.id).ended;
    expect(ended).to.include({ by: 'replacement', fact_id: id });
  });

  it('is refused once a named fact has ended; the error lists the live facts, and nothing is stored', async () => {
    const old = await said('old');
    const { id } = await said('first', { replaces: [old.id] });
    const count = await storedFacts(node);
    const late = await say('second', { replaces: [old.id] });
    expect([late.status, late.body.code]).to.deep.equal([409, 'conflict']);
    expect(late.body.live_fact_ids).to.deep.equal([id]);
    expect(await storedFacts(node)).to.equal(count);
  });

  it('is refused in the same way for facts of other triples or gardens, hidden facts and unknown ones', async () => {
    const owner = await node.addKey({ entityUri: 'agent:owner' });
    const garden = { slug: `g${entities}`, name: 'hidden', scope: 'company' };
    const made = await node.request('POST', '/v1/gardens', { key: owner, body: garden });
    expect(made.status, made.text).to.equal(201);
    const body = factBody({ entity, garden_id: garden.slug });
    const hidden = await node.request('POST', '/v1/facts', { key: owner, body });
    expect(hidden.status, hidden.text).to.equal(201);
    const live = await said('live');
    const others = [
      (await said('other', { relation: 'memory:other' })).id,
      (await said('other', { scope: 'public' })).id,
      hidden.body.id,
      '00000000-0000-4000-8000-000000000000',
    ];
    const plain = await node.addKey({ entityUri: 'agent:plain', permissions: ['read', 'write'] });
    const replies = [];
    for (const id of others) {
      const sent = factBody({ entity, value: { type: 'string', v: 'new' }, replaces: [live.id, id] });
      const { status, body: refused } = await node.request('POST', '/v1/facts', { key: plain, body: sent });
      expect(status).to.equal(409);
      replies.push({ ...refused, request_id: '', instance: '' });
    }
    expect(replies[0].live_fact_ids).to.deep.equal([live.id]);
    for (const reply of replies) expect(reply).to.deep.equal(replies[0]);
  });

  it('is stored for one of several parallel requests that name the same fact, so that no value is lost', async () => {
    const old = await said('old');
    const replies = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((v) => {
        const body = factBody({ entity, value: { type: 'string', v }, replaces: [old.id] });
        return node.request('POST', '/v1/facts', { key, body });
      }),
    );
    expect(replies.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409, 409, 409]);
    expect(await conflicts()).to.deep.equal([]);
  });

  it('is checked after the earlier items of its batch', async () => {
    const [one, other] = [await said('one'), await said('other', { relation: 'memory:second' })];
    const item = (v: string, changes: object) => factBody({ entity, value: { type: 'string', v }, ...changes });
    const items = [
      item('new', { replaces: [one.id] }),
      item('late', { replaces: [one.id] }),
      item('one', {}),
      item('-', { relation: 'memory:second', confidence: 0 }),
      item('late', { relation: 'memory:second', replaces: [other.id] }),
    ];
    const { body } = await node.request('POST', '/v1/facts/batch', { key, body: items });
    const outcome = body.results.map(({ status, existing }: { status: number; existing?: boolean }) => [
      status,
      existing,
    ]);
    expect(outcome.map(([status]: [number]) => status)).to.deep.equal([201, 409, 201, 201, 409]);
    expect(body.results[2].fact.id).not.to.equal(one.id);
  });

  it('is recognised as a repetition by an equal request while it is live', async () => {
    const old = await said('old');
    const { id } = await said('new', { replaces: [old.id] });
    expect((await said('new', { replaces: [old.id] })).id).to.equal(id);
    expect((await said('new')).id).not.to.equal(id);
  });

  it('is refused with 422 if its list holds anything but up to 100 different ids', async () => {
    const { id } = await said('live');
    const many = Array.from({ length: 101 }, (_, at) => `id-${at}`);
    for (const replaces of ['no list', [1], [''], ['two words'], [id, id], many]) {
      expect((await say('x', { replaces })).status, JSON.stringify(replaces)).to.equal(422);
    }
    expect((await said('x', { replaces: [] })).id).to.be.a('string');
    expect((await said('y', { replaces: null })).id).to.be.a('string');
  });
});
