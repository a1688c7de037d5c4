import { expect } from 'chai';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import type { Document } from '../../kit/federation/peer-identity.ts';
import { declareBoth, push } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { type WireFact, wireCid } from '../../kit/federation/wire-fact.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

const stripped = ({ origin_proof: _proof, ...fact }: WireFact): WireFact => fact;

forEachStore('A fact that a relay sent before its origin was a peer', () => {
  const world = createWorld();
  let node: FederatedNode;
  let relay: TestPeer;
  let origins = 0;
  before(async () => {
    node = await startFederatedNode({ name: 'n', ...world });
    relay = await peerOf('relay.test');
    await declareBoth(node, relay);
  });
  after(async () => {
    for (const each of [relay, node]) await each?.stop();
  });
  const peerOf = (host: string) => startTestPeer({ ...world, nowMs: () => world.clock.nowMs(), host });
  const accepted = async (by: TestPeer, facts: readonly WireFact[]): Promise<void> => {
    const { body, text } = await push(node, by, facts);
    expect(body.accepted, text).to.equal(facts.length);
    await world.clock.advance(10);
  };
  /** Returns what callers see of an entity, without ids. */
  const shown = async (entity: string): Promise<readonly unknown[]> => {
    const { facts } = (await node.get(`/v1/facts?entity=${entity}&include_contradicted=true`)).body;
    return facts.map((fact: Document) => [
      (fact['value'] as Document)['v'],
      fact['confidence'],
      fact['contradicted'],
      fact['not_granted'],
    ]);
  };

  type Sent = (fact: WireFact) => WireFact;
  interface Told {
    readonly said: WireFact;
    readonly other: WireFact;
    readonly retraction: WireFact;
    readonly resolution: WireFact;
  }

  /**
   * Returns the outcome after an origin without the right to end facts of others has sent its facts. With `isBrought`,
   * the relay sends the first one before the origin is a peer.
   */
  const outcomeOf = async (isBrought: boolean, sent: Sent, order: (told: Told) => readonly WireFact[]) => {
    origins += 1;
    const origin = await peerOf(`origin-${origins}.test`);
    const about = { entity: `user:brought-${origins}`, relation: 'memory:role' };
    const say = async (v: string, changes: Document = {}): Promise<WireFact> => {
      await world.clock.advance(10);
      return origin.fact({ ...about, value: { type: 'string', v }, source: 'agent:of-origin', ...changes });
    };
    const [said, other] = [await say('said'), await say('other')];
    const retraction = await say('said', { confidence: 0 });
    const resolution = await say('decided', { derived_from: [wireCid(said), wireCid(other)] });
    if (isBrought) await accepted(relay, [{ ...said, origin_node_id: origin.nodeId }]);
    await declareBoth(node, origin, { mayEndOthers: false });
    for (const fact of order({ said, other, retraction, resolution })) await accepted(origin, [sent(fact)]);
    const outcome = await shown(about.entity);
    await origin.stop();
    return outcome;
  };

  const ORDERS: Readonly<Record<string, (told: Told) => readonly WireFact[]>> = {
    'a retraction that follows': ({ said, retraction }) => [said, retraction],
    'a retraction that came before': ({ said, retraction }) => [retraction, said],
    'a resolution that follows': ({ said, other, resolution }) => [said, other, resolution],
    'a resolution that came before': ({ said, other, resolution }) => [resolution, other, said],
  };

  for (const [how, sent] of [
    ['with their proofs', (fact) => fact],
    ['without proofs', stripped],
  ] satisfies readonly (readonly [string, Sent])[]) {
    for (const [name, order] of Object.entries(ORDERS)) {
      it(`ends by ${name}, as if the origin itself had sent all facts, ${how} (I12)`, async () => {
        const alone = await outcomeOf(false, sent, order);
        expect(await outcomeOf(true, sent, order)).to.deep.equal(alone);
      });
    }
  }
});
