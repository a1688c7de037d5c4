import { expect } from 'chai';
import { ERASURE_START, type ErasurePosition } from '../../../kernel/internal-api.ts';
import { all, DEFAULT_TENANT, FactErasure, SCOPES } from '../../../kernel/plugin-api.ts';
import { narrowTransaction } from '../../../kernel/store/narrow-transaction.ts';
import { FactStore } from '../../../ports/ports.ts';
import { createStoreCounter } from '../../fakes/counting-store.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import type { TestReply } from '../../kit/test-request.ts';

const CAP = 1_000;
const NAMES_BYTES = Buffer.byteLength('thing:00memory:noteagent:a');

/** Returns a fact whose value counts as this number of bytes. */
const factOf = (n: number, bytes: number): object => ({
  entity: `thing:${String(n).padStart(2, '0')}`,
  relation: 'memory:note',
  value: { type: 'string', v: 'x'.repeat(bytes - NAMES_BYTES) },
  source: 'agent:a',
});

forEachStore('The bytes that an entity may store', () => {
  let nodes: TestNode[] = [];
  let facts = 10;
  const start = async (cap: number, options: TestNodeOptions = {}): Promise<TestNode> => {
    const node = await startTestNode({ ...options, env: { SVC_MAX_STORED_BYTES_PER_ENTITY: String(cap) } });
    nodes.push(node);
    return node;
  };
  const stop = async (): Promise<void> => {
    for (const node of nodes.reverse()) await node.stop();
    nodes = [];
  };
  beforeEach(() => {
    facts = 10;
  });
  afterEach(stop);

  const store = (node: TestNode, key: string, bytes: number): Promise<TestReply> => {
    facts += 1;
    return node.request('POST', '/v1/facts', { key, body: factOf(facts, bytes) });
  };

  it('are counted from names and values, to the byte, for all keys of the entity', async () => {
    const node = await start(CAP);
    const [one, other] = [await node.addKey(), await node.addKey()];
    expect((await store(node, one, 900)).status).to.equal(201);
    const tooMuch = await store(node, other, 101);
    expect([tooMuch.status, tooMuch.body.code]).to.deep.equal([409, 'limit_reached']);
    expect(tooMuch.body.detail).to.contain('1000 bytes');
    const last = await store(node, other, 100);
    expect(last.status).to.equal(201);
    expect((await store(node, one, NAMES_BYTES + 1)).status).to.equal(409);
    const stranger = await node.addKey({ entityUri: 'agent:stranger' });
    expect((await store(node, stranger, 1_000)).status).to.equal(201);
    const admin = await node.addKey({ entityUri: 'agent:other', permissions: ['write', 'admin'] });
    expect((await store(node, admin, 1_000)).status).to.equal(201);
  });

  it('do not increase by a repeated fact or a refused fact', async () => {
    const node = await start(CAP);
    const key = await node.addKey();
    const twice = { key, body: { ...factOf(1, 600), timestamp: '2026-01-01T00:00:00Z' } };
    expect((await node.request('POST', '/v1/facts', twice)).status).to.equal(201);
    expect((await node.request('POST', '/v1/facts', twice)).status).to.equal(201);
    await node.request('POST', '/v1/facts', { key, body: { ...factOf(2, 400), confidence: 7 } });
    expect((await store(node, key, 400)).status).to.equal(201);
  });

  it('are checked for each item of a batch', async () => {
    const node = await start(CAP);
    const key = await node.addKey();
    const body = [factOf(1, 500), factOf(2, 501), factOf(3, 500), factOf(4, 50)];
    const { results } = (await node.request('POST', '/v1/facts/batch', { key, body })).body;
    expect(results.map(({ status }: { status: number }) => status)).to.deep.equal([201, 409, 201, 409]);
  });

  it('include facts that were stored before the limit, and while it was off', async function () {
    this.timeout(300_000);
    const first = await start(0);
    const { folder, clock } = first;
    const key = await first.addKey();
    const writeOld = async (node: TestNode, from: number) => {
      const body = Array.from({ length: 600 }, (_, n) => ({
        ...factOf(from + n, 50),
        value: { type: 'null', v: null },
      }));
      expect((await node.request('POST', '/v1/facts/batch', { key, body })).body.accepted).to.equal(600);
    };
    const keep = { folder, clock } as const;
    const again = async (cap: number): Promise<TestNode> => {
      const [owner, ...later] = nodes;
      for (const node of later) await node.stop();
      nodes = owner === undefined ? [] : [owner];
      return start(cap, { ...keep, url: `http://localhost:${9_100 + facts}`, random: createSeededRandom(cap + facts) });
    };
    await writeOld(first, 1_000);
    // The names of these facts contain numbers with two more digits than the names in `factOf`.
    const bytes = 600 * (NAMES_BYTES + 2);
    const counting = await again(bytes + 100);
    const isCounted = (node: TestNode, used: number) => async () => {
      await clock.advance(5_000);
      return (await node.request('GET', '/v1/me/limits', { key })).body.stored_bytes.used === used;
    };
    await comesTrue(isCounted(counting, bytes));
    expect((await store(counting, key, 101)).status).to.equal(409);
    expect((await store(counting, key, 100)).status).to.equal(201);
    await writeOld(await again(0), 2_000);
    const later = await again(3 * bytes);
    // The node counts this fact in addition to the missed facts.
    expect((await store(later, key, 200)).status).to.equal(201);
    await comesTrue(isCounted(later, 2 * bytes + 300));
    expect((await later.request('GET', '/v1/me/limits', { key })).body.stored_bytes.limit).to.equal(3 * bytes);
  });

  it('decrease when facts are erased', async () => {
    const node = await start(CAP);
    const key = await node.addKey();
    expect((await node.request('POST', '/v1/facts', { key, body: factOf(1, 1_000) })).status).to.equal(201);
    expect((await store(node, key, 500)).status).to.equal(409);
    const erasure = node.kernel.get(FactErasure);
    const subject = { tenantId: DEFAULT_TENANT, entityKey: 'thing:01', scopes: SCOPES, filter: all() };
    for (let at: ErasurePosition | null = ERASURE_START; at !== null; ) {
      const from: ErasurePosition = at;
      at = await node.kernel
        .get(FactStore)
        .write(DEFAULT_TENANT, async (wide) => (await erasure.step(subject, from, narrowTransaction(wide))).next);
    }
    expect((await store(node, key, 1_000)).status).to.equal(409);
    expect((await store(node, key, 1_000 - NAMES_BYTES)).status).to.equal(201);
  });

  it('cost two statements for all facts of a transaction, and none without a limit', async () => {
    const costs = async (cap: number): Promise<number[]> => {
      const counter = createStoreCounter();
      // Search reads behind each commit, on PostgreSQL only sometimes within the counted work.
      const node = await start(cap, { plugins: ['facts', 'jobs', 'keys', 'rate-limits'], wrapStore: counter.count });
      const key = await node.addKey();
      await store(node, key, 50);
      const counts: number[] = [];
      for (const from of [50, 150, 250]) {
        const body = Array.from({ length: 20 }, (_, n) => factOf(from + n, 50));
        const { statements } = await counter.during(() => node.request('POST', '/v1/facts/batch', { key, body }));
        counts.push(statements);
      }
      await stop();
      return counts;
    };
    // Other facts may share a transaction and its statements, so the test compares the extremes.
    const without = Math.max(...(await costs(0)));
    expect(Math.min(...(await costs(CAP * CAP))) - without).to.be.at.most(3);
  });
});
