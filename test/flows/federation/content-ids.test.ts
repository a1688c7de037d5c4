import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { createWorld, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { declareBoth, push, refusalOf } from '../../kit/federation/peering-steps.ts';
import { startTestPeer } from '../../kit/federation/test-peer.ts';
import { type WireFact, wireCid } from '../../kit/federation/wire-fact.ts';

describe('Content ids in the format of another implementation', () => {
  const sevenMembers = (fact: WireFact): string =>
    JSON.stringify({
      confidence: fact.confidence,
      entity: fact.entity,
      relation: fact.relation,
      scope: fact.scope,
      source: fact.source,
      value_type: fact.value.type,
      value_v: fact.value.v,
    });

  for (const [mode, verdict] of [
    ['seed', { accepted: 0, rejected: 1 }],
    ['omit', { accepted: 1, rejected: 0 }],
  ] as const) {
    it(`are ${mode === 'omit' ? 'accepted' : 'refused'} with SVC_FEDERATION_CID=${mode}`, async () => {
      const world = createWorld();
      const node = await startFederatedNode({ name: 'n', ...world, env: { SVC_FEDERATION_CID: mode } });
      const peer = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs() });
      await declareBoth(node, peer);
      const fact = peer.fact();
      const cid = `sha256:${createHash('sha256').update(sevenMembers(fact)).digest('hex')}`;
      const reply = await push(node, peer, [{ ...fact, cid }]);
      const right = await push(node, peer, [{ ...peer.fact(), cid: undefined }, withCid(peer.fact())]);
      await node.say();
      const { body } = await node.request('GET', '/v1/federation/facts', { key: peer.token(node.nodeId) });
      await node.stop();
      await peer.stop();
      expect(refusalOf(reply)).to.include({ status: 202 });
      expect(reply.body).to.include(verdict);
      expect(right.body).to.include({ accepted: 2 });
      expect('cid' in body.facts[0]).to.equal(mode === 'seed');
    });
  }
  const withCid = (fact: WireFact): WireFact => ({ ...fact, cid: wireCid(fact) });
});
