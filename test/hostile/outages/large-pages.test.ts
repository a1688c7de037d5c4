import { expect } from 'chai';
import { sealRow } from '../../../kernel/internal-api.ts';
import { MAX_PAGE_BYTES } from '../../../kernel/pages/spelled-list.ts';
import type { FactDraft } from '../../../kernel/plugin-api.ts';
import { SEALED_AGENT_KEYS } from '../../../plugins/keys/agent-key-store.ts';
import { FactStore } from '../../../ports/ports.ts';
import { createStoreCounter } from '../../fakes/counting-store.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import type { TestReply } from '../../kit/test-request.ts';
import { refDraft, WRITER } from '../../plugins/graph/ref-drafts.ts';
import { type SubscribedNode, startSubscribedNode } from '../../plugins/subscriptions/subscribed-node.ts';

const MEBIBYTE = 1024 * 1024;
/** The limit of bytes read for a page, which allows one fact beyond it. */
const MOST_READ = MAX_PAGE_BYTES + 3 * MEBIBYTE;
const FACTS = 14;

/** Returns a large fact; every fourth value has characters that JSON escapes with six characters each. */
const bigDraft = (n: number): FactDraft => ({
  ...refDraft('user:big', ''),
  relation: `memory:n${n}`,
  value: { type: 'text', v: (n % 4 === 3 ? '\u0001' : 'x').repeat(MEBIBYTE), interpretAs: 'content' },
});

