import { expect } from 'chai';
import type { FactDraft, Principal } from '../../../kernel/plugin-api.ts';
import { createStoreCounter, type StoreCounter, type StoreCounts } from '../../fakes/counting-store.ts';
import type { TestReply } from '../../kit/test-request.ts';
import { refDraft, WRITER } from '../../plugins/graph/ref-drafts.ts';
import { type SubscribedNode, startSubscribedNode } from '../../plugins/subscriptions/subscribed-node.ts';

/** A request and its caller. `n` differs between repetitions, for facts that can be written only once. */
export interface CrowdRequest {
  readonly as: 'member' | 'admin';
  readonly method: 'GET' | 'POST';
  target(n: number): string;
  body?(n: number): unknown;
}

/** A node with a caller whose requests a crowd of facts by strangers must not slow down. */
export interface CrowdedNode {
  readonly subscribed: SubscribedNode;
  /** Returns the store calls of one request with filled caches. */
  cost(request: CrowdRequest): Promise<StoreCounts>;
  ids: { readonly fact: string; readonly derived: string; readonly subscription: string };
  /** Stores facts of a stranger. */
  write(drafts: readonly FactDraft[]): Promise<void>;
  stop(): Promise<void>;
}

export const STRANGER: Principal = { ...WRITER, entityUri: 'agent:stranger' };

export const textDraft = (entity: string, relation: string, text: string): FactDraft => ({
  ...refDraft(entity, ''),
  relation,
  value: { type: 'string', v: text, interpretAs: 'content' },
});

const AT_ONCE = 250;

export const startCrowdedNode = async (): Promise<CrowdedNode> => {
  const counter: StoreCounter = createStoreCounter();
  const subscribed = await startSubscribedNode({
    plugins: [
      'keys',
      'audit',
      'billing',
      'facts',
      'conflicts',
      'node-info',
      'capability-tokens',
      'gardens',
      'subscriptions',
      'graph',
      'recall',
      'search',
      'cards',
      'instructions',
      'jobs',
      'decay',
      'synthesis',
      'time-travel',
    ],
    wrapStore: counter.count,
  });
  const { node, admin } = subscribed;
  const member = await node.addKey({ entityUri: 'agent:sub' });
  const post = async (target: string, body: unknown): Promise<TestReply['body']> => {
    const reply = await node.request('POST', target, { key: member, body });
    expect(reply.status, reply.text).to.be.within(200, 201);
    return reply.body;
  };
  const assertion = (entity: string, relation: string, value: unknown, more: object = {}) =>
    post('/v1/facts', { entity, relation, value, source: 'agent:sub', scope: 'company', ...more });
  const subscription = (await subscribed.subscribe('user:watched')).body.id;
  const fact = (await assertion('user:alice', 'memory:tool', { type: 'string', v: 'brass lantern' })).id;
  const derived = (
    await assertion('user:alice', 'memory:sum', { type: 'string', v: 'x' }, { derived_from: [{ fact_id: fact }] })
  ).id;
  // The billing list merges a page of facts with a page of gardens, so both pages are full before the measurement.
  for (let n = 0; n < 6; n += 1) await post('/v1/gardens', { slug: `own-${n}`, name: 'Own', scope: 'company' });
  for (let n = 0; n < 4; n += 1) {
    await assertion('user:alice', `rel:n${n}`, { type: 'ref', v: `user:friend${n}` });
    await assertion('user:watched', `memory:n${n}`, { type: 'number', v: n });
    await assertion('org:hub', `rel:n${n}`, { type: 'ref', v: `user:spoke${n}` });
  }
  for (const n of [0, 1, 2, 3, 4, 5]) {
    for (const v of ['one', 'other']) await assertion(`user:own${n}`, 'memory:torn', { type: 'string', v });
  }
  await post('/v1/gardens', { slug: 'own', name: 'Own', scope: 'company' });
  let sent = 0;
  const send = async ({ as, method, target, body }: CrowdRequest): Promise<void> => {
    sent += 1;
    const sending = body === undefined ? {} : { body: body(sent) };
    const key = as === 'admin' ? admin : member;
    const reply = await node.request(method, target(sent), { key, ...sending });
    expect(reply.status, `${method} ${target(sent)}: ${reply.text}`).to.be.within(200, 201);
  };
  return {
    subscribed,
    ids: { fact, derived, subscription },
    async cost(request) {
      await send(request);
      await send(request);
      return counter.during(() => send(request));
    },
    async write(drafts) {
      for (let at = 0; at < drafts.length; at += AT_ONCE) {
        await node.facts.appendAll(drafts.slice(at, at + AT_ONCE), STRANGER);
      }
    },
    stop: () => subscribed.stop(),
  };
};
