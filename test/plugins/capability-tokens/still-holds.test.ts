import { expect } from 'chai';
import { canonicalJson, encodeBase64Url } from '../../../kernel/internal-api.ts';
import type { CapabilityNeed } from '../../../plugins/capability-tokens/capability-tokens-api.ts';
import { NodeIdentity } from '../../../plugins/node-info/node-info-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { pluginStore } from '../../kit/plugin-store.ts';
import { ATLAS, holder, onEntity, startTokenNode, type TokenNode } from './token-node.ts';

forEachStore('a capability token that is checked again later', () => {
  let node: TokenNode;
  before(async () => {
    node = await startTokenNode();
  });
  after(() => node?.stop());

  const holds = (id: string, need: CapabilityNeed = onEntity(), caller = holder()): Promise<boolean> =>
    pluginStore(node.kernel.get(FactStore)).read((snapshot) => node.tokens.stillHolds(id, need, caller, snapshot));

  it('is valid only for its holder, verb and object', async () => {
    const { token_id: id } = JSON.parse(await node.issue());
    expect(await holds(id)).to.equal(true);
    expect(await holds(id, onEntity(`${ATLAS}/deeper`))).to.equal(true);
    expect(await holds(id, onEntity(`${ATLAS}-2`))).to.equal(false);
    expect(await holds(id, { ...onEntity(), verb: 'read' })).to.equal(false);
    expect(await holds(id, { verb: 'subscribe', target: { kind: 'scope', scope: 'public' } })).to.equal(false);
    expect(await holds(id, onEntity(), holder('agent:other'))).to.equal(false);
    expect(await holds(id, onEntity(), holder('agent:me', 'other'))).to.equal(false);
    expect(await holds('no-such-token')).to.equal(false);
  });

  it('is checked in the snapshot of the caller, which does not contain later revocations', async () => {
    const { token_id: id } = JSON.parse(await node.issue());
    const path = `/v1/federation/capability-tokens/${id}/revoke`;
    const seen = await pluginStore(node.kernel.get(FactStore)).read(async (snapshot) => {
      await node.tokens.stillHolds(id, onEntity(), holder(), snapshot);
      expect((await node.request('POST', path, { key: node.ops })).status).to.equal(200);
      return node.tokens.stillHolds(id, onEntity(), holder(), snapshot);
    });
    expect([seen, await holds(id)]).to.deep.equal([true, false]);
  });

  it('causes an error when the store fails, and never counts as valid then', async () => {
    const { token_id: id } = JSON.parse(await node.issue());
    const ended = await pluginStore(node.kernel.get(FactStore)).read(async (snapshot) => snapshot);
    const outcome = await node.tokens.stillHolds(id, onEntity(), holder(), ended).catch((error: Error) => error);
    expect(outcome).to.be.instanceOf(Error);
  });
});

forEachStore('the key that signs capability tokens', () => {
  it('is not sufficient: a correctly signed token that the store does not contain is refused', async () => {
    const node = await startTokenNode();
    const identity = node.kernel.get(NodeIdentity);
    const { signature: _, ...members } = JSON.parse(await node.issue());
    const forge = (change: Readonly<Record<string, unknown>>): string => {
      const forged = { ...members, ...change };
      return canonicalJson({
        ...forged,
        signature: encodeBase64Url(identity.sign(Buffer.from(canonicalJson(forged)))),
      });
    };
    expect(await node.refusal(forge({}))).to.equal('none');
    const unknown = 'capability_invalid: token_invalid: unknown to this node';
    expect(await node.refusal(forge({ object: 'svc://facts' })), 'a known id').to.equal(unknown);
    expect(await node.refusal(forge({ expiry: '2030-01-01T00:00:00.000Z' }))).to.equal(unknown);
    expect(await node.refusal(forge({ token_id: '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11' }))).to.equal(unknown);
    await node.stop();
  });

  it('may change between starts, and tokens signed by the former key remain valid', async () => {
    const settings = (fill: number) => ({
      'node-info': { privateKey: Buffer.alloc(32, fill).toString('base64url') },
    });
    const first = await startTokenNode({ settings: settings(1) });
    const text = await first.issue();
    const second = await startTokenNode({ settings: settings(2), folder: first.folder, random: createSeededRandom(2) });
    expect(second.kernel.get(NodeIdentity).publicKey).not.to.equal(first.kernel.get(NodeIdentity).publicKey);
    expect(await second.refusal(text)).to.equal('none');
    expect(await first.refusal(await second.issue()), 'a process that has not started again').to.equal('none');
    await second.stop();
    await first.stop();
  });
});
