import { expect } from 'chai';
import { sha256Hex } from '../../../kernel/plugin-api.ts';
import { BACKLOG_PER_WRITE } from '../../../plugins/fact-chain/chain-store.ts';
import { FactChain } from '../../../plugins/fact-chain/fact-chain-api.ts';
import { LINKS_PER_PROOF } from '../../../plugins/fact-chain/prove-chain.ts';
import { FactStore } from '../../../ports/ports.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

const AUDITOR = createPrincipal({ permissions: new Set(['audit.read']) });
const PLUGINS = ['keys', 'facts', 'conflicts', 'fact-chain'];

interface Link {
  readonly chain_seq: number | string;
  readonly fact_id: string;
  readonly event_hash: string;
  readonly link_hash: string;
  readonly created_ms: number | string;
}

forEachStore('the chain of facts', () => {
  const nodes: TestNode[] = [];
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.stop();
  });

  const start = async (options: TestNodeOptions = {}): Promise<TestNode> => {
    const node = await startTestNode({ plugins: PLUGINS, ...options });
    nodes.push(node);
    return node;
  };
  const assertFacts = async (node: TestNode, values: readonly unknown[], entity = 'user:a'): Promise<string[]> => {
    const key = await node.addKey();
    const body = values.map((v, at) => ({
      entity: `${entity}-${at}`,
      relation: 'memory:n',
      value: { type: typeof v, v },
      source: 'agent:s',
    }));
    const reply = await node.request('POST', '/v1/facts/batch', { key, body });
    return reply.body.results.map(({ fact }: { fact: { id: string } }) => fact.id);
  };
  const prove = (node: TestNode) => node.kernel.get(FactChain).prove(AUDITOR, []);
  const links = async (node: TestNode): Promise<Link[]> =>
    (await node.kernel.get(FactStore).table('fact_chain_links').orderBy('chain_seq')) as Link[];

  it('is null while there are no facts', async () => {
    expect(await prove(await start())).to.equal(null);
  });

  it('is proved to administrators and auditors alone, because a proof counts what others may not see', async () => {
    const chain = (await start()).kernel.get(FactChain);
    const refused = { code: 'authorization', status: 403 };
    expect(await rejection(chain.prove(createPrincipal(), []))).to.include(refused);
    const foreigner = createPrincipal({ permissions: new Set(['admin']), tenantId: 'other' });
    expect(await chain.prove(foreigner, [])).to.equal(null);
  });

  it('ties each fact to the one before it, by hashes that anybody can make again', async () => {
    const node = await start();
    const ids = await assertFacts(node, [1, 'two', true]);
    const chain = await links(node);
    expect(chain.map(({ chain_seq }) => Number(chain_seq))).to.deep.equal([1, 2, 3]);
    expect(chain.map(({ fact_id }) => fact_id)).to.deep.equal(ids);
    let previous: string | null = null;
    for (const [at, link] of chain.entries()) {
      const key = await node.addKey();
      const { body: fact } = await node.request('GET', `/v1/facts/${link.fact_id}`, { key });
      const event = {
        cid: fact.cid,
        confidence: fact.confidence,
        entity: fact.entity,
        fact_id: fact.id,
        relation: fact.relation,
        scope: fact.scope,
        source: fact.source,
        tenant_id: 'default',
        value_type: fact.value.type,
        value_v: fact.value.v,
      };
      expect(link.event_hash).to.equal(`sha256:${sha256Hex(JSON.stringify(event))}`);
      const tie = {
        chain_seq: at + 1,
        created_at: new Date(Number(link.created_ms)).toISOString(),
        event_hash: link.event_hash,
        fact_id: fact.id,
        previous_hash: previous,
        tenant_id: 'default',
      };
      expect(link.link_hash).to.equal(`sha256:${sha256Hex(JSON.stringify(tie))}`);
      previous = link.link_hash;
    }
  });

  it('holds the facts that follow from facts too, in the order of their stamps', async () => {
    const node = await start();
    const key = await node.addKey();
    for (const v of [1, 2]) {
      const body = { entity: 'user:a', relation: 'memory:n', value: { type: 'number', v }, source: 'agent:s' };
      await node.request('POST', '/v1/facts', { key, body });
    }
    const stored = await node.kernel
      .get(FactStore)
      .read((snapshot) => snapshot.find({ filter: { kind: 'all', of: [] }, order: 'feed', limit: 100 }));
    expect(stored.length).to.be.greaterThan(2);
    expect((await links(node)).map(({ fact_id }) => fact_id)).to.deep.equal(stored.map(({ id }) => id));
  });

  it('is proved with a checkpoint at its head, whose leaf hash is that of its payload', async () => {
    const node = await start();
    await assertFacts(node, [1, 2]);
    const proof = (await prove(node)) as Readonly<Record<string, unknown>>;
    const head = (await links(node)).at(-1)?.link_hash;
    expect(proof).to.include({ tenant_id: 'default', checked_entries: 2, head_hash: head });
    const checkpoint = proof['checkpoint'] as Record<string, unknown>;
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

  it('goes on from the last checkpoint, which the next one names', async () => {
    const node = await start();
    await assertFacts(node, [1]);
    const first = (await prove(node)) as Readonly<Record<string, unknown>>;
    await assertFacts(node, [2], 'user:b');
    const second = (await prove(node)) as { checked_entries: number; checkpoint: Record<string, unknown> };
    expect(second.checked_entries).to.equal(2);
    expect(second.checkpoint['tl_log_index']).to.equal(1);
    expect(second.checkpoint['tl_inclusion_proof']).to.include({ prev_hash: first['head_hash'] });
  });

  it('takes in what was stored while nobody kept it, oldest first', async () => {
    await inTemporaryFolder(async (folder) => {
      const without = await start({ plugins: ['keys', 'facts', 'conflicts'], folder });
      const early = await assertFacts(without, [1, 2, 3]);
      await without.stop();
      const node = await start({ folder });
      const late = await assertFacts(node, [4], 'user:late');
      expect((await links(node)).map(({ fact_id }) => fact_id)).to.deep.equal([...early, ...late]);
      await node.stop();
    });
  });

  it('hashes a bounded number of links for one proof, and says how far it came', async () => {
    const node = await start();
    expect(BACKLOG_PER_WRITE).to.be.lessThan(LINKS_PER_PROOF);
    for (let batch = 0; batch < 3; batch += 1) {
      await assertFacts(
        node,
        Array.from({ length: 1_000 }, (_, n) => n),
        `user:${batch}`,
      );
    }
    expect(await prove(node)).to.include({ checked_entries: LINKS_PER_PROOF });
    expect(await prove(node)).to.include({ checked_entries: 3_000 });
  });
});

