import { basename } from 'node:path';
import { expect } from 'chai';
import type { ServingNode } from '../../adapters/cli/spawned-program.ts';
import { type CuttingProxy, startCuttingProxy } from '../../kit/cutting-proxy.ts';
import { createPeerIdentity, type PeerIdentity } from '../../kit/federation/peer-identity.ts';
import { fewPlugins } from '../../kit/few-plugins.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { startHook } from '../../processes/webhook-hook.ts';
import { BackupPlace, type Reply, request } from './backup-place.ts';
import { subscribe } from './subscribe.ts';

const LIMIT_MS = 40_000;
const NOWHERE = 'http://127.0.0.1:9';
const TARGET = 'svc://alpha.example/project/atlas';

const say = (node: ServingNode, value: string, entity = `thing:${value}`): Promise<Reply> =>
  request(node, 'POST', '/v1/facts', {
    entity,
    // Facts of one relation would contradict each other, and a contradiction is an event of its own.
    relation: `x:${value}`,
    value: { type: 'string', v: value },
    source: 'agent:admin',
    scope: 'public',
  });

/** Returns how often the node has each of the facts. */
const countsOf = async (node: ServingNode, values: readonly string[]): Promise<readonly number[]> =>
  Promise.all(
    values.map(async (value) => (await request(node, 'GET', `/v1/facts?entity=thing:${value}&limit=1`)).body.total),
  );

/** A node of a federation, on a store that is backed up, behind an address that a restart does not change. */
class Peer {
  readonly place: BackupPlace;
  readonly identity: PeerIdentity;
  readonly #proxy: CuttingProxy;

  private constructor(place: BackupPlace, name: string, proxy: CuttingProxy) {
    this.place = place;
    this.identity = createPeerIdentity(`svc://${name}.test`, Date.now);
    this.#proxy = proxy;
  }

  static async on(kind: 'sqlite' | 'postgres', name: string): Promise<Peer> {
    const place = await BackupPlace.on(kind, fewPlugins('backup', 'federation', 'jobs'));
    return new Peer(place, name, await startCuttingProxy(NOWHERE));
  }

  get url(): string {
    return this.#proxy.url.replace(/\/$/, '');
  }

  async start(): Promise<ServingNode> {
    const node = await this.place.start({
      SVC_FEDERATION_ENABLED: 'true',
      SVC_FEDERATION_INSECURE: 'true',
      SVC_FEDERATION_PULL_INTERVAL_S: '1',
      SVC_NODE_ID: this.identity.nodeId,
      SVC_NODE_PRIVATE_KEY: this.identity.seed,
    });
    this.#proxy.aimAt(node.url);
    return node;
  }

  /** Declares a peering at a node of this peer, in the names of both. */
  async declare(node: ServingNode, other: Peer): Promise<void> {
    const scopes = { allowed_scopes: ['public'] };
    await request(node, 'POST', '/v1/federation/peers', this.identity.declare(other.identity.nodeId, scopes));
    const theirs = other.identity.declare(this.identity.nodeId, { ...scopes, node_url: other.url });
    const { status, body } = await request(node, 'POST', '/v1/federation/peers', theirs);
    expect([status, body.status], JSON.stringify(body)).to.deep.equal([201, 'active']);
  }

  async dispose(): Promise<void> {
    await this.place.dispose();
    await this.#proxy.close();
  }
}

const restore = async (place: BackupPlace, folder: string): Promise<void> => {
  const restored = await place.run(['restore', basename(folder), '--replace']);
  expect(restored.exitCode, restored.stderr).to.equal(0);
};