forEachStore('A writer stores facts of one mebibyte each, and a reader requests all of them at once (I21)', () => {
  const counter = createStoreCounter();
  let subscribed: SubscribedNode;
  let ids: readonly string[];
  let subscription: string;
  let auditor: string;

  before(async function () {
    this.timeout(300_000);
    subscribed = await startSubscribedNode({
      plugins: [
        'keys',
        'audit',
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
      ],
      wrapStore: counter.count,
    });
    const { node } = subscribed;
    auditor = await node.addKey({ entityUri: 'agent:auditor', permissions: ['read', 'audit.read'] });
    subscription = (await subscribed.subscribe('user:big')).body.id;
    const stored: string[] = [];
    for (let n = 0; n < FACTS; n += 1) {
      await node.clock.advance(1);
      stored.push((await node.facts.append(bigDraft(n), WRITER)).view.fact.id);
    }
    ids = stored;
  });
  after(() => subscribed.stop());

  const get = (target: string, key = subscribed.key): Promise<TestReply> =>
    subscribed.node.request('GET', target, { key });

  /** Follows the cursors, and checks the limit of each page for returned and read bytes. */
  const idsOfAllPages = async (
    target: string,
    idsOf: (body: TestReply['body']) => readonly string[],
    key = subscribed.key,
  ): Promise<string[]> => {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      let reply: TestReply | undefined;
      const from: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { characters } = await counter.during(async () => {
        reply = await get(`${target}${from}`, key);
      });
      expect(reply?.status, reply?.text.slice(0, 200)).to.equal(200);
      expect(characters).to.be.at.most(MOST_READ);
      const page = idsOf(reply?.body);
      expect(page).to.have.length.greaterThan(0);
      // A fact that exceeds the limit by itself is returned alone.
      if (page.length > 1) expect(Buffer.byteLength(reply?.text ?? '')).to.be.at.most(MAX_PAGE_BYTES);
      expect(reply?.body.total ?? FACTS).to.be.at.least(FACTS);
      seen.push(...page);
      cursor = reply?.body.cursor;
    }
    return seen;
  };
  const factIds = (list: readonly { readonly fact_id: string }[]) => list.map(({ fact_id }) => fact_id);

  it('a page of facts ends early, and its cursor continues without a gap', async () => {
    const seen = await idsOfAllPages('/v1/facts?limit=500', ({ facts }) => facts.map(({ id }: { id: string }) => id));
    expect(seen).to.deep.equal([...ids].reverse());
  });

  it('a page of events ends early, without a gap', async () => {
    const seen = await idsOfAllPages(`/v1/subscriptions/${subscription}/events?limit=500`, ({ events }) =>
      factIds(events),
    );
    expect(seen).to.deep.equal(ids);
  });

  it('a page of audit entries ends early, without a gap', async () => {
    const target = '/v1/audit?event_type=fact_write&limit=500';
    const seen = await idsOfAllPages(target, ({ entries }) => factIds(entries), auditor);
    expect(seen.slice().sort()).to.deep.equal([...ids].sort());
  });

  it('the export of audit entries is sent in pieces of bounded size', async () => {
    const reply = await subscribed.node.network.deliver(subscribed.node.url, {
      method: 'GET',
      target: '/v1/audit/export?event_type=fact_write',
      headers: [['Authorization', `Bearer ${auditor}`]],
    });
    let whole = '';
    for await (const piece of reply.body as AsyncIterable<string>) {
      expect(Buffer.byteLength(piece)).to.be.at.most(MAX_PAGE_BYTES);
      whole += piece;
    }
    for (const id of ids) expect(whole.split(id)).to.have.length(2);
  });

  it('a stream sends the events one by one, and reads no more of them at a time', async () => {
    const reply = await subscribed.node.network.deliver(subscribed.node.url, {
      method: 'GET',
      target: `/v1/subscriptions/${subscription}/stream?after=${await firstEvent()}`,
      headers: [['Authorization', `Bearer ${subscribed.key}`]],
    });
    const pieces = (reply.body as AsyncIterable<string>)[Symbol.asyncIterator]();
    const seen: string[] = [];
    while (seen.length < FACTS - 1) {
      let text = '';
      const { characters } = await counter.during(async () => {
        text = (await pieces.next()).value ?? '';
      });
      expect(characters).to.be.at.most(MOST_READ);
      const id = /"fact_id":"([^"]+)"/.exec(text)?.[1];
      if (id !== undefined) seen.push(id);
    }
    await pieces.return?.();
    expect(seen).to.deep.equal(ids.slice(1));
  });
  const firstEvent = async (): Promise<string> =>
    (await get(`/v1/subscriptions/${subscription}/events?limit=1`)).body.events[0].event_id;

  it('a recall counts each fact twice towards the limit, because its answer contains it twice', async () => {
    const long = (n: number): FactDraft => ({
      ...bigDraft(n),
      entity: 'user:odd',
      value: { type: 'text', v: `needle ${'\u0001'.repeat(390_000)}`, interpretAs: 'content' },
    });
    await subscribed.node.facts.appendAll([long(1), long(2)], WRITER);
    const ask = (query: string) =>
      subscribed.node.request('POST', `/v1/recall${query}`, {
        key: subscribed.key,
        body: { query: 'needle', token_budget: 200_000 },
      });
    const both = await ask('');
    expect(Buffer.byteLength(both.text)).to.be.at.most(MAX_PAGE_BYTES);
    expect([both.body.facts.length, both.body.content.length, both.body.truncated]).to.deep.equal([1, 1, true]);
    expect(both.body.tokens_used).to.equal(both.body.facts[0].token_estimate);
    const once = await ask('?legacy_format=true');
    expect(Buffer.byteLength(once.text)).to.be.at.most(MAX_PAGE_BYTES);
    expect([once.body.facts.length, once.body.truncated]).to.deep.equal([2, false]);
  });

  it('a bare array stops early, with a header that marks it as incomplete', async () => {
    const rows = Array.from({ length: 1_500 }, (_, n) =>
      sealRow(SEALED_AGENT_KEYS, {
        id: `k${n}`,
        tenant_id: 'default',
        entity_uri: 'agent:sub',
        public_key: 'p'.repeat(43),
        description: '\u0001'.repeat(1_024),
        registered_ms: n,
        revoked_ms: null,
      }),
    );
    const store = subscribed.node.kernel.get(FactStore);
    await store.write('default', (transaction) => transaction.insertRows('keys_agent_keys', rows));
    const reply = await get('/v1/auth/agent-keys');
    expect(Buffer.byteLength(reply.text)).to.be.at.most(MAX_PAGE_BYTES);
    expect(reply.headers['x-truncated']).to.equal('true');
    expect(reply.body[0].id).to.equal('k1499');
    expect((await get('/v1/auth/keys')).headers['x-truncated']).to.equal(undefined);
  });

  it('a fact that exceeds the limit by itself is returned alone', async () => {
    const huge = { ...bigDraft(0), entity: 'user:huge' };
    for (const n of [1, 2]) {
      const value = { ...huge.value, v: '\u0001'.repeat(2 * MEBIBYTE) };
      await subscribed.node.facts.append({ ...huge, relation: `memory:n${n}`, value }, WRITER);
    }
    const first = await get('/v1/facts?entity=user:huge');
    expect([first.body.facts.length, first.body.total]).to.deep.equal([1, 2]);
    const second = await get(`/v1/facts?entity=user:huge&cursor=${first.body.cursor}`);
    expect([second.body.facts.length, second.body.cursor]).to.deep.equal([1, null]);
    expect(second.body.facts[0].id).not.to.equal(first.body.facts[0].id);
  });

  it('a page of contradictions, with two facts each, ends before it exceeds the limit in bytes', async () => {
    for (let n = 0; n < FACTS; n += 1) {
      await subscribed.node.clock.advance(1);
      const rivals = ['a', 'b'].map((letter) => ({ ...bigDraft(n), entity: `user:torn${n}`, value: textOf(letter) }));
      await subscribed.node.facts.appendAll(rivals, WRITER);
    }
    const seen = await idsOfAllPages('/v1/conflicts?limit=500', ({ conflicts }) =>
      conflicts.map(({ fact_a }: { fact_a: { entity: string } }) => fact_a.entity),
    );
    expect(seen).to.deep.equal(Array.from({ length: FACTS }, (_, n) => `user:torn${FACTS - 1 - n}`));
  });
  const textOf = (letter: string) => ({ type: 'text', v: letter.repeat(MEBIBYTE), interpretAs: 'content' }) as const;
});
