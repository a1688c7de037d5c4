import { expect } from 'chai';
import {
  type ChainProof,
  contentIdOf,
  type Fact,
  type FactClient,
  IntegrityError,
  verifyChainProof,
  verifyFact,
} from '../../client/client.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { rejection } from '../kit/rejection.ts';
import { startTestNode, type TestNode } from '../kit/start-test-node.ts';
import { clientOf } from './loopback-fetch.ts';

const PLUGINS = ['keys', 'facts', 'conflicts', 'recall', 'search', 'audit', 'fact-chain'];

forEachStore('a recall with verify: full', () => {
  let node: TestNode;
  let auditor: FactClient;
  let proof: ChainProof;
  let fact: Fact;

  before(async () => {
    node = await startTestNode({ plugins: PLUGINS });
    const permissions = ['read', 'write', 'audit.read', 'instruction:write'];
    auditor = clientOf(node, { key: await node.addKey({ permissions }), source: 'agent:ü' });
    const values = ['text', 1e21, 0.1, true, null, new Date(0), { type: 'ref', v: 'user:b' }] as const;
    for (const [at, value] of values.entries()) {
      await auditor.assert({ entity: 'user:Alice', relation: `memory:n${at}`, value });
    }
    const order = { type: 'text', v: 'do it', interpret_as: 'instruction' } as const;
    fact = await auditor.assert({ entity: 'user:alice', relation: 'memory:order', value: order, confidence: 0.25 });
    const reply = await auditor.recall(
      { query: 'alice', scope: 'company', include_contradicted: true },
      { verify: 'full' },
    );
    expect(reply.facts.length).to.be.above(4);
    if (reply.chain_proof === null) throw new Error('an auditor gets a proof');
    proof = reply.chain_proof;
  });
  after(() => node.stop());

  it('checks the content ids of the facts and the proof of the chain', async () => {
    expect(proof.checked_entries).to.equal(8);
    for await (const one of auditor.query({ entity: 'user:alice' })) {
      expect(await contentIdOf(one), JSON.stringify(one.value)).to.equal(one.cid);
    }
  });

  it('has no proof for callers who may not read everything, and none unless requested', async () => {
    const reader = clientOf(node, { key: await node.addKey() });
    const question = { query: 'alice', scope: 'company' };
    expect((await reader.recall(question, { verify: 'full' })).chain_proof).to.equal(null);
    expect((await auditor.recall(question)).chain_proof).to.equal(null);
  });

  it('rejects a proof after any change', async () => {
    const { checkpoint } = proof;
    const { payload } = checkpoint.tl_raw;
    const raw = (members: object) => ({ ...checkpoint, tl_raw: { payload: { ...payload, ...members } } });
    const other = `sha256:${'0'.repeat(64)}`;
    const changed: readonly object[] = [
      { ...proof, head_hash: other },
      { ...proof, checked_entries: 7 },
      { ...proof, tenant_id: 'other' },
      { ...proof, checkpoint: { ...checkpoint, tl_leaf_hash: '0'.repeat(64) } },
      { ...proof, checkpoint: { ...checkpoint, chain_hash: other } },
      { ...proof, checkpoint: { ...checkpoint, created_at: '2020-01-01T00:00:00.000Z' } },
      { ...proof, checkpoint: { ...checkpoint, tl_inclusion_proof: { chain_hash: other, prev_hash: null } } },
      ...[{ chain_hash: other }, { covered_chain_seq: 7 }, { kind: 'other' }, { version: 2 }, { more: 1 }].map(
        (members) => ({
          ...proof,
          checkpoint: raw(members),
        }),
      ),
    ];
    await verifyChainProof(proof);
    for (const one of changed) {
      const error = await rejection(verifyChainProof(one as ChainProof));
      expect(error).to.be.instanceOf(IntegrityError).and.to.include({ code: 'fact_chain_mismatch' });
    }
    expect(await rejection(verifyChainProof(proof, 'mem'))).to.be.instanceOf(IntegrityError);
  });

  it('rejects a fact whose content does not match its content id', async () => {
    await verifyFact(fact);
    await verifyFact({ ...fact, cid: null, confidence: 1 });
    const changed: readonly Partial<Fact>[] = [
      { confidence: 1 },
      { scope: 'public' },
      { source: 'agent:other' },
      { value: { ...fact.value, interpret_as: 'content' } },
    ];
    for (const members of changed) {
      expect(await rejection(verifyFact({ ...fact, ...members }))).to.include({ code: 'cid_mismatch' });
    }
  });
});
