import { expect } from 'chai';
import { PLUGIN_CATALOG } from '../../../config/plugin-catalog.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { ALL_PERMISSIONS } from '../../kit/all-permissions.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { nextClient, TRUSTS_TEST } from '../../kit/next-client.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const OPEN_PATHS =
  /^\/(?:$|healthz|readyz|\.well-known\/|openapi\.json|spec$|console(?:\/|$)|v1\/auth\/oidc\/exchange$)/;
const REQUESTS = 60;

forEachStore('An attacker uses a key after its revocation (I16)', () => {
  let first: TestNode;
  let second: TestNode;
  let admin: string;
  let key: string;

  beforeEach(async () => {
    const options = { plugins: Object.keys(PLUGIN_CATALOG), clock: createManualClock(), node: TRUSTS_TEST };
    first = await startTestNode(options);
    second = await startTestNode({ ...options, random: createSeededRandom(2), folder: first.folder });
    admin = await first.addKey({ entityUri: 'agent:ops', permissions: [...ALL_PERMISSIONS] });
    key = await first.addKey({ entityUri: 'agent:thief', permissions: [...ALL_PERMISSIONS] });
  });
  afterEach(async () => {
    await second.stop();
    await first.stop();
  });

  const ask = async (node: TestNode, method: string, target: string, as = key): Promise<number> => {
    const headers = { 'X-Forwarded-For': nextClient() };
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
    return (await node.request(method, target, { key: as, headers, ...body })).status;
  };
  const revoke = async (): Promise<void> => {
    const { body } = await first.request('GET', '/v1/auth/keys', { key });
    expect((await first.request('DELETE', `/v1/auth/keys/${body[0].id}`, { key: admin })).status).to.equal(204);
  };

  it('is refused by every route that needs a key, and by an unknown path, once the revocation is acknowledged', async () => {
    const { routes } = await first.node.describe();
    expect(await ask(first, 'GET', '/v1/me')).to.equal(200);
    await revoke();
    const guarded = routes.filter(({ path }) => !OPEN_PATHS.test(path));
    expect(guarded.length).to.be.above(40);
    for (const { method, path } of [...guarded, { method: 'GET', path: '/v1/unknown' }]) {
      const target = path.replace(/[:*][a-z_]+/g, 'x');
      expect(await ask(first, method, target), `${method} ${path}`).to.equal(401);
    }
    expect(await ask(first, 'GET', '/v1/me', admin)).to.equal(200);
  });

  it('is refused in the middle of many concurrent requests', async () => {
    const storm = Array.from({ length: REQUESTS }, () => ask(first, 'GET', '/v1/facts'));
    const revoked = revoke();
    const during = await Promise.all(storm);
    await revoked;
    expect(during.every((status) => status === 200 || status === 401)).to.equal(true);
    const after = await Promise.all(Array.from({ length: REQUESTS }, () => ask(first, 'GET', '/v1/facts')));
    expect([...new Set(after)]).to.deep.equal([401]);
  });

  it('is refused by every other process too, without a query per request', async () => {
    expect(await ask(second, 'GET', '/v1/me')).to.equal(200);
    await revoke();
    await comesTrue(async () => (await ask(second, 'GET', '/v1/me')) === 401);
    expect(await ask(second, 'GET', '/v1/me', admin)).to.equal(200);
  });
});
