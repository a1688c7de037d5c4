import { expect } from 'chai';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../../kit/start-test-node.ts';

const ENTITY = 'user:gone';
const RELATIONS = ['svc:conflict:between', 'svc:conflict:status'];

forEachStore('a tombstone over one scope of an entity with conflicts in two', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode({ env: { SVC_TOMBSTONES_ENABLED: 'true' } });
    key = await node.addKey({ entityUri: 'agent:ops', permissions: ['read', 'write', 'admin'] });
    for (const scope of ['company', 'public']) {
      for (const v of ['a', 'b']) {
        const value = { type: 'string', v };
        const body = { entity: ENTITY, relation: 'memory:role', value, source: 'agent:ops', scope };
        expect((await node.request('POST', '/v1/facts', { key, body })).status).to.equal(201);
      }
    }
  });
  afterEach(() => node.stop());

  /** Returns the scopes of the facts of the node about conflicts that the caller finds. */
  const told = async (): Promise<readonly string[]> => {
    const scopes: string[] = [];
    for (const relation of RELATIONS) {
      const { body } = await node.request('GET', `/v1/facts?relation=${relation}`, { key });
      scopes.push(...body.facts.map(({ scope }: { scope: string }) => scope));
    }
    return scopes.sort();
  };

  it('hides the facts of the node about conflicts in that scope, and no others (I13)', async () => {
    expect(await told()).to.deep.equal(['company', 'company', 'public', 'public']);
    const body = { entity_uri: ENTITY, scope: 'company' };
    expect((await node.request('POST', '/v1/tombstones', { key, body })).status).to.equal(201);
    expect(await told()).to.deep.equal(['public', 'public']);
  });
});
