import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { canonicalJson, decodeBase64Url, verifyEd25519 } from '../../../kernel/internal-api.ts';
import { NodeSelf, nodePrincipal } from '../../../kernel/plugin-api.ts';
import { NodeKeys } from '../../../plugins/node-info/node-info-api.ts';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { keyIdOf } from '../../kit/federation/peer-identity.ts';
import { declareBoth, drain, federationEvents, has, peerUp, pullUntil } from '../../kit/federation/peering-steps.ts';
import { startTestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

interface ListedKey {
  readonly key_id: string;
  readonly public_key: string;
  readonly valid_from: string;
  readonly valid_until: string | null;
  readonly signed_by: { readonly key_id: string; readonly signature: string } | null;
}

const MINUTE_MS = 60_000;

forEachStore('A node whose key is rotated', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rotated-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const rotated = async (node: FederatedNode, start: () => Promise<FederatedNode>): Promise<FederatedNode> => {
    await node.kernel.get(NodeKeys).rotate(nodePrincipal(node.kernel.get(NodeSelf).names));
    await node.stop();
    return start();
  };

  it('stays trusted by peers that are pulling from it, and no fact is lost', async function () {
    this.timeout(300_000);
    const world = createWorld();
    const start = (): Promise<FederatedNode> => startFederatedNode({ name: 'a', ...world, folder, keyInFile: true });
    let a = await start();
    const b = await startFederatedNode({ name: 'b', ...world });
    const c = await startFederatedNode({ name: 'c', ...world });
    await peerUp(a, b);
    await peerUp(b, c);
    await peerUp(a, c, { direction: 'inbound' }, { direction: 'outbound' });
    const bodies = Array.from({ length: 900 }, (_, n) => ({
      entity: `user:${n}`,
      relation: 'memory:n',
      value: { type: 'number', v: n },
      source: 'agent:w',
      scope: 'public',
    }));
    await a.request('POST', '/v1/facts/batch', { key: a.key, body: bodies.slice(0, 600) });
    await pullUntil(a, async () => (await b.get('/v1/facts?relation=memory:n&limit=1')).body.total > 0);
    a = await rotated(a, start);
    await a.request('POST', '/v1/facts/batch', { key: a.key, body: bodies.slice(600) });
    const backwards = await b.say();
    await pullUntil(a, async () => (await b.get('/v1/facts?relation=memory:n&limit=1')).body.total === 900);
    await pullUntil(a, async () => (await c.get('/v1/facts?relation=memory:n&limit=1')).body.total === 900);
    await pullUntil(a, () => has(a, backwards.id));
    const page = await c.get('/v1/facts?relation=memory:n&limit=500');
    const verified = page.body.facts.map((fact: { origin_verified: boolean }) => fact.origin_verified);
    expect(new Set(verified)).to.deep.equal(new Set([true]));
    for (const node of [a, b, c]) await node.stop();
  });

  it('signs with its new key without a restart, and nothing is refused or lost meanwhile', async function () {
    this.timeout(300_000);
    const world = createWorld();
    const a = await startFederatedNode({ name: 'a', ...world, folder, keyInFile: true });
    const b = await startFederatedNode({ name: 'b', ...world });
    await peerUp(a, b);
    const mint = async (): Promise<string> => {
      const body = { issuer: 'agent:owner-of-a', subject: 'agent:x', verb: 'read', object: 'svc://facts' };
      const reply = await a.request('POST', '/v1/federation/capability-tokens', { key: a.key, body });
      expect(reply.status, reply.text).to.equal(201);
      return reply.body.token_json;
    };
    const metadata = async () => (await a.request('GET', '/.well-known/svc')).body;
    const tokens = [await mint()];
    const before = (await metadata()).federation_pubkey;
    const said: { readonly by: FederatedNode; readonly id: string }[] = [];
    await a.kernel.get(NodeKeys).rotate(nodePrincipal(a.kernel.get(NodeSelf).names));
    for (let turn = 0; turn < 6 || (await metadata()).federation_pubkey === before; turn += 1) {
      for (const by of [a, b]) said.push({ by, id: (await by.say()).id });
      tokens.push(await mint());
      await world.clock.advance(1_000);
    }
    for (const by of [a, b]) said.push({ by, id: (await by.say()).id });
    tokens.push(await mint());
    for (const { by, id } of said) await pullUntil(a, () => has(by === a ? b : a, id));
    for (const node of [a, b]) expect(await federationEvents(node, 'rejected_token')).to.deep.equal([]);
    for (const token_json of tokens) {
      const reply = await a.request('POST', '/v1/federation/capability-tokens/verify', {
        key: a.key,
        body: { token_json },
      });
      expect(reply.body.valid, reply.text).to.equal(true);
    }
    const page = await b.get('/v1/facts?limit=500');
    const fromA = page.body.facts.filter((fact: { source: string }) => fact.source === 'agent:of-a');
    expect(fromA.map((fact: { origin_verified: boolean }) => fact.origin_verified)).not.to.include(false);
    for (const node of [a, b]) await node.stop();
  });

  it('lists its retired keys, and each new key is signed by the previous one', async () => {
    const world = createWorld();
    const start = (): Promise<FederatedNode> => startFederatedNode({ name: 'a', ...world, folder, keyInFile: true });
    let node = await start();
    const first = node.identity.publicKey;
    for (let turn = 0; turn < 2; turn += 1) {
      await world.clock.advance(MINUTE_MS);
      node = await rotated(node, start);
    }
    const { body } = await node.request('GET', '/.well-known/svc');
    const keys: ListedKey[] = [...body.federation_keys].sort(
      (x: ListedKey, y: ListedKey) => Date.parse(x.valid_from) - Date.parse(y.valid_from),
    );
    await node.stop();
    expect(keys).to.have.length(3);
    expect(keys[0]).to.include({ public_key: first, signed_by: null });
    expect(keys[2]).to.include({ public_key: body.federation_pubkey, valid_until: null });
    for (const [at, { key_id, public_key, valid_from, signed_by }] of keys.entries()) {
      expect(key_id).to.equal(keyIdOf(decodeBase64Url(public_key) ?? new Uint8Array()));
      const before = keys[at - 1];
      if (before === undefined) continue;
      expect(before.valid_until).to.be.a('string');
      expect(signed_by?.key_id).to.equal(before.key_id);
      const statement = canonicalJson({ v: 1, node_id: node.nodeId, key_id, public_key, valid_from });
      const [key, signature] = [before.public_key, signed_by?.signature ?? ''].map(
        (text) => decodeBase64Url(text) ?? new Uint8Array(),
      ) as [Uint8Array, Uint8Array];
      expect(verifyEd25519(key, Buffer.from(statement), signature)).to.equal(true);
    }
  });

  it('proves earlier facts with the key of that time, and serves the proof unchanged', async () => {
    const world = createWorld();
    const start = (): Promise<FederatedNode> => startFederatedNode({ name: 'a', ...world, folder, keyInFile: true });
    let node = await start();
    const reader = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs() });
    await declareBoth(node, reader);
    const { id } = await node.say();
    const before = (await drain(node, reader)).facts.find((fact) => fact.id === id);
    node = await rotated(node, start);
    const after = (await drain(node, reader)).facts.find((fact) => fact.id === id);
    expect(before?.origin_proof?.key_id).to.equal(node.identity.keyId);
    expect(after).to.deep.equal(before);
    await node.stop();
    await reader.stop();
  });
});
