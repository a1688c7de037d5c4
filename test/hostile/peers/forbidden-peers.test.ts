import { expect } from 'chai';
import { refusalOf } from '../../../adapters/koa/judge-target.ts';
import { type OutboundRules, ServiceError } from '../../../ports/ports.ts';
import type { LoopbackNetwork } from '../../fakes/loopback-network.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { declareBoth, federationEvents, postDeclaration, pullUntil } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { INTERNAL_NAMES, inUrl, LOOPBACK, METADATA, NETWORKS } from '../doors/target-vectors.ts';

const PRIVATE = ['10.0.0.1', '::1', '169.254.169.254', '::ffff:127.0.0.1', '64:ff9b::7f00:1'];

/** Returns a transport that checks addresses as the real network does, and records each call. */
const guard = (network: LoopbackNetwork, addresses: ReadonlyMap<string, readonly string[]>, called: string[]) => {
  const resolve = async (host: string) =>
    (addresses.get(host) ?? ['8.8.8.8']).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const judge = (url: string, rules: OutboundRules): Promise<string | undefined> => refusalOf(url, rules, resolve);
  return {
    ...network,
    transport: (own: string) => {
      const transport = network.transport(own);
      return {
        ...transport,
        refusal: judge,
        async send(request: Parameters<typeof transport.send>[0]) {
          const why = await judge(request.url, request);
          if (why !== undefined) throw new ServiceError('unavailable', why);
          called.push(request.url);
          return transport.send(request);
        },
      };
    },
  };
};

describe('A peer declares an address that only the node can reach (I20)', () => {
  const world = createWorld();
  const addresses = new Map<string, readonly string[]>();
  const called: string[] = [];
  let node: FederatedNode;
  let peer: TestPeer;
  before(async () => {
    node = await startFederatedNode({ name: 'n', ...world, network: guard(world.network, addresses, called) });
    peer = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs() });
  });
  after(async () => {
    await node?.stop();
    await peer?.stop();
  });
  const peerCount = async (): Promise<number> => (await node.get('/v1/federation/peers')).body.peers.length;
  const isRefused = async (node_url: string): Promise<void> => {
    const { status, text } = await postDeclaration(node, peer.declare(node.nodeId, { node_url }));
    expect(status, node_url).to.be.within(400, 499);
    expect(text).not.to.contain('password');
  };

  it('and is refused in each spelling of the address, and the node calls nothing', async () => {
    const urls = [
      ...[...LOOPBACK, ...NETWORKS.map(inUrl), ...METADATA, ...INTERNAL_NAMES].map((host) => `https://${host}`),
      'http://p.test',
      'https://user@p.test',
      'https://user:password@p.test',
      'ftp://p.test',
      'file:///etc/passwd',
      'gopher://p.test',
      'javascript:alert(1)',
      'data:text/plain,x',
      '//p.test',
      'https://',
      '',
      'https://p.test/?a=b',
      'https://p.test/#a',
    ];
    for (const url of urls) await isRefused(url);
    expect(await peerCount()).to.equal(0);
    expect(called.filter((url) => !url.startsWith('https://p.test'))).to.deep.equal([]);
  });

  it('by a name that resolves to such an address, alone or beside a public one', async () => {
    for (const [at, address] of PRIVATE.entries()) {
      addresses.set(`inside-${at}.test`, [address]);
      addresses.set(`both-${at}.test`, ['8.8.8.8', address]);
      await isRefused(`https://inside-${at}.test`);
      await isRefused(`https://both-${at}.test`);
    }
    expect(called.filter((url) => /inside|both/.test(url))).to.deep.equal([]);
    expect(await peerCount()).to.equal(0);
  });

  it('by a node id from which such an address is derived', async () => {
    for (const host of ['127.0.0.1', 'localhost', 'metadata.google.internal', '[::1]', '10.0.0.1:5432']) {
      const { status } = await postDeclaration(
        node,
        peer.signed({ ...bare(peer, node), declaring_node_id: `svc://${host}` }),
      );
      expect(status, host).to.be.within(400, 499);
    }
    expect(await peerCount()).to.equal(0);
  });

  it('by a name that resolves to such an address after it was accepted', async () => {
    await declareBoth(node, peer);
    await pullUntil(node, () => peer.pulls.length > 0);
    addresses.set('p.test', ['10.0.0.1']);
    const before = [peer.pulls.length, called.length];
    for (let n = 0; n < 20; n += 1) await world.clock.advance(30_000);
    expect([peer.pulls.length, called.length]).to.deep.equal(before);
    addresses.set('p.test', ['8.8.8.8']);
    await comesTrue(async () => {
      await world.clock.advance(60_000);
      return peer.pulls.length > (before[0] ?? 0);
    });
    expect((await federationEvents(node, 'peer_approved')).length).to.equal(1);
  });
});

const bare = (peer: TestPeer, node: FederatedNode): Readonly<Record<string, unknown>> => {
  const { declaration_sig: _, ...rest } = peer.declare(node.nodeId);
  return rest;
};
