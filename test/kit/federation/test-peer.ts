import type { InboundRequest, OutboundReply } from '../../../ports/ports.ts';
import type { LoopbackNetwork } from '../../fakes/loopback-network.ts';
import { createPeerIdentity, type Document, type PeerIdentity } from './peer-identity.ts';
import type { WireFact } from './wire-fact.ts';

export interface TestPeerOptions {
  readonly network: LoopbackNetwork;
  readonly nowMs: () => number;
  /** The host name in its address and in its id. */
  readonly host?: string;
  readonly nodeId?: string;
  /** The name from which the key is derived; by default the node id. */
  readonly keyName?: string;
}

/** A pull request that the peer received. */
export interface PullSeen {
  readonly query: URLSearchParams;
  readonly token: string;
}

/** Replies to one request; a test may replace it. */
export type Answer = (request: InboundRequest) => OutboundReply | Promise<OutboundReply>;

/** A simulated peer, whose messages a test controls, valid or not. */
export interface TestPeer extends PeerIdentity {
  readonly url: string;
  metadata: Document;
  /** Replies to metadata requests; by default with `metadata`. */
  answerMetadata: Answer;
  /** Replies to pulls; by default from `feed`. */
  answerPull: Answer;
  /** The paths of all requests that it received, in order. */
  readonly hits: readonly string[];
  readonly pulls: readonly PullSeen[];
  /** Its shared facts. Entry n has the stamp `<FEED_BASE_MS + n>.0`. */
  readonly feed: WireFact[];
  /** Its shared tombstones, with the stamps `1.0`, `2.0` and so on. */
  readonly tombstones: Document[];
  epoch: string;
  /**
   * Returns a valid public fact of the peer, asserted now, with its proof. The proof also covers `changes`, unless they
   * replace it.
   */
  fact(changes?: Document): WireFact;
  stop(): Promise<void>;
}

export const jsonAnswer = (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}) => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

const DEFAULT_LIMIT = 100;

export const startTestPeer = async (options: TestPeerOptions): Promise<TestPeer> => {
  const { network, nowMs, host = 'p.test', nodeId = `svc://${host}`, keyName } = options;
  const url = `https://${host}`;
  const identity = createPeerIdentity(nodeId, nowMs, keyName);
  const hits: string[] = [];
  const pulls: PullSeen[] = [];
  const feed: WireFact[] = [];
  const tombstones: Document[] = [];
  let said = 0;
  const peer: TestPeer = {
    ...identity,
    url,
    metadata: metadataOf(identity, url),
    answerMetadata: () => jsonAnswer(peer.metadata),
    answerPull: (request) => jsonAnswer(pageOf(feed, new URLSearchParams(request.query), peer.epoch)),
    hits,
    pulls,
    feed,
    tombstones,
    epoch: 'epoch-1',
    fact(changes = {}) {
      said += 1;
      const fact = {
        id: identity.unique(),
        entity: `user:of-${host}`,
        relation: `memory:note-${said}`,
        value: { type: 'string', v: `said by ${host}` },
        source: `agent:of-${host}`,
        timestamp: new Date(nowMs()).toISOString(),
        hlc: `${nowMs()}.${said % 1000}`,
        confidence: 1,
        scope: 'public',
        valid_until: null,
        derived_from: [],
        ...changes,
      } as WireFact;
      return 'origin_proof' in changes ? fact : { ...fact, origin_proof: identity.prove(fact) };
    },
    stop: () => listener.close(0),
  };
  const seen =
    (answer: Answer): Answer =>
    (request) => {
      hits.push(request.path);
      return answer(request);
    };
  const endpoint = (path: string, answer: Answer) => ({
    method: 'GET',
    path,
    handle: async (request: InboundRequest) => seen(answer)(request),
  });
  const listener = await network.transport(url).serve({
    endpoints: [
      endpoint('/.well-known/svc', (request) => peer.answerMetadata(request)),
      endpoint('/v1/federation/facts', (request) => {
        const token = request.header('authorization')?.replace(/^bearer /i, '') ?? '';
        pulls.push({ query: new URLSearchParams(request.query), token });
        return peer.answerPull(request);
      }),
      endpoint('/v1/federation/tombstones', (request) => {
        const since = Number.parseInt(new URLSearchParams(request.query).get('since') ?? '0', 10);
        const cursor = tombstones.length === 0 ? null : `${tombstones.length}.0`;
        return jsonAnswer({ tombstones: tombstones.slice(since), cursor, has_more: false, epoch: peer.epoch });
      }),
    ],
    unmatched: async (request) => seen(() => jsonAnswer({ status: 404 }, 404))(request),
  });
  return peer;
};

/** Returns the document by which a node shows its key. */
export const metadataOf = ({ nodeId, publicKey, keyId }: PeerIdentity, url: string): Document => ({
  version: '1.0',
  node_id: nodeId,
  node_url: url,
  auth: 'required',
  federation: 'enabled',
  federation_pubkey: publicKey,
  federation_version: '0.5',
  federation_keys: [
    {
      key_id: keyId,
      public_key: publicKey,
      valid_from: '2026-01-01T00:00:00.000Z',
      valid_until: null,
      signed_by: null,
    },
  ],
  federation_endpoints: {
    peers: '/v1/federation/peers',
    facts: '/v1/federation/facts',
    push: '/v1/federation/facts/push',
  },
});

/** An instant before the clocks of all tests. */
const FEED_BASE_MS = Date.UTC(2026, 0, 1);

/** Returns the stamp of the feed entry with this number, from 0. */
export const feedStamp = (at: number): string => `${FEED_BASE_MS + at}.0`;

/** Returns a page by the rules of docs/reference/federation.md, "Pull". */
const pageOf = (feed: readonly WireFact[], query: URLSearchParams, epoch: string): Document => {
  const sent = query.get('cursor') ?? query.get('since_hlc');
  const start = sent === null ? 0 : Number(sent.split('.')[0]) - FEED_BASE_MS + 1;
  const limit = Number(query.get('limit') ?? DEFAULT_LIMIT);
  const end = Math.min(feed.length, start + limit);
  const scope = query.get('scope');
  const facts = feed.slice(start, end).filter((fact) => scope === null || fact.scope === scope);
  return { facts, cursor: end > start ? feedStamp(end - 1) : sent, has_more: end < feed.length, epoch };
};
