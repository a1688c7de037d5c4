import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import type { TestReply } from '../../kit/test-request.ts';
import { post } from '../../plugins/mcp/mcp-kit.ts';

const AT_ONCE = 40;
const FACTS = 600;
/**
 * Without turns, all of them end before the read. With turns, a few end meanwhile, one or two for each statement of the
 * read. Their number differs with the load of the database server.
 */
const MAY_END_BEFORE = AT_ONCE / 2;
/** Equal requests share one run, so all of them may end together. */
const SHARES_RUNS = 'GET /v1/lint';

const completion = {
  jsonrpc: '2.0',
  id: 1,
  method: 'completion/complete',
  params: { ref: { type: 'ref/resource', uri: 'memory://card/{entity}' }, argument: { name: 'entity', value: 'e' } },
};

forEachStore('A client sends forty costly requests at once (I21)', () => {
  let node: TestNode;
  /** Two keys of one person. */
  let loaders: readonly string[];
  let reader: string;
  let factId: string;
  before(async () => {
    node = await startTestNode();
    loaders = [await node.addKey({ entityUri: 'agent:a' }), await node.addKey({ entityUri: 'agent:a' })];
    reader = await node.addKey({ entityUri: 'agent:b' });
    const body = Array.from({ length: FACTS }, (_, at) => ({
      entity: `user:e${at % 60}`,
      relation: `memory:note-${at}`,
      value: { type: 'string', v: `fact ${at}` },
      source: 'agent:a',
      scope: 'company',
    }));
    await node.request('POST', '/v1/facts/batch', { key: loaders[0] as string, body });
    const newest = await node.request('GET', '/v1/facts?limit=1', { key: reader });
    factId = newest.body.facts[0].id;
  });
  after(() => node.stop());

  const get = (path: string) => (key: string) => node.request('GET', path, { key });
  const costly: Readonly<Record<string, (key: string) => Promise<TestReply>>> = {
    'GET /v1/facts': get('/v1/facts?limit=500'),
    'GET /v1/synthesis': get('/v1/synthesis'),
    'GET /v1/lint': get('/v1/lint'),
    'GET /v1/audit': get('/v1/audit?limit=500'),
    'GET /v1/audit/export': get('/v1/audit/export'),
    'GET /v1/conflicts': get('/v1/conflicts?limit=500'),
    'GET /v1/history': get('/v1/history/user:e1?limit=200'),
    'GET /v1/facts/:id/provenance': (key) => get(`/v1/facts/${factId}/provenance`)(key),
    'a completion over MCP': (key) => post(node, key, completion),
  };
  for (const [name, send] of Object.entries(costly)) {
    it(`${name}: a read of another person waits for few of them, and all are answered`, async () => {
      await node.request('GET', `/v1/facts/${factId}`, { key: reader });
      let ended = 0;
      const load = Array.from({ length: AT_ONCE }, async (_, at) => {
        const reply = await send(loaders[at % loaders.length] as string);
        ended += 1;
        return reply.status;
      });
      const { status } = await node.request('GET', `/v1/facts/${factId}`, { key: reader });
      const mayEnd = name === SHARES_RUNS ? AT_ONCE : MAY_END_BEFORE;
      expect([status, ended <= mayEnd], `${ended} ended before`).to.deep.equal([200, true]);
      expect(new Set(await Promise.all(load))).to.deep.equal(new Set([200]));
    });
  }
});
