import { expect } from 'chai';
import type { FeedFollowing } from '../../../kernel/facts/fact-feed.ts';
import type { FeedEntry } from '../../../kernel/internal-api.ts';
import { Authorizer, compareHlc, FactFeed, FEED_START, type Hlc, ServiceError } from '../../../kernel/plugin-api.ts';
import { type FactStore, FactStore as FactStoreRef, type Snapshot } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { beginEpoch } from '../../kit/fact-samples.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

forEachStore('the feed of facts', () => {
  let node: TestNode;
  let key: string;
  let faults = 0;
  /** A feed entry of a kind that no current table has. */
  let stranger: FeedEntry | undefined;
  const withStranger = (snapshot: Snapshot): Snapshot =>
    new Proxy(snapshot, {
      get: (target, member) => {
        const value = Reflect.get(target, member) as unknown;
        if (member !== 'feedAfter') return typeof value === 'function' ? value.bind(target) : value;
        return async (after: Hlc, limit: number) => {
          const entries = await target.feedAfter(after, limit);
          if (stranger === undefined || compareHlc(stranger.stamp, after) <= 0) return entries;
          return [...entries, stranger].sort((one, other) => compareHlc(one.stamp, other.stamp)).slice(0, limit);
        };
      },
    });
  const wrapStore = (store: FactStore): FactStore =>
    new Proxy(store, {
      get: (target, member) => {
        const value = Reflect.get(target, member) as unknown;
        if (member !== 'read') return typeof value === 'function' ? value.bind(target) : value;
        return (work: (snapshot: Snapshot) => Promise<unknown>) => {
          if (faults === 0) return target.read((snapshot) => work(withStranger(snapshot)));
          faults -= 1;
          return Promise.reject(new ServiceError('unavailable', 'no store'));
        };
      },
    });
  beforeEach(async () => {
    faults = 0;
    stranger = undefined;
    node = await startTestNode({ plugins: ['keys', 'facts'], wrapStore });
    key = await node.addKey();
  });
  afterEach(() => node.stop());

  const assert = async (text: string, scope = 'company'): Promise<void> => {
    const value = { type: 'text', v: text };
    const body = {
      entity: 'user:a',
      relation: `said:${text.slice(0, 8).replace(' ', '-')}`,
      value,
      source: 'agent:a',
      confidence: 1,
      scope,
    };
    const reply = await node.request('POST', '/v1/facts', { key, body });
    expect(reply.status, JSON.stringify(reply.body)).to.equal(201);
  };
  /** Follows the feed, and collects the received facts. */
  const follow = (options: Partial<FeedFollowing<undefined>> = {}) => {
    const texts: string[] = [];
    const pages: number[] = [];
    const epochs: string[] = [];
    let place: Hlc = FEED_START;
    const follower = node.kernel.get(FactFeed).follow({
      begin: (epoch) => {
        epochs.push(epoch);
        return place;
      },
      take: ({ facts, entries, upTo }) => {
        pages.push(entries.length);
        texts.push(...facts.map(({ value }) => String(value.v)));
        place = upTo;
      },
      ...options,
    });
    return { follower, texts, pages, epochs };
  };

  it('skips entries of an unknown kind, about any subject', async () => {
    await assert('known');
    const { follower, texts, pages } = follow();
    await follower.catchUp();
    stranger = await node.kernel.get(FactStoreRef).write('default', async (transaction) => {
      const [first] = await transaction.feedAfter(FEED_START, 1);
      const clock = await transaction.lockClock();
      const stamp = { wallMs: clock.wallMs, counter: clock.counter + 1 };
      await transaction.saveClock(stamp);
      return { stamp, kind: 'unheard-of', subjectId: String(first?.subjectId), tenantId: 'default' };
    });
    await assert('later');
    await follower.catchUp();
    expect([texts, pages]).to.deep.equal([
      ['known', 'later'],
      [1, 2],
    ]);
  });

  it('returns every fact once, in the order of commits, in bounded pages', async () => {
    const all = Array.from({ length: 7 }, (_, at) => `fact ${at}`);
    for (const text of all.slice(0, 5)) await assert(text);
    const { follower, texts, pages, epochs } = follow({ maxEntries: 2 });
    await follower.catchUp();
    expect([texts, pages]).to.deep.equal([all.slice(0, 5), [2, 2, 1]]);
    for (const text of all.slice(5)) await assert(text);
    await follower.catchUp();
    await follower.catchUp();
    expect([texts, pages, epochs.length]).to.deep.equal([all, [2, 2, 1, 2], 3]);
  });

  it('returns pages that are bounded in bytes, and a longer fact alone', async () => {
    const all = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(3_000));
    for (const text of all) await assert(text);
    const { follower, texts, pages } = follow({ maxBytes: 5_000 });
    while (await follower.next());
    expect([texts, pages]).to.deep.equal([all, [2, 2, 1]]);
    const smaller = follow({ maxBytes: 10 });
    await smaller.follower.catchUp();
    expect([smaller.texts, smaller.pages]).to.deep.equal([all, [1, 1, 1, 1, 1]]);
  });

  it('returns the facts that a caller may see, and skips the rest', async () => {
    const narrow = await node.kernel.get(Authorizer).authenticate(await node.addKey({ scopes: ['public'] }));
    for (const at of [0, 1, 2, 3]) await assert(`hidden ${at}`);
    await assert('shown', 'public');
    await assert('hidden 4');
    const { follower, texts, pages } = follow({ caller: narrow, maxEntries: 4 });
    await follower.catchUp();
    expect([texts, pages]).to.deep.equal([['shown'], [4, 2]]);
  });

  it('returns a page again after its reader rejected it, from the stored position of the reader', async () => {
    for (const text of ['one', 'two', 'three']) await assert(text);
    let refusals = 1;
    const taken: string[] = [];
    let place: Hlc = FEED_START;
    const { follower } = follow({
      maxEntries: 1,
      begin: () => place,
      take: ({ facts, upTo }) => {
        const text = String(facts[0]?.value.v);
        if (text === 'two' && refusals-- > 0) throw new Error('not now');
        taken.push(text);
        place = upTo;
      },
    });
    expect((await rejection(follower.catchUp())).message).to.equal('not now');
    expect(taken).to.deep.equal(['one']);
    await follower.catchUp();
    expect(taken).to.deep.equal(['one', 'two', 'three']);
  });

  it('reports the epoch of the store after a failure, so that readers can drop an outdated position', async () => {
    await assert('one');
    const { follower, epochs } = follow();
    await follower.catchUp();
    const epoch = '11111111-1111-4111-8111-111111111111';
    await node.kernel.get(FactStoreRef).write('default', (transaction) => beginEpoch(transaction, epoch));
    await follower.catchUp();
    faults = 1;
    await rejection(follower.catchUp());
    await follower.catchUp();
    expect(epochs).to.have.length(4);
    expect(epochs[1]).to.equal(epochs[0]);
    expect(epochs[3]).not.to.equal(epochs[0]);
  });

  it('reads on after commits and at intervals, and pauses longer while the store fails', async () => {
    const failures: unknown[] = [];
    const { follower, texts, epochs } = follow();
    follower.keepUp({ afterCommits: 2, everyMs: 10_000, failed: (error) => failures.push(error) });
    await comesTrue(() => epochs.length === 1);
    await assert('one');
    await assert('two');
    await comesTrue(() => texts.length === 2);
    await assert('three');
    expect(texts).to.have.length(2);
    await node.clock.advance(10_000);
    await comesTrue(() => texts.length === 3);

    faults = 3;
    await node.clock.advance(10_000);
    await comesTrue(() => failures.length === 1);
    await node.clock.advance(1_000);
    await comesTrue(() => failures.length === 2);
    await node.clock.advance(1_999);
    expect(failures).to.have.length(2);
    await node.clock.advance(1);
    await comesTrue(() => failures.length === 3);
    await node.clock.advance(4_000);
    await assert('four');
    await node.clock.advance(10_000);
    await comesTrue(() => texts.length === 4);
    await follower.stop();
    await assert('five');
    await assert('six');
    await node.clock.advance(60_000);
    expect(texts).to.have.length(4);
  });
});
