import { expect } from 'chai';
import { createSigner, decodeBase64Url, keyIdOf, verifyEd25519 } from '../../../../kernel/internal-api.ts';
import { DEFAULT_TENANT, NodeSelf, nodePrincipal, type StoredFact } from '../../../../kernel/plugin-api.ts';
import { originStatement } from '../../../../plugins/federation/proofs/origin-statement.ts';
import { proofFromRow } from '../../../../plugins/federation/proofs/proof-rows.ts';
import { createStoreCounter } from '../../../fakes/counting-store.ts';
import { originStatement as statedAnew, type WireFact } from '../../../kit/federation/wire-fact.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { pluginStore } from '../../../kit/plugin-store.ts';
import { inTemporaryFolder } from '../../../kit/temporary-folder.ts';
import { idsOf, pull, say, servingNodes } from '../serving/pull-kit.ts';
import { NODE_ID, type ServingNode } from '../serving-kit.ts';

const SEED = Buffer.alloc(32, 7);
const { publicKey: KEY } = createSigner(SEED);
const KEPT = { SVC_NODE_PRIVATE_KEY: SEED.toString('base64url') };

const verifies = (fact: WireFact, key = KEY, origin = NODE_ID): boolean => {
  const { salt, refs_salt: refsSalt, signature } = fact.origin_proof as NonNullable<WireFact['origin_proof']>;
  const [one, other, bytes] = [salt, refsSalt, signature].map((text) => decodeBase64Url(text) as Uint8Array);
  const statement = statedAnew(fact, origin, one as Uint8Array, other as Uint8Array);
  return verifyEd25519(key, Buffer.from(statement), bytes as Uint8Array);
};

const factOf = async (node: ServingNode, id: string): Promise<StoredFact> => {
  const reader = nodePrincipal(node.kernel.get(NodeSelf).names);
  const view = await node.facts.read(reader, 'get', (facts) => facts.get(id));
  return (view as NonNullable<typeof view>).fact;
};

const rowsOf = (node: ServingNode): Promise<Record<string, string | number | null>[]> =>
  node.store.table('federation_proofs').select('*').orderBy('fact_id');