describe('a chain that was tampered with', () => {
  let node: TestNode;
  let ids: string[];
  beforeEach(async () => {
    node = await startTestNode({ plugins: PLUGINS, store: 'sqlite' });
    const key = await node.addKey();
    const body = [1, 2, 3].map((v) => ({
      entity: `user:${v}`,
      relation: 'memory:n',
      value: { type: 'number', v },
      source: 'agent:s',
    }));
    const reply = await node.request('POST', '/v1/facts/batch', { key, body });
    ids = reply.body.results.map(({ fact }: { fact: { id: string } }) => fact.id);
  });
  afterEach(() => node.stop());

  const prove = () => node.kernel.get(FactChain).prove(AUDITOR, []);
  const table = () => node.kernel.get(FactStore).table('fact_chain_links');
  const refused = async (seq: number) => {
    const error = await rejection(prove());
    expect(error).to.include({ status: 409, code: 'fact_chain_mismatch' });
    expect((error as { members?: object }).members).to.include({ chain_seq: seq, fact_id: ids[seq - 1] });
  };

  it('is refused where a link was changed', async () => {
    await table().where({ chain_seq: 2 }).update({ created_ms: 1 });
    await refused(2);
  });

  it('is refused where what a link says of its fact was changed', async () => {
    await table().where({ chain_seq: 2 }).update({ event_hash: 'sha256:0' });
    await refused(2);
  });

  it('is refused where a link was taken out', async () => {
    await table().where({ chain_seq: 2 }).delete();
    await refused(3);
  });

  it('is refused for a fact that is shown and no longer says what it said, however long ago it was verified', async () => {
    await prove();
    const [fact] = await node.kernel
      .get(FactStore)
      .read((snapshot) => snapshot.find({ filter: { kind: 'all', of: [] }, order: 'feed', limit: 1 }));
    if (fact === undefined) throw new Error('there is no fact');
    const chain = node.kernel.get(FactChain);
    await chain.prove(AUDITOR, [fact]);
    expect(await rejection(chain.prove(AUDITOR, [{ ...fact, source: 'agent:other' }]))).to.include({
      code: 'fact_chain_mismatch',
    });
  });
});
