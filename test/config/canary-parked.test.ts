import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { startEarlyPeer } from '../kit/federation/early-peer.ts';
import { createPeerIdentity } from '../kit/federation/peer-identity.ts';
import { fewPlugins } from '../kit/few-plugins.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { waitUntil } from '../kit/wait-until.ts';
import { BackupPlace } from '../plugins/backup/backup-place.ts';
import { holdKeys } from '../plugins/backup/sealed-place.ts';
import { ask, CANARY } from './canaries.ts';
import { holds, readAll } from './read-places.ts';

const LIMIT_MS = 120_000;

forEachStore('a fact of a peer that waits', (kind) => {
  let place: BackupPlace;
  beforeEach(async () => {
    place = await BackupPlace.on(kind, fewPlugins('backup', 'federation', 'jobs'));
  });
  afterEach(() => place.dispose());

  /** Returns the places that hold the words of the fact while it waits. */
  const placesOf = async (variables: Record<string, string>): Promise<readonly string[]> => {
    const self = createPeerIdentity('svc://waiting.test', Date.now);
    const peer = await startEarlyPeer(`${CANARY} comes early`);
    const node = await place.start({
      SVC_FEDERATION_ENABLED: 'true',
      SVC_FEDERATION_INSECURE: 'true',
      SVC_FEDERATION_PULL_INTERVAL_S: '1',
      SVC_NODE_ID: self.nodeId,
      SVC_NODE_PRIVATE_KEY: self.seed,
      ...variables,
    });
    await ask(node, 'POST', '/v1/federation/peers', { body: self.declare(peer.identity.nodeId) });
    const theirs = peer.identity.declare(self.nodeId, { node_url: peer.url });
    const { peer_id: id } = await ask(node, 'POST', '/v1/federation/peers', { body: theirs });
    await waitUntil('the fact waits', LIMIT_MS, async () =>
      JSON.stringify(await ask(node, 'GET', `/v1/federation/peers/${id}/lag`)).includes('"parked":1'),
    );
    const found = (await readAll(place)).filter(({ bytes }) => holds(bytes)).map(({ at }) => at);
    await node.end();
    peer.stop();
    return found;
  };

  it('is found by the sweep in a clear store', async () => {
    expect(await placesOf({})).to.include(kind === 'sqlite' ? 'data/svc.db-wal' : 'table federation_parked');
  }).timeout(LIMIT_MS);

  it('is in no file and no table of a sealed node in the clear', async () => {
    expect(await placesOf(holdKeys(place, randomBytes(32)))).to.deep.equal([]);
  }).timeout(LIMIT_MS);
});
