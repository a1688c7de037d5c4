import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createPeerIdentity, type PeerIdentity } from '../kit/federation/peer-identity.ts';
import { metadataOf } from '../kit/federation/test-peer.ts';
import type { WireFact } from '../kit/federation/wire-fact.ts';
import { fewPlugins } from '../kit/few-plugins.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { waitUntil } from '../kit/wait-until.ts';
import { BackupPlace } from '../plugins/backup/backup-place.ts';
import { holdKeys } from '../plugins/backup/sealed-place.ts';
import { ask, CANARY } from './canaries.ts';
import { holds, readAll } from './read-places.ts';

const LIMIT_MS = 120_000;
const HOUR_MS = 3_600_000;

/** A fact whose stamp is an hour ahead waits for its time. */
const early = (peer: PeerIdentity): WireFact => {
  const atMs = Date.now() + HOUR_MS;
  const fact = {
    id: peer.unique(),
    entity: 'user:early',
    relation: 'memory:note',
    value: { type: 'string', v: `${CANARY} comes early` },
    source: 'agent:early',
    timestamp: new Date(atMs).toISOString(),
    hlc: `${atMs}.0`,
    confidence: 1,
    scope: 'public',
    valid_until: null,
    derived_from: [],
  };
  return { ...fact, origin_proof: peer.prove(fact) };
};

/** Serves a peer with one fact. */
const servePeer = async (peer: PeerIdentity): Promise<{ readonly url: string; stop(): void }> => {
  const facts = [early(peer)];
  const server = createServer((request, response) => {
    const isFeed = request.url?.startsWith('/v1/federation/facts') === true;
    const page = { facts, cursor: facts[0]?.hlc, has_more: false, epoch: 'epoch-1' };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(isFeed ? page : metadataOf(peer, url)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url, stop };
};

forEachStore('a fact of a peer that waits', (kind) => {
  let place: BackupPlace;
  beforeEach(async () => {
    place = await BackupPlace.on(kind, fewPlugins('backup', 'federation', 'jobs'));
  });
  afterEach(() => place.dispose());

  /** Returns the places that hold the words of the fact while it waits. */
  const placesOf = async (variables: Record<string, string>): Promise<readonly string[]> => {
    const self = createPeerIdentity('svc://waiting.test', Date.now);
    const peer = createPeerIdentity('svc://early.test', Date.now);
    const served = await servePeer(peer);
    const node = await place.start({
      SVC_FEDERATION_ENABLED: 'true',
      SVC_FEDERATION_INSECURE: 'true',
      SVC_FEDERATION_PULL_INTERVAL_S: '1',
      SVC_NODE_ID: self.nodeId,
      SVC_NODE_PRIVATE_KEY: self.seed,
      ...variables,
    });
    await ask(node, 'POST', '/v1/federation/peers', { body: self.declare(peer.nodeId) });
    const theirs = peer.declare(self.nodeId, { node_url: served.url });
    const { peer_id: id } = await ask(node, 'POST', '/v1/federation/peers', { body: theirs });
    await waitUntil('the fact waits', LIMIT_MS, async () =>
      JSON.stringify(await ask(node, 'GET', `/v1/federation/peers/${id}/lag`)).includes('"parked":1'),
    );
    const found = (await readAll(place)).filter(({ bytes }) => holds(bytes)).map(({ at }) => at);
    await node.end();
    served.stop();
    return found;
  };

  it('is found by the sweep in a clear store', async () => {
    expect(await placesOf({})).to.include(kind === 'sqlite' ? 'data/svc.db-wal' : 'table federation_parked');
  }).timeout(LIMIT_MS);

  it('is in no file and no table of a sealed node in the clear', async () => {
    expect(await placesOf(holdKeys(place, randomBytes(32)))).to.deep.equal([]);
  }).timeout(LIMIT_MS);
});
