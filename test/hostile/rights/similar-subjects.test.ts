import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody } from '../../plugins/facts/fact-bodies.ts';

const ANN = 'oidc:Ann';
const OTHER = 'oidc:ann';

forEachStore('two people of an identity provider whose subjects differ only in case', () => {
  let node: TestNode;
  let operator: string;
  let ann: string;
  let other: string;

  before(async () => {
    node = await startTestNode({
      plugins: ['attestation', 'facts', 'keys', 'namespaces', 'conflicts'],
      env: { SVC_SOURCE_ATTESTATION_MODE: 'enforce', SVC_NAMESPACES_ENABLED: 'true' },
    });
    operator = await node.addKey({ permissions: ['read', 'write', 'admin'] });
    ann = await node.addKey({ entityUri: ANN });
    other = await node.addKey({ entityUri: OTHER });
  });
  after(() => node.stop());

  const assert = async (key: string, members: Readonly<Record<string, unknown>>) => {
    const { status, body } = await node.request('POST', '/v1/facts', { key, body: factBody(members) });
    return [status, body.code];
  };

  it('may each have a key, but only under one spelling of the entity', async () => {
    const register = async (entity_uri: string) => {
      const raw_key = `subject-${entity_uri}-0123456789abcdef0123456789abcdef`;
      const body = { raw_key, entity_uri, permissions: ['read'], allowed_scopes: ['company'] };
      return (await node.request('POST', '/v1/auth/keys', { key: operator, body })).status;
    };
    expect(await register('oidc:ANN')).to.equal(201);
    expect(await register('OIDC:ANN')).to.equal(409);
  });

  it('cannot use the source of each other under enforced source attestation', async () => {
    expect(await assert(ann, { source: ANN })).to.deep.equal([201, undefined]);
    expect(await assert(ann, { source: 'OIDC:Ann', entity: 'user:bob' })).to.deep.equal([201, undefined]);
    expect(await assert(other, { source: ANN })).to.deep.equal([403, 'source_attestation_failed']);
  });

  it('cannot write in a namespace that the other one owns', async () => {
    const rule = (owners: readonly string[]) =>
      node.request('PUT', '/v1/namespaces', { key: operator, body: { pattern: 'project:owned/*', owners } });
    expect((await rule([ANN])).status).to.equal(200);
    const entity = 'project:owned/plan';
    expect(await assert(other, { source: OTHER, entity })).to.deep.equal([403, 'namespace_owned']);
    expect(await assert(ann, { source: ANN, entity })).to.deep.equal([201, undefined]);
    expect((await rule([ANN, OTHER])).body.owners).to.deep.equal([ANN, OTHER]);
    expect(await assert(other, { source: OTHER, entity, relation: 'memory:age' })).to.deep.equal([201, undefined]);
  });
});
