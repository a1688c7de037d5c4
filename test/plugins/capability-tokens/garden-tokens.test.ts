import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { PATH, startTokenNode, type TokenNode } from './token-node.ts';

const PLUGINS = ['keys', 'audit', 'facts', 'node-info', 'capability-tokens', 'gardens'];

forEachStore('a capability token for a garden', () => {
  let node: TokenNode;
  before(async () => {
    node = await startTokenNode({ plugins: PLUGINS });
  });
  after(() => node?.stop());

  const issue = async (key: string, who: string, object: string): Promise<number> => {
    const body = { issuer: who, subject: who, verb: 'subscribe', object };
    return (await node.request('POST', PATH, { key, body })).status;
  };

  it('is issued only to members, only during their membership', async () => {
    const made = await node.request('POST', '/v1/gardens', { key: node.ops, body: { slug: 'herbs', name: 'Herbs' } });
    expect(made.status, made.text).to.equal(201);
    const objects = ['svc://garden/herbs', 'svc://localhost:8765/garden/herbs'];
    const outcomes = async () => Promise.all(objects.map((object) => issue(node.mine, 'agent:me', object)));
    expect(await outcomes()).to.deep.equal([403, 403]);
    expect(await issue(node.mine, 'agent:me', 'svc://garden/no-such'), 'one that there is not').to.equal(403);
    const member = { entity_uri: 'agent:me', role: 'reader' };
    const joined = await node.request('POST', '/v1/gardens/herbs/members', { key: node.ops, body: member });
    expect(joined.status, joined.text).to.equal(201);
    expect(await outcomes()).to.deep.equal([201, 201]);
    expect((await node.request('DELETE', '/v1/gardens/herbs/members/agent:me', { key: node.ops })).status).to.equal(
      204,
    );
    expect(await outcomes()).to.deep.equal([403, 403]);
    expect(await issue(node.ops, 'agent:ops', 'svc://garden/herbs')).to.equal(201);
  });
});
