import { expect } from 'chai';
import { comesTrue } from '../comes-true.ts';
import type { TestReply } from '../test-request.ts';
import { type FederatedNode, PULL_INTERVAL_MS } from './federated-node.ts';
import type { Document, PeerIdentity } from './peer-identity.ts';
import type { WireFact } from './wire-fact.ts';

/** The declarations of both sides; by default `public` in both directions. */
export interface Declared {
  readonly scopes?: readonly string[];
  readonly direction?: string;
  readonly mayEndOthers?: boolean;
}

const membersOf = ({ scopes, direction, mayEndOthers }: Declared): Document => ({
  ...(scopes === undefined ? {} : { allowed_scopes: scopes }),
  ...(direction === undefined ? {} : { direction }),
  ...(mayEndOthers === undefined ? {} : { may_end_others: mayEndOthers }),
});

export const postDeclaration = (node: FederatedNode, declaration: unknown): Promise<TestReply> =>
  node.request('POST', '/v1/federation/peers', { key: node.key, body: declaration });

/** Posts both declarations to the node, and returns the id of the active peering. */
export const declareBoth = async (
  node: FederatedNode,
  peer: PeerIdentity,
  ours: Declared = {},
  theirs: Declared = {},
): Promise<string> => {
  const own = await postDeclaration(node, node.identity.declare(peer.nodeId, membersOf(ours)));
  expect(own.status, own.text).to.equal(201);
  const other = await postDeclaration(node, peer.declare(node.nodeId, membersOf(theirs)));
  expect(other.status, other.text).to.equal(201);
  expect(other.body.status, other.text).to.equal('active');
  return other.body.peer_id;
};

/** Makes the two nodes peers of each other. */
export const peerUp = async (
  a: FederatedNode,
  b: FederatedNode,
  ofA: Declared = {},
  ofB: Declared = ofA,
): Promise<void> => {
  await declareBoth(a, b.identity, ofA, ofB);
  await declareBoth(b, a.identity, ofB, ofA);
};

/** Requests facts from the node as the peer. */
export const pull = (node: FederatedNode, peer: PeerIdentity, query = '', claims: Document = {}): Promise<TestReply> =>
  node.request('GET', `/v1/federation/facts${query === '' ? '' : `?${query}`}`, {
    key: peer.token(node.nodeId, claims),
  });

export const push = (
  node: FederatedNode,
  peer: PeerIdentity,
  facts: readonly unknown[],
  claims: Document = {},
): Promise<TestReply> =>
  node.request('POST', '/v1/federation/facts/push', { key: peer.token(node.nodeId, claims), body: { facts } });

export interface Drained {
  readonly facts: readonly WireFact[];
  readonly cursors: readonly string[];
  readonly text: string;
}

const MAX_PAGES = 1_000;

/** Pulls with each returned cursor until no more facts arrive. */
export const drain = async (
  node: FederatedNode,
  peer: PeerIdentity,
  { limit = 500, scope, from }: { readonly limit?: number; readonly scope?: string; readonly from?: string } = {},
): Promise<Drained> => {
  const facts: WireFact[] = [];
  const cursors: string[] = [];
  let text = '';
  for (let cursor = from, pages = 0; pages < MAX_PAGES; pages += 1) {
    const query = new URLSearchParams({
      limit: String(limit),
      ...(scope === undefined ? {} : { scope }),
      ...(cursor === undefined ? {} : { since_hlc: cursor }),
    });
    const reply = await pull(node, peer, query.toString());
    expect(reply.status, reply.text).to.equal(200);
    facts.push(...reply.body.facts);
    text += reply.text;
    if (reply.body.cursor !== null) cursors.push(reply.body.cursor);
    if (!reply.body.has_more) return { facts, cursors, text };
    expect(reply.body.cursor, 'the cursor moves').not.to.equal(cursor);
    cursor = reply.body.cursor;
  }
  throw new Error(`the feed did not end within ${MAX_PAGES} pages`);
};

/** Advances the clock by pull intervals until the condition holds. */
export const pullUntil = (
  { clock }: Pick<FederatedNode, 'clock'>,
  holds: () => boolean | Promise<boolean>,
): Promise<void> =>
  comesTrue(async () => {
    if (await holds()) return true;
    await clock.advance(PULL_INTERVAL_MS);
    return holds();
  });

export const has = async (node: FederatedNode, id: string): Promise<boolean> =>
  (await node.get(`/v1/facts/${encodeURIComponent(id)}`)).status === 200;

/** Returns the types and details of federation audit entries, newest first. */
export const federationEvents = async (
  node: FederatedNode,
  type?: string,
): Promise<
  readonly { readonly event_type: string; readonly detail: Document | null; readonly peer_id: string | null }[]
> => {
  const query = type === undefined ? '' : `&event_type=${type}`;
  const reply = await node.get(`/v1/federation/audit?limit=500${query}`);
  expect(reply.status, reply.text).to.equal(200);
  return reply.body.entries;
};

/** Returns row counts that a repeated message must not change. */
export const countsOf = async (node: FederatedNode, observer: PeerIdentity): Promise<Document> => {
  const total = async (target: string): Promise<number> => {
    const reply = await node.get(target);
    expect(reply.status, reply.text).to.equal(200);
    return reply.body.total;
  };
  const everything = 'include_expired=true&include_retracted=true&include_contradicted=true&limit=1';
  return {
    facts: await total(`/v1/facts?${everything}`),
    receivedFrom: await total(`/v1/facts?relation=svc:received_from&${everything}`),
    conflictMembers: await total(`/v1/facts?relation=svc:conflict:between&${everything}`),
    conflicts: (await node.get('/v1/conflicts?limit=500')).body.conflicts.length,
    billing: await total('/v1/admin/billing/events?limit=1'),
    writes: await total('/v1/auth/audit?event_type=fact_write&limit=1'),
    feed: (await drain(node, observer)).cursors.at(-1) ?? null,
  };
};

/** Returns the machine-readable part of a refusal. */
export const refusalOf = ({ status, body }: TestReply): Document => ({
  status,
  code: body?.code,
  detail: body?.detail,
});
