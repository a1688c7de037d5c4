import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody } from './fact-bodies.ts';

forEachStore('the reason of an assertion', () => {
  let node: TestNode;
  let key: string;
  before(async () => {
    node = await startTestNode({
      plugins: ['facts', 'tombstones', 'jobs', 'node-info'],
      env: { SVC_TOMBSTONES_ENABLED: 'true' },
    });
    key = await node.addKey({ permissions: ['read', 'write', 'admin'] });
  });
  after(() => node.stop());

  const say = (members: Readonly<Record<string, unknown>>) =>
    node.request('POST', '/v1/facts', { key, body: factBody(members) });
  const reasonsOf = async (id: string, asked = key): Promise<readonly unknown[]> => {
    const path = `/v1/facts?entity=svc:fact:${id}&relation=svc:reason`;
    const { body } = await node.request('GET', path, { key: asked });
    return body.facts.map(({ value, scope, source }: { value: { v: string }; scope: string; source: string }) => [
      value.v,
      scope,
      source,
    ]);
  };

  it('is stored as a system fact about the fact, in the same scope', async () => {
    const { body } = await say({ entity: 'user:ann', scope: 'team', reason: ' asked Ann ' });
    expect(body).to.not.have.property('reason');
    expect(await reasonsOf(body.id)).to.deep.equal([['asked Ann', 'team', 'system:svc']]);
    const outsider = await node.addKey({ entityUri: 'agent:out', scopes: ['local'] });
    expect(await reasonsOf(body.id, outsider)).to.deep.equal([]);
  });

  it('is stored for each fact of a batch, and for none with null', async () => {
    const facts = ['one', null].map((reason, at) => factBody({ entity: `user:b${at}`, reason }));
    const { body } = await node.request('POST', '/v1/facts/batch', { key, body: facts });
    const found = await Promise.all(body.results.map(({ fact }: { fact: { id: string } }) => reasonsOf(fact.id)));
    expect(found.map((each) => (each as readonly unknown[]).length)).to.deep.equal([1, 0]);
  });

  it('is refused if it is too long, blank or no text, and the error names the member', async () => {
    for (const reason of ['x'.repeat(501), '\u{1f511}'.repeat(501), '', ' \n\t', 7, ['a']]) {
      const { status, text } = await say({ entity: 'user:ann', reason });
      expect(status, text).to.equal(422);
      expect(text).to.contain('body.reason');
    }
    const blank = await say({ entity: 'user:ann', reason: ' ' });
    expect(blank.text).to.contain('must say why; leave it out where there is no reason');
  });

  it('has at most 500 characters, of any kind', async () => {
    for (const [at, letter] of ['x', '\u{1f511}'].entries()) {
      const reason = letter.repeat(500);
      const { status, body, text } = await say({ entity: `user:long${at}`, reason });
      expect(status, text).to.equal(201);
      expect(await reasonsOf(body.id)).to.deep.equal([[reason, 'company', 'system:svc']]);
    }
  });

  it('is hidden together with its fact', async () => {
    const { body } = await say({ entity: 'user:gone', scope: 'company', reason: 'she said so' });
    const hidden = await node.request('POST', '/v1/tombstones', { key, body: { entity_uri: 'user:gone' } });
    expect(hidden.status, hidden.text).to.equal(201);
    expect(await reasonsOf(body.id)).to.deep.equal([]);
  });
});