forEachStore('after a restore', (kind) => {
  it('a node has each fact of its peer once, and a peer that had read beyond the backup reads on', async () => {
    const [one, other] = [await Peer.on(kind, 'restored'), await Peer.on('sqlite', 'outside')];
    try {
      let node = await one.start();
      const peer = await other.start();
      await one.declare(node, other);
      await other.declare(peer, one);
      const reach = (at: ServingNode, values: readonly string[]): Promise<void> =>
        waitUntil(`${values.join()} are there`, LIMIT_MS, async () => !(await countsOf(at, values)).includes(0));
      await say(node, 'a1');
      await say(peer, 'b1');
      await Promise.all([reach(node, ['b1']), reach(peer, ['a1'])]);
      const folder = await one.place.backUp();
      await say(node, 'a2');
      await say(peer, 'b2');
      await Promise.all([reach(node, ['b2']), reach(peer, ['a2'])]);
      await node.end();
      await restore(one.place, folder);
      node = await one.start();
      await say(node, 'a3');
      await say(peer, 'b3');
      await Promise.all([reach(node, ['b1', 'b2', 'b3']), reach(peer, ['a1', 'a2', 'a3'])]);
      expect(await countsOf(node, ['a1', 'b1', 'b2', 'b3', 'a3'])).to.deep.equal([1, 1, 1, 1, 1]);
      expect(await countsOf(peer, ['a1', 'a2', 'a3', 'b1', 'b2', 'b3'])).to.deep.equal([1, 1, 1, 1, 1, 1]);
      await node.end();
      await peer.end();
    } finally {
      await one.dispose();
      await other.dispose();
    }
  }).timeout(6 * LIMIT_MS);

  it('a client goes on with the cursor of a list, in the restored store', async () => {
    const place = await BackupPlace.on(kind, fewPlugins('backup', 'jobs'));
    const node = await place.start();
    for (const value of ['one', 'two', 'three']) await say(node, value, 'thing:listed');
    const backup = await place.backUp();
    await say(node, 'later', 'thing:listed');
    const list = async (at: ServingNode, more = ''): Promise<{ values: string[]; cursor: string | null }> => {
      const { body } = await request(at, 'GET', `/v1/facts?entity=thing:listed&limit=2${more}`);
      const values = body.facts.map(({ value }: { readonly value: { readonly v: string } }) => value.v);
      return { values, cursor: body.cursor };
    };
    const first = await list(node);
    const after = `&cursor=${encodeURIComponent(first.cursor ?? '')}`;
    const rest = await list(node, after);
    await node.end();
    const restored = await place.run(['restore', backup, '--replace']);
    expect(restored.exitCode, restored.stderr).to.equal(0);
    const again = await place.start();
    const { values } = await list(again, after);
    expect(values).to.deep.equal(rest.values.filter((value) => value !== 'later'));
    expect([...first.values, ...rest.values].sort()).to.deep.equal(['later', 'one', 'three', 'two']);
    await again.end();
    await place.dispose();
  }).timeout(LIMIT_MS);

  it('a webhook gets a pending event again with the same id, a later one once, and no delivered one', async () => {
    const place = await BackupPlace.on(kind, fewPlugins('backup', 'capability-tokens', 'jobs', 'subscriptions'));
    const hook = await startHook();
    try {
      const env = { SVC_WEBHOOK_ALLOW_PRIVATE: 'true' };
      let node = await place.start(env);
      await subscribe(node, hook, TARGET);
      const idsOf = (factId: string): string[] =>
        hook.requests.filter((one) => one.factId === factId).map(({ id }) => id);
      const tell = async (value: string): Promise<string> => (await say(node, value, TARGET)).body.id;
      const delivered = await tell('delivered');
      await waitUntil('it counts as delivered', LIMIT_MS, async () => {
        const { body } = await request(node, 'GET', '/v1/subscriptions');
        return body.subscriptions[0].last_delivered_at !== null;
      });
      hook.answer = (_, response) => void response.writeHead(503).end();
      const pending = await tell('pending');
      await waitUntil('a delivery has failed', LIMIT_MS, () => idsOf(pending).length > 0);
      const folder = await place.backUp();
      const attempts = idsOf(pending).length;
      hook.answer = (_, response) => void response.end();
      await waitUntil('it is repeated', LIMIT_MS, () => idsOf(pending).length > attempts);
      const lost = await tell('lost');
      await waitUntil('the lost one has arrived', LIMIT_MS, () => idsOf(lost).length > 0);
      await node.end();
      await restore(place, folder);
      const before = hook.requests.length;
      node = await place.start(env);
      const later = await tell('later');
      const since = (factId: string): number =>
        hook.requests.slice(before).filter((one) => one.factId === factId).length;
      await waitUntil('both have arrived', LIMIT_MS, () => since(pending) > 0 && since(later) > 0);
      await node.end();
      expect([since(delivered), since(pending), since(lost), since(later)]).to.deep.equal([0, 1, 0, 1]);
      expect(new Set(idsOf(pending)).size, 'ids of the repeated event').to.equal(1);
      expect(hook.requests.every(({ isGenuine }) => isGenuine)).to.equal(true);
    } finally {
      hook.stop();
      await place.dispose();
    }
  }).timeout(6 * LIMIT_MS);
});
