import { expect } from 'chai';
import { startTestNode } from '../../kit/start-test-node.ts';
import { type SweepNode, sweepHiddenFacts } from '../../kit/sweep/sweep-hidden-facts.ts';
import type { RequestOptions, TestReply } from '../../kit/test-request.ts';
import { sayEverything } from '../multi-tenant/filled-tenant.ts';

interface ScopedNode extends SweepNode {
  /** Sends a request with a key for all scopes. Facts outside gardens go to a scope that the stranger lacks. */
  asKeeper(method: string, target: string, options: RequestOptions): Promise<TestReply>;
}

const startScopedNode = async (): Promise<ScopedNode> => {
  const node = await startTestNode();
  const permissions = ['read', 'write', 'admin'] as const;
  const keys = {
    stranger: await node.addKey({ entityUri: 'agent:stranger', scopes: ['company'] }),
    operator: await node.addKey({ entityUri: 'agent:operator', permissions }),
  };
  const keeper = await node.addKey({ entityUri: 'agent:keeper' });
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
    asKeeper(method, target, { body, ...options }) {
      const isOutside = method === 'POST' && target === '/v1/facts' && !('garden_id' in (body as object));
      const sent = isOutside ? { ...(body as object), scope: 'team' } : body;
      return node.request(method, target, { key: keeper, ...options, ...(sent === undefined ? {} : { body: sent }) });
    },
    stop: () => node.stop(),
  };
};

sweepHiddenFacts('fifty facts of every kind in a scope that a key lacks', {
  start: startScopedNode,
  hide: ({ asKeeper }, told) => sayEverything(asKeeper, told),
  async hideMore({ asKeeper }) {
    const value = { type: 'text', v: 'carol keeps lavender' };
    const body = { entity: 'user:carol', relation: 'memory:note', value, source: 'agent:s' };
    expect((await asKeeper('POST', '/v1/facts', { body })).status).to.equal(201);
  },
  askAsInsider: ({ asKeeper }, method, target, options) => asKeeper(method, target, options),
  async areThere({ asKeeper }) {
    expect((await asKeeper('GET', '/v1/facts?scope=team&limit=500', {})).body.total).to.be.above(20);
  },
});
