import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { type EarlyPeer, startEarlyPeer } from '../kit/federation/early-peer.ts';
import { createPeerIdentity } from '../kit/federation/peer-identity.ts';
import { fewPlugins } from '../kit/few-plugins.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { waitUntil } from '../kit/wait-until.ts';
import { BackupPlace } from '../plugins/backup/backup-place.ts';
import { holdKeys, succeed } from '../plugins/backup/sealed-place.ts';
import { ask } from './canaries.ts';
import { passDay } from './pass-day.ts';

const LIMIT_MS = 240_000;
const PARKED = 'federation_parked';

forEachStore('a fact of a peer that waits, on a node whose first pull is not over', (kind) => {
  let place: BackupPlace;
  let peer: EarlyPeer;
  beforeEach(async () => {
    place = await BackupPlace.on(kind, fewPlugins('backup', 'federation', 'jobs'));
    peer = await startEarlyPeer('comes early');
  });
  afterEach(async () => {
    peer.stop();
    await place.dispose();
  });

  const parked = async (): Promise<number> => ((await place.rows()).get(PARKED) ?? []).length;

  it('comes again after the restore of a backup whose keys of it were destroyed since', async () => {
    const self = createPeerIdentity('svc://waiting.test', Date.now);
    const env = {
      SVC_FEDERATION_ENABLED: 'true',
      SVC_FEDERATION_INSECURE: 'true',
      SVC_FEDERATION_PULL_INTERVAL_S: '1',
      SVC_NODE_ID: self.nodeId,
      SVC_NODE_PRIVATE_KEY: self.seed,
      ...holdKeys(place, randomBytes(32)),
    };
    peer.isBroken = true;
    const first = await place.start(env);
    await ask(first, 'POST', '/v1/federation/peers', { body: self.declare(peer.identity.nodeId) });
    const theirs = peer.identity.declare(self.nodeId, { node_url: peer.url });
    await ask(first, 'POST', '/v1/federation/peers', { body: theirs });
    await waitUntil('the next page was asked for', LIMIT_MS, () => peer.asked.some((cursor) => cursor !== null));
    // The node asks for the next page before it has stored the previous one.
    await waitUntil('the fact waits', LIMIT_MS, async () => (await parked()) === 1);
    await first.end();
    const backup = await succeed(place, env, 'backup');
    await place.tamper(`DELETE FROM ${PARKED}`);
    for (let day = 0; day < 3; day += 1) await passDay(place, env);
    await succeed(place, env, 'restore', backup, '--replace');
    expect(await parked(), 'the backup holds it').to.equal(1);
    peer.isBroken = false;
    const asked = peer.asked.length;
    const restored = await place.start(env);
    await waitUntil('the pull is over', LIMIT_MS, () => peer.asked.slice(asked).some((cursor) => cursor !== null));
    expect(peer.asked[asked], 'the pull begins again').to.equal(null);
    await waitUntil('the fact waits again', LIMIT_MS, async () => (await parked()) === 1);
    await restored.end();
    await succeed(place, env, 'verify');
  }).timeout(LIMIT_MS);
});
