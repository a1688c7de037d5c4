import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { KeyRegistry } from '../../../plugins/keys/keys-api.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { ALL_PERMISSIONS } from '../../kit/all-permissions.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const KEY = 'sixteen-letters!';

forEachStore('the first key of a store', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bootstrap-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const start = (key: string, seed = 1) =>
    startTestNode({
      plugins: ['keys', 'audit', 'facts'],
      folder,
      random: createSeededRandom(seed),
      env: { SVC_BOOTSTRAP_KEY: key },
    });
  const me = (node: TestNode, key: string) => node.request('GET', '/v1/me', { key });

  it('is read from an environment variable, gets all permissions and the normal expiry, and is audited', async () => {
    const node = await start(KEY);
    expect((await me(node, KEY)).body).to.deep.equal({
      entity_uri: 'agent:admin',
      permissions: [...ALL_PERMISSIONS].sort(),
      tenant_id: 'default',
      oidc_sub: null,
      allowed_scopes: ['local', 'team', 'company', 'public'],
    });
    const { body: keys } = await node.request('GET', '/v1/auth/keys', { key: KEY });
    expect(keys[0].expires_at).to.equal('2026-05-31T09:00:00.000Z');
    const { body: audit } = await node.request('GET', '/v1/auth/audit', { key: KEY });
    expect(audit.entries[0]).to.include({ event_type: 'admin_action', entity_uri: 'system:svc' });
    await node.stop();
  });

  it('is registered once, even if the variable is set again or changes later', async () => {
    await (await start(KEY)).stop();
    const node = await start('another-key-of-enough-length');
    expect((await me(node, 'another-key-of-enough-length')).status).to.equal(401);
    expect(await node.kernel.get(KeyRegistry).count()).to.equal(1);
    const { body } = await node.request('GET', '/v1/auth/keys', { key: KEY });
    await node.request('DELETE', `/v1/auth/keys/${body[0].id}`, { key: KEY });
    await node.stop();
    const again = await start(KEY);
    expect((await me(again, KEY)).status, 'a revoked key does not come back').to.equal(401);
    await again.stop();
  });

  it('is registered once although several processes start at the same time', async () => {
    const nodes = await Promise.all([1, 2, 3, 4].map((seed) => start(KEY, seed)));
    for (const node of nodes) expect((await me(node, KEY)).status).to.equal(200);
    expect(await nodes[0]?.kernel.get(KeyRegistry).count()).to.equal(1);
    await Promise.all(nodes.map((node) => node.stop()));
  });

  it('stops the start if it is too short or unsendable, with an error that does not show the key', async () => {
    for (const bad of ['fifteen-letters', 'sixteen letters here', `${KEY}\u0007`]) {
      const error = await start(bad).then(
        () => new Error('it started'),
        (problem: Error) => problem,
      );
      expect(error.message).to.contain('SVC_BOOTSTRAP_KEY').and.not.contain(bad);
    }
  });
});
