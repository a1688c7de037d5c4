import { expect } from 'chai';
import type { FeedFollowing } from '../../../kernel/facts/fact-feed.ts';
import { FactFeed, FEED_START, type Hlc } from '../../../kernel/plugin-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { sampleFact, stamp } from '../../kit/fact-samples.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const TENANTS = ['a', 'b', 'c'];

forEachStore('the feed of facts of several tenants', () => {
  let node: TestNode;
  before(async () => {
    node = await startTestNode({ plugins: ['keys', 'facts'] });
    const store = node.kernel.get(FactStore);
    // The tenants store facts with the same ids in turn; the last tenant then stores some alone.
    for (let n = 1; n <= 12; n += 1) {
      const tenantId = n > 9 ? 'c' : (TENANTS[n % 3] as string);
      const id = sampleFact(Math.ceil(n / 3)).id;
      const value = { type: 'text', v: `${tenantId} ${n}`, interpretAs: 'content' } as const;
      const fact = sampleFact(n, { tenantId, id: n > 9 ? sampleFact(n).id : id, value, feed: stamp(1, n) });
      await store.write(tenantId, (transaction) => transaction.insert([fact]));
    }
  });
  after(() => node.stop());

  const follow = async (options: Partial<FeedFollowing<undefined>>) => {
    const texts: string[] = [];
    const pages: number[] = [];
    let place: Hlc = FEED_START;
    const follower = node.kernel.get(FactFeed).follow({
      begin: () => place,
      take: ({ facts, entries, upTo }) => {
        pages.push(entries.length);
        texts.push(...facts.map(({ value }) => String(value.v)));
        place = upTo;
      },
      ...options,
    });
    await follower.catchUp();
    await follower.stop();
    return { texts, pages };
  };
  const inOrder = ['b 1', 'c 2', 'a 3', 'b 4', 'c 5', 'a 6', 'b 7', 'c 8', 'a 9', 'c 10', 'c 11', 'c 12'];

  it('returns all facts in commit order, including facts with equal ids', async () => {
    expect(await follow({})).to.deep.equal({ texts: inOrder, pages: [12] });
    expect(await follow({ maxEntries: 5 })).to.deep.equal({ texts: inOrder, pages: [5, 5, 2] });
    expect(await follow({ maxEntries: 1 })).to.deep.equal({ texts: inOrder, pages: Array.from(inOrder, () => 1) });
    expect((await follow({ maxBytes: 7 })).texts).to.deep.equal(inOrder);
  });

  it('returns to a caller only the facts of its own tenant', async () => {
    const caller = createPrincipal({ tenantId: 'b' });
    expect((await follow({ caller })).texts).to.deep.equal(['b 1', 'b 4', 'b 7']);
    expect((await follow({ caller, maxEntries: 2 })).texts).to.deep.equal(['b 1', 'b 4', 'b 7']);
  });
});
