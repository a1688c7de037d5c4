import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FactStore } from '../../../ports/ports.ts';
import { createManualClock, type ManualClock } from '../../fakes/manual-clock.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { placeTestStore } from '../../kit/test-store.ts';

const MINUTE_MS = 60_000;
const ADMIN = { entityUri: 'agent:ops', permissions: ['admin'] };

forEachStore('the time at which a key was last used', (kind) => {
  let folder: string;
  let clock: ManualClock;
  let node: TestNode;
  let starts = 0;
  const start = async (): Promise<void> => {
    node = await startTestNode({ plugins: ['keys', 'audit'], folder, clock, random: createSeededRandom(++starts) });
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'key-uses-'));
    clock = createManualClock();
    await start();
  });
  afterEach(async () => {
    await node?.stop();
    await (await placeTestStore(kind, folder)).remove();
    await rm(folder, { recursive: true, force: true });
  });

  const use = async (key: string): Promise<number> => (await node.request('GET', '/v1/me', { key })).status;
  const lastUse = async (admin: string, entity: string): Promise<string | null> => {
    const { body } = await node.request('GET', `/v1/auth/keys?all=true&search=${entity}`, { key: admin });
    return body[0].last_used_at;
  };
  const now = (): string => new Date(clock.nowMs()).toISOString();

  it('is shown at once, or null for a key that no request has used', async () => {
    const [admin, used] = [await node.addKey(ADMIN), await node.addKey({ entityUri: 'agent:used' })];
    await node.addKey({ entityUri: 'agent:unused' });
    await clock.advance(MINUTE_MS);
    expect(await use(used)).to.equal(200);
    expect(await lastUse(admin, 'agent:used')).to.equal(now());
    expect(await lastUse(admin, 'agent:unused')).to.equal(null);
  });

  it('is still known after a restart, to within ten minutes', async () => {
    const [admin, used] = [await node.addKey(ADMIN), await node.addKey({ entityUri: 'agent:used' })];
    const uses: string[] = [];
    for (let minute = 0; minute < 25; minute += 1) {
      await use(used);
      uses.push(now());
      await clock.advance(MINUTE_MS);
    }
    await node.stop();
    await start();
    const known = await lastUse(admin, 'agent:used');
    expect(uses.slice(-11)).to.include(known);
  });

  it('is updated when the key is used again after a pause', async () => {
    const [admin, used] = [await node.addKey(ADMIN), await node.addKey({ entityUri: 'agent:used' })];
    await use(used);
    await clock.advance(60 * MINUTE_MS);
    await node.stop();
    await start();
    await clock.advance(MINUTE_MS);
    await use(used);
    expect(await lastUse(admin, 'agent:used')).to.equal(now());
  });

  it('is not stored for a key that was deleted in the meantime', async () => {
    const store = node.kernel.get(FactStore);
    const used = await node.addKey({ entityUri: 'agent:used' });
    await use(used);
    await store.table('keys_api_keys').where({ entity_uri: 'agent:used' }).delete();
    await clock.advance(MINUTE_MS);
    expect(await store.table('keys_uses').select('key_id')).to.deep.equal([]);
  });
});
