import { expect } from 'chai';
import { createStoreCounter } from '../../../fakes/counting-store.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import type { TestReply } from '../../../kit/test-request.ts';
import { idsOf, pull, say, servingNodes } from './pull-kit.ts';

forEachStore('the cost of serving a pull', () => {
  const start = servingNodes();

  it('is bounded while the node skips hidden facts, and the facts after them are still found', async () => {
    const counter = createStoreCounter();
    const node = await start({ wrapStore: counter.count });
    const peer = node.addPeer('p');
    const key = await node.addKey();
    const itemsOf = (batch: number) =>
      Array.from({ length: 500 }, (_, at) => ({
        entity: `user:${batch}-${at}`,
        relation: 'memory:x',
        value: { type: 'null' },
        source: 'agent:x',
        scope: 'local',
      }));
    for (let at = 0; at < 11; at += 1) {
      const reply = await node.request('POST', '/v1/facts/batch', { key, body: itemsOf(at) });
      expect(reply.status, reply.text).to.be.lessThan(300);
    }
    const behind = await say(node);
    let first: TestReply | undefined;
    const cost = await counter.during(async () => {
      first = await pull(node, peer, 'limit=10');
    });
    expect(idsOf(first as TestReply)).to.deep.equal([]);
    expect(first?.body.has_more).to.equal(true);
    expect(first?.headers['svc-remaining']).to.equal('1');
    const second = await pull(node, peer, `limit=10&since_hlc=${first?.body.cursor}`);
    expect(idsOf(second)).to.deep.equal([behind.id]);
    expect(second.body.has_more).to.equal(false);
    expect(cost.statements).to.be.at.most(12);
    expect(cost.rows).to.be.at.most(12);
  });

  it('is the same number of statements for a full page as for a short one', async () => {
    const counter = createStoreCounter();
    const node = await start({ wrapStore: counter.count });
    const peer = node.addPeer('p');
    const key = await node.addKey();
    const fact = { relation: 'memory:x', value: { type: 'null' }, source: 'agent:x', scope: 'public' };
    const body = Array.from({ length: 500 }, (_, at) => ({ ...fact, entity: `user:${at}` }));
    expect((await node.request('POST', '/v1/facts/batch', { key, body })).status).to.be.lessThan(300);
    const costs: number[] = [];
    for (const limit of [5, 500, 5, 500]) {
      const { statements } = await counter.during(async () => {
        expect(idsOf(await pull(node, peer, `limit=${limit}`))).to.have.length(limit);
      });
      costs.push(statements);
    }
    // A short page also counts the remaining facts. A first page also stores the new proofs of its facts.
    const [short = 0, full = 0, shortAgain = 0, fullAgain = 0] = costs;
    expect([short - shortAgain, full - fullAgain]).to.deep.equal([3, 3]);
    expect(shortAgain - fullAgain).to.equal(1);
    expect(full).to.be.at.most(12);
  });

  it('is a few statements if there are no new facts', async () => {
    const counter = createStoreCounter();
    const node = await start({ wrapStore: counter.count });
    const peer = node.addPeer('p');
    const { hlc } = await say(node);
    await pull(node, peer, `since_hlc=${hlc}`);
    const cost = await counter.during(() => pull(node, peer, `since_hlc=${hlc}`));
    expect(cost.statements).to.be.at.most(4);
  });

  it('includes storing the cursor of the peer at most once in ten seconds', async () => {
    const counter = createStoreCounter();
    const node = await start({ wrapStore: counter.count });
    const peer = node.addPeer('p');
    const [one, two, three] = [await say(node), await say(node), await say(node)];
    const placesOf = async () => {
      const rows = await node.store.table('federation_served').select('scope', 'feed_wall', 'feed_ctr');
      return rows.map((row: Record<string, unknown>) => [row['scope'], `${row['feed_wall']}.${row['feed_ctr']}`]);
    };
    await pull(node, peer, 'scope=public');
    expect(await placesOf()).to.deep.equal([]);
    await pull(node, peer, `scope=public&since_hlc=${one.hlc}`);
    await pull(node, peer, `scope=public&since_hlc=${two.hlc}`);
    expect(await placesOf()).to.deep.equal([['public', one.hlc]]);
    await node.clock.advance(10_000);
    await pull(node, peer, `scope=public&since_hlc=${three.hlc}`);
    expect(await placesOf()).to.deep.equal([['public', three.hlc]]);
  });

  it('is bounded by the page size, and the next page contains the rest', async () => {
    const node = await start();
    const peer = node.addPeer('p');
    const ids: string[] = [];
    for (let at = 0; at < 10; at += 1) {
      ids.push((await say(node, { value: { type: 'text', v: `${at}`.padEnd(1_000_000, 'x') } })).id);
    }
    const first = await pull(node, peer);
    expect(Buffer.byteLength(first.text)).to.be.at.most(8 * 1024 * 1024);
    expect(first.body.has_more).to.equal(true);
    const second = await pull(node, peer, `since_hlc=${first.body.cursor}`);
    expect([...idsOf(first), ...idsOf(second)]).to.deep.equal(ids);
    expect(first.headers['svc-remaining']).to.equal(String(second.body.facts.length));
  });
});
