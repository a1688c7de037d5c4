import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { decodeBase64Url, verifyEd25519 } from '../../../kernel/internal-api.ts';
import { NodeSelf, nodePrincipal } from '../../../kernel/plugin-api.ts';
import { type ListedNodeKey, NodeInfo, NodeKeys, successionBytes } from '../../../plugins/node-info/node-info-api.ts';
import { createManualClock, type ManualClock } from '../../fakes/manual-clock.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { placeTestStore } from '../../kit/test-store.ts';

forEachStore('the list of all keys that a node has had', (kind) => {
  let folder: string;
  let clock: ManualClock;
  let node: TestNode;

  const start = async (env: Readonly<Record<string, string>> = {}): Promise<readonly ListedNodeKey[]> => {
    node = await startTestNode({ plugins: ['node-info'], folder, clock, env });
    return list();
  };
  const list = async () => (await node.kernel.get(NodeInfo).metadata()).federation_keys;
  const rotate = () => node.kernel.get(NodeKeys).rotate(nodePrincipal(node.kernel.get(NodeSelf).names));
  const now = (aheadMs = 0) => new Date(clock.nowMs() + aheadMs).toISOString();

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'key-history-'));
    clock = createManualClock();
  });
  afterEach(async () => {
    await node.stop();
    await (await placeTestStore(kind, folder)).remove();
    await rm(folder, { recursive: true, force: true });
  });

  it('begins with the first key, and names each key once', async () => {
    const [first, ...more] = await start();
    expect(more).to.deep.equal([]);
    expect(first).to.deep.include({ valid_from: now(), valid_until: null, signed_by: null });
    await node.stop();
    await clock.advance(5_000);
    expect(await start()).to.deep.equal([first]);
  });

  it('announces a new key before the node signs with it, which then needs no restart', async () => {
    const [first] = await start();
    const signing = async () => (await node.request('GET', '/.well-known/svc')).body.federation_pubkey;
    await rotate();
    await comesTrue(async () => {
      if ((await list()).length === 2) return true;
      await clock.advance(500);
      return false;
    });
    expect(await signing()).to.equal(first?.public_key);
    await comesTrue(async () => {
      await clock.advance(1_000);
      return (await signing()) === (await list())[1]?.public_key;
    });
    expect((await list())[1]).to.deep.include({ valid_until: null });
    await node.stop();
    expect(await start()).to.have.length(2);
  });

  it('links the keys: each key is signed by the one before it', async () => {
    const [first] = await start();
    for (const rotations of [1, 2]) {
      await rotate();
      await comesTrue(async () => {
        await clock.advance(500);
        return (await list()).length === rotations + 1;
      });
      await node.stop();
      await start();
    }
    const keys = await list();
    expect(keys.map(({ key_id }) => key_id))
      .to.have.length(3)
      .and.to.include(first?.key_id);
    expect(keys.map(({ valid_until }) => valid_until !== null)).to.deep.equal([true, true, false]);
    for (const [at, key] of keys.entries()) {
      const before = keys[at - 1];
      if (before === undefined) continue;
      expect(key.signed_by?.key_id).to.equal(before.key_id);
      const named = { keyId: key.key_id, publicKey: key.public_key, validFrom: key.valid_from };
      const bytes = successionBytes(node.kernel.get(NodeSelf).nodeId, named);
      const signature = decodeBase64Url(key.signed_by?.signature ?? '') ?? new Uint8Array();
      expect(verifyEd25519(decodeBase64Url(before.public_key) ?? new Uint8Array(), bytes, signature)).to.equal(true);
    }
  });

  it('continues without such a signature if the private half of the last key is lost', async () => {
    const [first] = await start({ SVC_NODE_PRIVATE_KEY: Buffer.alloc(32, 4).toString('base64url') });
    await node.stop();
    const keys = await start({ SVC_NODE_PRIVATE_KEY: Buffer.alloc(32, 5).toString('base64url') });
    expect(keys.map(({ signed_by }) => signed_by)).to.deep.equal([null, null]);
    expect(keys[0]).to.deep.equal({ ...first, valid_until: now(3_600_000) });
  });
});
