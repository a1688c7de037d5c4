import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPeerIdentity, type PeerIdentity } from './peer-identity.ts';
import { metadataOf } from './test-peer.ts';
import type { WireFact } from './wire-fact.ts';

const HOUR_MS = 3_600_000;

/** A peer on loopback with one fact, whose stamp is an hour ahead, so that it waits for its time. */
export interface EarlyPeer {
  readonly identity: PeerIdentity;
  readonly url: string;
  /** The cursors that were asked for, in order; null is the beginning of the feed. */
  readonly asked: readonly (string | null)[];
  /** Whether more follows after the fact, which the peer cannot serve now. False by default. */
  isBroken: boolean;
  stop(): void;
}

/** Starts a peer whose fact has this text. */
export const startEarlyPeer = async (text: string): Promise<EarlyPeer> => {
  const identity = createPeerIdentity('svc://early.test', Date.now);
  const fact = early(identity, text);
  const asked: (string | null)[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', peer.url);
    response.setHeader('Content-Type', 'application/json');
    if (pathname !== '/v1/federation/facts') {
      response.end(JSON.stringify(metadataOf(identity, peer.url)));
      return;
    }
    const cursor = searchParams.get('cursor');
    asked.push(cursor);
    response.statusCode = cursor !== null && peer.isBroken ? 503 : 200;
    const facts = cursor === null ? [fact] : [];
    response.end(JSON.stringify({ facts, cursor: LAST, has_more: peer.isBroken, epoch: 'epoch-1' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const peer: EarlyPeer = {
    identity,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    isBroken: false,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return peer;
};

/** The place of the fact in the feed of the peer. */
const LAST = '1777886104120.0';

const early = (peer: PeerIdentity, text: string): WireFact => {
  const atMs = Date.now() + HOUR_MS;
  const fact = {
    id: peer.unique(),
    entity: 'user:early',
    relation: 'memory:note',
    value: { type: 'string', v: text },
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
