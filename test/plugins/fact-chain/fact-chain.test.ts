import { expect } from 'chai';
import { sha256Hex } from '../../../kernel/plugin-api.ts';
import { BACKLOG_PER_WRITE } from '../../../plugins/fact-chain/extend-chain.ts';
import { FactChain } from '../../../plugins/fact-chain/fact-chain-api.ts';
import { LINKS_PER_PROOF } from '../../../plugins/fact-chain/prove-chain.ts';
import { FactStore, type Row } from '../../../ports/ports.ts';
import { createStoreCounter } from '../../fakes/counting-store.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import {
  assertFacts,
  CHAINED,
  documentedHash,
  eraseFacts,
  hashText,
  ledgerOf,
  prove,
  storedFacts,
  UNCHAINED,
} from './chain-node.ts';

forEachStore('the chain of facts', () => {
  const nodes: TestNode[] = [];
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.stop();
  });

  const start = async (options: TestNodeOptions = {}): Promise<TestNode> => {
    const node = await startTestNode({ plugins: CHAINED, ...options });
    nodes.push(node);
    return node;
  };
  const say = async (node: TestNode, values: readonly unknown[], entity?: string): Promise<string[]> =>
    assertFacts(node, await node.addKey(), values, entity);
  const linkedIds = async (node: TestNode): Promise<string[]> =>
    (await ledgerOf(node)).filter(({ link }) => link !== null).map(({ factId }) => factId);
  const many = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

  it('has a null proof while the tenant has no facts', async () => {
    expect(await prove(await start())).to.equal(null);
  });

  it('is proved only to administrators and auditors, because a proof counts hidden facts', async () => {
    const chain = (await start()).kernel.get(FactChain);
    const refused = { code: 'authorization', status: 403 };
    expect(await rejection(chain.prove(createPrincipal(), []))).to.include(refused);
    const foreigner = createPrincipal({ permissions: new Set(['admin']), tenantId: 'other' });
    expect(await chain.prove(foreigner, [])).to.equal(null);
  });

  it('ties each fact to the previous one, by hashes that can be recomputed with the salts', async () => {
    const node = await start();
    const ids = await say(node, [1, 'two', true]);
    const entries = await ledgerOf(node);
    expect(entries.map(({ factId }) => factId)).to.deep.equal(ids);
    const facts = new Map((await storedFacts(node)).map((fact) => [fact.id, fact]));
    let previous: string | null = null;
    for (const [at, entry] of entries.entries()) {
      const fact = facts.get(entry.factId);
      if (fact === undefined || entry.link === null) throw new Error('a fact or its link is not there');
      expect(entry.salt).to.have.lengthOf(16);
      expect(entry.link.seq).to.equal(at + 1);
      expect(hashText(entry.link.hash)).to.equal(documentedHash(fact, entry, { seq: at + 1, previous }));
      previous = hashText(entry.link.hash);
    }
    expect(await prove(node)).to.include({ checked_entries: 3, head_hash: previous });
  });

  it('includes derived facts, in the order of their stamps', async () => {
    const node = await start();
    const key = await node.addKey();
    for (const v of [1, 2]) {
      const body = { entity: 'user:a', relation: 'memory:n', value: { type: 'number', v }, source: 'agent:s' };
      await node.request('POST', '/v1/facts', { key, body });
    }
    const stored = await storedFacts(node);
    expect(stored.length).to.be.greaterThan(2);
    expect(await linkedIds(node)).to.deep.equal(stored.map(({ id }) => id));
    expect(await prove(node)).to.include({ checked_entries: stored.length });
  });

  it('is proved by a checkpoint at its head, whose leaf hash is the hash of its payload', async () => {
    const node = await start();
    await say(node, [1, 2]);
    const proof = await prove(node);
    const newest = (await ledgerOf(node)).at(-1)?.link;
    const head = newest && hashText(newest.hash);
    expect(proof).to.include({ tenant_id: 'default', checked_entries: 2, head_hash: head });
    const checkpoint = proof?.checkpoint ?? {};
    expect(checkpoint).to.include({ covered_chain_seq: 2, chain_hash: head, status: 'submitted', tl_backend: 'local' });
    const { payload } = checkpoint['tl_raw'] as { payload: Record<string, unknown> };
    expect(Object.keys(payload).sort()).to.deep.equal(Object.keys(payload));
    expect(payload).to.deep.equal({
      kind: 'svc.fact_chain_checkpoint',
      version: 1,
      tenant_id: 'default',
      covered_chain_seq: 2,
      chain_hash: head,
      created_at: checkpoint['created_at'],
    });
    expect(checkpoint['tl_leaf_hash']).to.equal(sha256Hex(JSON.stringify(payload)));
    expect(await prove(node)).to.deep.equal(proof);
  });

  it('continues its proof from the last checkpoint, which the next one names', async () => {
    const node = await start();
    await say(node, [1]);
    const first = await prove(node);
    await say(node, [2], 'user:b');
    const second = await prove(node);
    expect(second?.checked_entries).to.equal(2);
    expect(second?.checkpoint['tl_log_index']).to.equal(1);
    expect(second?.checkpoint['tl_inclusion_proof']).to.include({ prev_hash: first?.head_hash });
  });

  it('links facts that were stored while its plugin was off, oldest first', async () => {
    await inTemporaryFolder(async (folder) => {
      const without = await start({ plugins: UNCHAINED, folder });
      const early = await say(without, [1, 2, 3]);
      await without.stop();
      const node = await start({ folder });
      const late = await say(node, [4], 'user:late');
      expect(await linkedIds(node)).to.deep.equal([...early, ...late]);
      expect(await prove(node)).to.include({ checked_entries: 4 });
      await node.stop();
    });
  });

  it('links such facts for a requested proof too, without new facts', async () => {
    await inTemporaryFolder(async (folder) => {
      const without = await start({ plugins: UNCHAINED, folder });
      await say(without, [1, 2, 3]);
      const node = await start({ folder });
      expect(await prove(node)).to.include({ checked_entries: 3 });
      await without.stop();
      await node.stop();
    });
  });

  it('links a long backlog in parts, one part with each write', async () => {
    await inTemporaryFolder(async (folder) => {
      const without = await start({ plugins: UNCHAINED, folder });
      const early: string[] = [];
      for (const part of [BACKLOG_PER_WRITE, 10]) {
        early.push(...(await say(without, many(part), `user:part-${part}`)));
      }
      const node = await start({ folder });
      const [middle = ''] = await say(node, ['m'], 'user:middle');
      expect(await linkedIds(node)).to.deep.equal(early.slice(0, BACKLOG_PER_WRITE));
      const [late = ''] = await say(node, ['l'], 'user:late');
      expect(await linkedIds(node)).to.deep.equal([...early, middle, late]);
      expect(await prove(node)).to.include({ checked_entries: early.length + 2 });
      await without.stop();
      await node.stop();
    });
  });

  it('covers a limited number of links with one proof, which states where it ends', async () => {
    const node = await start();
    expect(BACKLOG_PER_WRITE).to.be.lessThan(LINKS_PER_PROOF);
    for (let batch = 0; batch < 3; batch += 1) await say(node, many(1_000), `user:${batch}`);
    expect(await prove(node)).to.include({ checked_entries: LINKS_PER_PROOF });
    expect(await prove(node)).to.include({ checked_entries: 3_000 });
  });

  it('is linked and verified in the background, in parts', async () => {
    await inTemporaryFolder(async (folder) => {
      const without = await start({ plugins: UNCHAINED, folder });
      for (let batch = 0; batch < 2; batch += 1) await say(without, many(BACKLOG_PER_WRITE), `user:${batch}`);
      const node = await start({ folder });
      await say(node, ['last'], 'user:last');
      const covered = async (): Promise<number> => {
        const checkpoints = await node.kernel.get(FactStore).table('fact_chain_checkpoints');
        return Math.max(0, ...checkpoints.map((row: Row) => Number(row['covered_chain_seq'])));
      };
      await comesTrue(async () => {
        await node.clock.advance(10_000);
        return (await covered()) === 2 * BACKLOG_PER_WRITE + 1;
      });
      await without.stop();
      await node.stop();
    });
  });

  it('adds no statement to an append, however many facts it has', async () => {
    const appendsOf = async (plugins: readonly string[]): Promise<number[]> => {
      const counter = createStoreCounter();
      const node = await start({ plugins, wrapStore: counter.count });
      const key = await node.addKey();
      await assertFacts(node, key, ['first'], 'user:first');
      const counts: number[] = [];
      for (const count of [1, 100]) {
        // The lowest of three counts, because a signal from the database may cause another look-up of the key.
        const rounds: number[] = [];
        for (const round of many(3)) {
          const entity = `user:${count}-${round}`;
          rounds.push((await counter.during(() => assertFacts(node, key, many(count), entity))).statements);
        }
        counts.push(Math.min(...rounds));
      }
      await node.stop();
      return counts;
    };
    const [one = 0, hundred = 0] = await appendsOf(UNCHAINED);
    // The additional statement reads the end of the ledger, together with the clock.
    expect(await appendsOf(CHAINED)).to.deep.equal([one + 1, hundred + 1]);
  });

  it('reads shown facts that follow each other in one query', async () => {
    const counter = createStoreCounter();
    const node = await start({ wrapStore: counter.count });
    await say(node, many(100));
    await prove(node);
    const shown = await storedFacts(node);
    const alone = await counter.during(() => prove(node, 'default', shown.slice(50, 51)));
    const together = await counter.during(() => prove(node, 'default', shown.slice(50)));
    expect(together.statements).to.equal(alone.statements);
  });

  it('keeps the link of an erased fact, and stays valid', async () => {
    const node = await start();
    const ids = await say(node, ['secret', 'other', 'third']);
    const before = await ledgerOf(node);
    await eraseFacts(node, ids.slice(0, 2));
    const after = await ledgerOf(node);
    expect(after.map(({ link }) => link)).to.deep.equal(before.map(({ link }) => link));
    expect(after.map(({ salt }) => salt === null)).to.deep.equal([true, true, false]);
    expect(await prove(node, 'default', await storedFacts(node))).to.include({ checked_entries: 3 });
  });

  it('verifies a fact in its erased form if it was erased after the caller read it', async () => {
    const node = await start();
    const ids = await say(node, ['secret', 'other']);
    const read = await storedFacts(node);
    await eraseFacts(node, ids.slice(0, 1));
    expect(await prove(node, 'default', read)).to.include({ checked_entries: 2 });
  });

  it('links facts that were erased before they had a link', async () => {
    await inTemporaryFolder(async (folder) => {
      const without = await start({ plugins: UNCHAINED, folder });
      const [first = ''] = await say(without, ['secret', 'other']);
      await eraseFacts(without, [first]);
      const node = await start({ folder });
      expect(await prove(node)).to.include({ checked_entries: 2 });
      await without.stop();
      await node.stop();
    });
  });
});