forEachStore('proofs of origin', () => {
  const start = servingNodes();

  it('accompany every fact of the node, and verify with its key', async () => {
    const node = await start({ env: KEPT });
    const peer = node.addPeer('p');
    const parent = await say(node);
    for (const value of [
      { type: 'string', v: 'h\u00e9llo "\\ \u2028' },
      { type: 'text', v: 'x'.repeat(20_000) },
      { type: 'number', v: -1e21 },
      { type: 'boolean', v: false },
      { type: 'datetime', v: '2026-03-02T09:15:04+01:00' },
      { type: 'ref', v: 'user:bob' },
      { type: 'null' },
    ]) {
      await say(node, { value, derived_from: [parent.cid], valid_until: '2031-01-01T00:00:00.5+02:00' });
    }
    const { facts } = (await pull(node, peer)).body as { facts: WireFact[] };
    expect(facts).to.have.length(8);
    for (const fact of facts) {
      expect(fact.origin_proof?.key_id).to.equal(keyIdOf(KEY));
      expect(verifies(fact), JSON.stringify(fact.value).slice(0, 80)).to.equal(true);
      expect(verifies({ ...fact, confidence: 0.1 })).to.equal(false);
      expect(verifies({ ...fact, value: { ...fact.value, interpret_as: 'instruction' } })).to.equal(false);
      expect(verifies({ ...fact, derived_from: ['sha256:other'] })).to.equal(false);
      expect(verifies(fact, KEY, 'svc://other.test')).to.equal(false);
    }
    expect(new Set(facts.map(({ origin_proof: proof }) => proof?.salt))).to.have.property('size', 8);
  });

  it('are made once, even if several peers request the facts at the same time', async () => {
    const node = await start({ env: KEPT });
    const peers = ['a', 'b', 'c', 'd'].map((name) => node.addPeer(name));
    for (let at = 0; at < 20; at += 1) await say(node);
    const replies = await Promise.all(peers.flatMap((peer) => [pull(node, peer), pull(node, peer)]));
    expect(new Set(replies.map(({ body }) => JSON.stringify(body.facts)))).to.have.property('size', 1);
    expect(await rowsOf(node)).to.have.length(20);
    expect((await pull(node, peers[0] as (typeof peers)[number])).body.facts).to.deep.equal(replies[0]?.body.facts);
  });

  it('stay unchanged after a key rotation, while facts served later are signed with the new key', async () => {
    await inTemporaryFolder(async (folder) => {
      const before = await start({ env: KEPT, folder });
      const [early, late] = [await say(before), await say(before)];
      const first = (await pull(before, before.addPeer('p'), 'limit=1')).body.facts;
      await before.stop();
      const next = createSigner(Buffer.alloc(32, 8));
      const after = await start({ env: { SVC_NODE_PRIVATE_KEY: Buffer.alloc(32, 8).toString('base64url') }, folder });
      const { facts } = (await pull(after, after.addPeer('q'))).body as { facts: WireFact[] };
      expect(facts.map(({ id }) => id)).to.deep.equal([early.id, late.id]);
      expect(facts[0]).to.deep.equal(first[0]);
      expect(facts.map(({ origin_proof: proof }) => proof?.key_id)).to.deep.equal(
        [KEY, next.publicKey].map((key) => keyIdOf(key)),
      );
      expect(verifies(facts[1] as WireFact, next.publicKey)).to.equal(true);
      await after.stop();
    });
  });

  it('cost one statement per page, and three more if the node has to create some', async () => {
    const counter = createStoreCounter();
    const node = await start({ wrapStore: counter.count });
    const peer = node.addPeer('p');
    for (let at = 0; at < 30; at += 1) await say(node);
    const first = await counter.during(() => pull(node, peer));
    const second = await counter.during(() => pull(node, peer));
    expect(first.statements - second.statements).to.equal(3);
    expect(second.statements).to.be.at.most(9);
  });

  it('of received facts are relayed unchanged', async () => {
    const node = await start();
    const peer = node.addPeer('p');
    const origin = node.addPeer('origin');
    const { id } = await say(node);
    const fact = await factOf(node, id);
    const proof = { keyId: origin.keyId, salt: 'c2FsdA', refsSalt: 'c2FsdA', signature: 'c2ln' };
    const draft = { ...fact, id, hlcText: fact.hlcText, timestamp: fact.timestamp };
    const stored = { tenantId: DEFAULT_TENANT, entityKey: 'user:a', scope: 'public' } as const;
    await pluginStore(node.store).write(DEFAULT_TENANT, (transaction) =>
      node.serving.proofs.keep(
        [
          { stored: { ...stored, id }, fact: { draft, originNodeId: origin.nodeId, proof }, verdict: 'verified' },
          {
            stored: { ...stored, id: 'without' },
            fact: { draft: { ...draft, id: 'without' }, originNodeId: null, proof: null },
            verdict: 'absent',
          },
        ],
        transaction,
      ),
    );
    expect((await rowsOf(node)).map((row) => row['fact_id'])).to.deep.equal([id]);
    const served = (await pull(node, peer)).body.facts[0];
    expect(served.origin_proof).to.deep.equal({
      key_id: origin.keyId,
      salt: 'c2FsdA',
      refs_salt: 'c2FsdA',
      signature: 'c2ln',
    });
  });

  it('of erased facts still verify, and reveal no erased content', async () => {
    const node = await start({ env: KEPT });
    const peer = node.addPeer('p');
    const parent = await say(node);
    const { id } = await say(node, { derived_from: [parent.cid], value: { type: 'string', v: 'yes' } });
    const [, served] = (await pull(node, peer)).body.facts as WireFact[];
    const fact = await factOf(node, id);
    const store = pluginStore(node.store);
    await store.write(DEFAULT_TENANT, (transaction) => node.serving.proofs.redact([fact], transaction));
    await store.write(DEFAULT_TENANT, (transaction) => node.serving.proofs.redact([fact], transaction));
    await node.store.write(DEFAULT_TENANT, (transaction) =>
      transaction.erase([{ id, commitment: Buffer.alloc(32, 1) }]),
    );
    const row = (await rowsOf(node)).find((one) => one['fact_id'] === id) ?? {};
    expect([row['salt'], row['refs_salt']]).to.deep.equal([null, null]);
    const { commitments, signature } = proofFromRow(row);
    const statement = originStatement(await factOf(node, id), commitments ?? { value: '', refs: '' }, NODE_ID);
    expect(verifyEd25519(KEY, statement, decodeBase64Url(signature) as Uint8Array)).to.equal(true);
    expect(signature).to.equal(served?.origin_proof?.signature);
    expect(idsOf(await pull(node, peer))).to.deep.equal([parent.id]);
  });
});
