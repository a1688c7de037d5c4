import { expect } from 'chai';
import { type CuttingProxy, startCuttingProxy } from '../cutting-proxy.ts';
import { fewPlugins } from '../few-plugins.ts';
import type { StoreKind } from '../for-each-store.ts';
import { type NodeProcess, NodeProcesses, type NodeVariables } from '../node-processes.ts';
import { createPeerIdentity, type PeerIdentity } from './peer-identity.ts';

/** A node in its own process that federates with others. */
export interface FederatedProcess {
  readonly name: string;
  readonly identity: PeerIdentity;
  /** Its folder, which contains an SQLite store and its keys. */
  readonly folder: string;
  /** The process that currently runs. */
  readonly node: NodeProcess;
  /** Kills the process, and starts another one on its store. */
  killAndRestart(): Promise<void>;
}

/** Nodes in processes on loopback, each with its own store, and a breakable link in each direction between any two. */
export interface FederatedProcesses {
  readonly nodes: readonly FederatedProcess[];
  /** Returns the link through which the first node reaches the second. */
  link(from: FederatedProcess, to: FederatedProcess): CuttingProxy;
  /** Returns all links between this node and the others. */
  linksOf(node: FederatedProcess): readonly CuttingProxy[];
  /** Makes every node declare a peering to every other. */
  peerAll(scopes?: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/** The initial target of a link, where nothing listens. */
const NOWHERE = 'http://127.0.0.1:9';

/** `variablesOf` returns the variables of the node at a place of `stores`. */
export const startFederatedProcesses = async (
  stores: readonly StoreKind[],
  variablesOf: (at: number) => NodeVariables = () => ({}),
): Promise<FederatedProcesses> => {
  const places: NodeProcesses[] = [];
  const links = new Map<string, CuttingProxy>();
  const linkName = (from: { readonly name: string }, to: { readonly name: string }): string =>
    `${from.name} ${to.name}`;
  const startOne = async (kind: StoreKind, at: number): Promise<FederatedProcess> => {
    const place = await NodeProcesses.on(kind, fewPlugins('federation', 'jobs'));
    places.push(place);
    const name = `node-${at}`;
    const identity = createPeerIdentity(`svc://${name}.test`, Date.now);
    const start = async (): Promise<NodeProcess> => {
      const [started] = await place.start(1, {
        SVC_FEDERATION_ENABLED: 'true',
        SVC_FEDERATION_INSECURE: 'true',
        SVC_FEDERATION_PULL_INTERVAL_S: '1',
        SVC_NODE_ID: identity.nodeId,
        SVC_NODE_PRIVATE_KEY: identity.seed,
        ...variablesOf(at),
      });
      if (started === undefined) throw new Error('the node did not start');
      for (const [link, proxy] of links) if (link.endsWith(` ${name}`)) proxy.aimAt(started.url);
      return started;
    };
    let node = await start();
    return {
      name,
      identity,
      folder: place.folder,
      get node() {
        return node;
      },
      async killAndRestart() {
        await node.end('SIGKILL');
        node = await start();
      },
    };
  };
  const stop = async (): Promise<void> => {
    await Promise.all([...links.values()].map((proxy) => proxy.close()));
    await Promise.all(places.map((place) => place.stop()));
  };
  try {
    const nodes = await Promise.all(stores.map(startOne));
    for (const from of nodes) {
      for (const to of nodes) {
        if (from === to) continue;
        const proxy = await startCuttingProxy(NOWHERE);
        proxy.aimAt(to.node.url);
        links.set(linkName(from, to), proxy);
      }
    }
    const link: FederatedProcesses['link'] = (from, to) => links.get(linkName(from, to)) as CuttingProxy;
    return {
      nodes,
      link,
      linksOf: (node) =>
        nodes.filter((other) => other !== node).flatMap((other) => [link(node, other), link(other, node)]),
      async peerAll(scopes = ['public']) {
        for (const at of nodes) {
          for (const other of nodes) if (other !== at) await declare(at, other, link(at, other).url, scopes);
        }
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};

/** Posts the declarations of both sides to the first node. */
const declare = async (
  { node, identity }: FederatedProcess,
  peer: FederatedProcess,
  url: string,
  scopes: readonly string[],
): Promise<void> => {
  const post = (declaration: unknown) => node.request('POST', '/v1/federation/peers', declaration);
  await post(identity.declare(peer.identity.nodeId, { allowed_scopes: scopes }));
  const reached = { allowed_scopes: scopes, node_url: url.replace(/\/$/, '') };
  const { status, body } = await post(peer.identity.declare(identity.nodeId, reached));
  expect([status, body.status], JSON.stringify(body)).to.deep.equal([201, 'active']);
};
