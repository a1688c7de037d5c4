import { expect } from 'chai';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

forEachStore('keys in several processes on one store', () => {
  let first: TestNode;
  let second: TestNode;
  beforeEach(async () => {
    const clock = createManualClock();
    first = await startTestNode({ plugins: ['keys', 'audit'], clock });
    const random = createSeededRandom(2);
    second = await startTestNode({ plugins: ['keys', 'audit'], clock, random, folder: first.folder });
  });
  afterEach(async () => {
    await second.stop();
    await first.stop();
  });

  const statusOf = async (node: TestNode, key: string): Promise<number> =>
    (await node.request('GET', '/v1/me', { key })).status;

  it('are refused everywhere soon after one process has revoked them, even if the clock stands still', async () => {
    const admin = await first.addKey({ entityUri: 'agent:ops', permissions: ['read', 'write', 'admin'] });
    const key = await first.addKey();
    expect([await statusOf(first, key), await statusOf(second, key)]).to.deep.equal([200, 200]);
    const { body } = await first.request('GET', '/v1/auth/keys', { key });
    const { status } = await first.request('DELETE', `/v1/auth/keys/${body[0].id}`, { key: admin });
    expect(status).to.equal(204);
    expect(await statusOf(first, key), 'where it was revoked, at once').to.equal(401);
    await comesTrue(async () => (await statusOf(second, key)) === 401);
    expect(await statusOf(second, admin)).to.equal(200);
  });
});
