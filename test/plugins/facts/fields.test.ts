import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody } from './fact-bodies.ts';

const COMPACT = ['id', 'entity', 'relation', 'value', 'source', 'timestamp', 'confidence', 'scope'];

forEachStore('the parameter "fields", which selects members of returned facts', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts', 'recall', 'search', 'source-trust', 'time-travel'] });
    key = await node.addKey();
  });
  afterEach(() => node.stop());

  const assert = async (changes: Record<string, unknown> = {}) => {
    const { status, body } = await node.request('POST', '/v1/facts', { key, body: factBody(changes) });
    expect(status).to.equal(201);
    await node.clock.advance(1000);
    return body;
  };
  const get = (path: string) => node.request('GET', path, { key });
  const recall = (members: object, path = '/v1/recall') =>
    node.request('POST', path, { key, body: { token_budget: 2_000, ...members } });

  it('returns only the named members, with the values and in the order of the whole fact', async () => {
    const whole = await assert();
    const { body } = await get('/v1/facts?fields=scope,%20id,id,valid_until');
    expect(body.total).to.equal(1);
    expect(JSON.stringify(body.facts)).to.equal(
      JSON.stringify([{ id: whole.id, valid_until: whole.valid_until, scope: whole.scope }]),
    );
    expect((await get(`/v1/facts/${whole.id}?fields=cid`)).body).to.deep.equal({ cid: whole.cid });
    const history = await get(`/v1/facts/${whole.id}/history?fields=id`);
    expect(history.body.events.map(({ fact }: { fact: object }) => fact)).to.deep.equal([{ id: whole.id }]);
  });

  it('selects a short standard list with "compact", plus the members that mark unusual facts', async () => {
    await assert({ entity: 'user:plain' });
    const [plain] = (await get('/v1/facts?fields=compact')).body.facts;
    expect(Object.keys(plain)).to.include.members(COMPACT).and.not.include('contradicted');
    expect(plain).not.to.have.any.keys('quarantine_status', 'sanitizer_warnings', 'hlc', 'cid');
    await assert({ entity: 'user:torn', value: { type: 'string', v: 'yes' } });
    await assert({ entity: 'user:torn', value: { type: 'string', v: 'no' } });
    const torn = await get('/v1/facts?entity=user:torn&include_contradicted=true&fields=id,marks');
    for (const fact of torn.body.facts) expect(fact).to.include({ contradicted: true });
    const named = await get('/v1/facts?entity=user:plain&fields=marks,contradicted');
    expect(named.body.facts[0]).to.include({ contradicted: false });
  });

  it('may differ from page to page of one query', async () => {
    for (const v of ['a', 'b', 'c']) await assert({ entity: `user:${v}` });
    const first = await get('/v1/facts?limit=2&fields=entity');
    const second = await get(`/v1/facts?limit=2&fields=compact&cursor=${first.body.cursor}`);
    expect(second.body.facts.map(({ entity }: { entity: string }) => entity)).to.deep.equal(['user:a']);
  });

  it('is refused if it names an unknown member, with a list of the known ones', async () => {
    for (const fields of ['colour', 'id,', 'constructor']) {
      const refused = await get(`/v1/facts?fields=${fields}`);
      expect([refused.status, refused.body.code], fields).to.deep.equal([400, 'validation']);
      expect(refused.body.errors[0].path).to.equal('query.fields');
      for (const name of [...COMPACT, 'compact', 'marks']) expect(refused.body.detail).to.contain(name);
    }
    for (const fields of [['id', 'colour'], [], 'colour', '']) {
      for (const path of ['/v1/recall', '/v1/recall?fields=id']) {
        const refused = await recall({ query: 'who', fields }, path);
        expect([refused.status, refused.body.errors?.[0].path], path).to.deep.equal([422, 'body.fields']);
      }
    }
  });

  it('makes recall return each fact once, with its score, in fewer bytes', async () => {
    await assert({ entity: 'user:noor', value: { type: 'text', v: 'Noor keeps the harbour' } });
    await assert({ entity: 'user:bob', value: { type: 'text', v: 'Bob sails to the harbour' } });
    const question = { query: 'Who keeps the harbour?' };
    const whole = await recall(question);
    const ids = whole.body.facts.map(({ fact }: { fact: { id: string } }) => fact.id);
    expect(ids).to.have.length(2);
    const asked = [
      await recall({ ...question, fields: 'id,value' }),
      await recall({ ...question, fields: ['id', 'value'] }),
      await recall(question, '/v1/recall?fields=id,value'),
      await get('/v1/recall?query=Who%20keeps%20the%20harbour%3F&token_budget=2000&fields=id,value'),
    ];
    for (const { status, body, text } of asked) {
      expect(status, text).to.equal(200);
      expect(body).not.to.have.any.keys('content', 'instructions');
      // Vectors are computed in the background and change the order.
      const found = body.facts.map(({ fact }: { fact: { id: string } }) => fact.id);
      expect(found).to.have.members(ids);
      for (const item of body.facts) {
        expect(Object.keys(item)).to.deep.equal(['fact', 'score']);
        expect(Object.keys(item.fact)).to.deep.equal(['id', 'value']);
        expect(item.score).to.be.a('number');
      }
      expect(text.length).to.be.below(whole.text.length / 3);
    }
  });
});
