import { expect } from 'chai';
import { type SweepNode, sweepHiddenFacts } from '../../kit/sweep/sweep-hidden-facts.ts';
import type { TestReply } from '../../kit/test-request.ts';
import { type Ask, fillTenant, sayEverything } from './filled-tenant.ts';
import { ADMIN_RIGHTS, startTenantsNode } from './tenants-node.ts';

interface TwoTenants extends SweepNode {
  /** Sends a request as the administrator of the other tenant. */
  theirs(method: string, path: string, options: object): Promise<TestReply>;
}

/** Starts two tenants. The stranger administers one of them, and must see nothing of the other. */
const startTwoTenants = async (): Promise<TwoTenants> => {
  const node = await startTenantsNode();
  const rights = { permissions: [...ADMIN_RIGHTS, 'instruction:write'] };
  const keys = {
    stranger: await node.addKey({ ...rights, entityUri: 'agent:stranger', tenantId: 'ours' }),
    operator: await node.addKey({ ...rights, entityUri: 'agent:operator', tenantId: 'ours' }),
  };
  const foreign = await node.addKey({ ...rights, entityUri: 'agent:stranger', tenantId: 'theirs' });
  const ask: SweepNode['ask'] = (actor, method, target, options = {}) =>
    node.request(method, target, { key: keys[actor], ...options });
  return {
    node,
    ask,
    async must(status, actor, method, target, body) {
      const reply = await ask(actor, method, target, body === undefined ? {} : { body });
      expect(reply.status, `${method} ${target}: ${reply.text}`).to.equal(status);
      return reply;
    },
    theirs: (method, path, options) => node.request(method, path, { key: foreign, ...options }),
    stop: () => node.stop(),
  };
};

sweepHiddenFacts('fifty facts of every kind in another tenant', {
  start: startTwoTenants,
  async hide({ theirs }, told) {
    const count = await sayEverything(theirs, told);
    const must: Ask = async (status, method, path, body, headers = {}) => {
      const reply = await theirs(method, path, { body, headers });
      expect(reply.status, `${method} ${path}: ${reply.text}`).to.equal(status);
      return reply;
    };
    await fillTenant(must, 'lavender');
    return count;
  },
  async hideMore({ theirs }) {
    const value = { type: 'text', v: 'carol keeps lavender' };
    const body = { entity: 'user:carol', relation: 'memory:note', value, source: 'agent:s', scope: 'company' };
    await theirs('POST', '/v1/facts', { body });
  },
  askAsInsider: ({ theirs }, method, target, options) => theirs(method, target, options),
  async areThere({ theirs }) {
    expect((await theirs('GET', '/v1/facts?limit=500', {})).body.total).to.be.above(60);
  },
});
