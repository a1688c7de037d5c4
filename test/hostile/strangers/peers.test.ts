import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { signEd25519 } from './sign-token.ts';

describe('A stranger claims to be a peer', () => {
  let node: TestNode;
  let admin: string;
  before(async () => {
    node = await startTestNode();
    admin = await node.addKey({ permissions: ['read', 'write', 'federate', 'admin'] });
    const body = {
      entity: 'user:alice',
      relation: 'memory:role',
      value: { type: 'string', v: 'CANARY' },
      source: 'agent:w',
    };
    for (const scope of ['local', 'team', 'company', 'public']) {
      expect((await node.request('POST', '/v1/facts', { key: admin, body: { ...body, scope } })).status).to.equal(201);
    }
  });
  after(() => node.stop());

  const routes = [
    ['GET', '/v1/federation/facts'],
    ['GET', '/v1/federation/facts?since_hlc=0.0&scope=public&limit=500'],
    ['POST', '/v1/federation/facts/push'],
  ] as const;

  for (const [method, path] of routes) {
    it(`${method} ${path} reveals nothing without a peering (I9)`, async () => {
      const token = await signEd25519({ iss: 'svc:node:far', sub: 'svc:node:near', nonce: randomUUID() });
      const body = method === 'POST' ? { facts: [] } : undefined;
      for (const key of [undefined, token, `${token}x`]) {
        const reply = await node.request(method, path, { ...(key === undefined ? {} : { key }), body });
        expect(reply.status).to.equal(401);
        expect(reply.text).not.to.contain('CANARY');
      }
      const asAdmin = await node.request(method, path, { key: admin, body });
      expect(asAdmin.status).to.be.within(400, 499);
      expect(asAdmin.text).not.to.contain('CANARY');
    });
  }

  it('with a token sent twice, which is refused both times, and on every route (I15)', async () => {
    const token = await signEd25519({ iss: 'svc:node:far', sub: 'svc:node:near', nonce: 'the-same-nonce' });
    for (const path of [
      '/v1/federation/facts',
      '/v1/federation/facts',
      '/v1/facts',
      '/v1/me',
      '/v1/recall?query=x&token_budget=9',
    ]) {
      expect((await node.request('GET', path, { key: token })).status, path).to.equal(401);
    }
  });
});
