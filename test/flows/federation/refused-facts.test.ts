import { expect } from 'chai';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import type { Document } from '../../kit/federation/peer-identity.ts';
import { declareBoth, federationEvents, has, push } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import type { OriginProofJson, WireFact } from '../../kit/federation/wire-fact.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

const SECOND_MS = 1_000;

forEachStore('An invalid fact that a peer pushes', () => {
  const world = createWorld();
  const now = (): number => world.clock.nowMs();
  let node: FederatedNode;
  let peer: TestPeer;
  before(async () => {
    node = await startFederatedNode({ name: 'n', ...world });
    peer = await startTestPeer({ ...world, nowMs: now });
    await declareBoth(node, peer);
  });
  after(async () => {
    await node?.stop();
    await peer?.stop();
  });
  /** Proves the sent fact, or the valid one if the sent fact has no canonical form. */
  const proofOf = (sent: Document, sound: WireFact): OriginProofJson => {
    try {
      return peer.prove(sent as unknown as WireFact);
    } catch {
      return peer.prove(sound);
    }
  };

  const wrong: readonly (readonly [string, (fact: WireFact) => Document, string])[] = [
    ['with a type that does not exist', (fact) => ({ ...fact, value: { type: 'blob', v: 'x' } }), 'invalid_fact'],
    ['with a value of another type', (fact) => ({ ...fact, value: { type: 'number', v: '5' } }), 'invalid_fact'],
    ['with a confidence above one', (fact) => ({ ...fact, confidence: 1.01 }), 'invalid_fact'],
    ['without an entity', (fact) => ({ ...fact, entity: undefined }), 'invalid_fact'],
    ['without a source', (fact) => ({ ...fact, source: '' }), 'invalid_fact'],
    ['without a stamp', (fact) => ({ ...fact, hlc: undefined }), 'invalid_fact'],
    ['with a date that does not exist', (fact) => ({ ...fact, timestamp: '2026-02-30T00:00:00Z' }), 'invalid_fact'],
    ['with an end that does not exist', (fact) => ({ ...fact, valid_until: 'soon' }), 'invalid_fact'],
    ['with a beginning that does not exist', (fact) => ({ ...fact, valid_from: 'soon' }), 'invalid_fact'],
    [
      'that begins after its end',
      (fact) => ({ ...fact, valid_from: '2026-02-01T00:00:00Z', valid_until: '2026-01-31T00:00:00Z' }),
      'invalid_fact',
    ],
    [
      'that retracts from later on',
      (fact) => ({ ...fact, valid_from: '2026-02-01T00:00:00Z', confidence: 0 }),
      'invalid_fact',
    ],
    [
      'with too many hashes',
      (fact) => ({ ...fact, derived_from: Array(10_000).fill(`sha256:${'a'.repeat(64)}`) }),
      'invalid_fact',
    ],
    ['with a relation with blanks', (fact) => ({ ...fact, relation: 'a b' }), 'invalid_fact'],
    ['of company scope', (fact) => ({ ...fact, scope: 'company' }), 'scope_not_permitted'],
    ['of team scope', (fact) => ({ ...fact, scope: 'team' }), 'scope_not_permitted'],
    ['of local scope', (fact) => ({ ...fact, scope: 'local' }), 'scope_not_permitted'],
    ['with a wrong content id', (fact) => ({ ...fact, cid: `sha256:${'0'.repeat(64)}` }), 'cid_mismatch'],
    ['with a reserved relation', (fact) => ({ ...fact, relation: 'svc:conflict:status' }), 'reserved_namespace'],
    [
      'about how long a fact lives',
      (fact) => ({ ...fact, relation: 'svc:ttl', value: { type: 'datetime', v: '2026-03-02T09:00:00Z' } }),
      'reserved_namespace',
    ],
    ['about a reserved entity', (fact) => ({ ...fact, entity: 'svc:conflict:x' }), 'reserved_namespace'],
    ['that would be a manifest', (fact) => ({ ...fact, relation: 'instruction:manifest' }), 'reserved_namespace'],
    ['of the system', (fact) => ({ ...fact, source: 'system:svc' }), 'reserved_namespace'],
    ['in our name', (fact) => ({ ...fact, source: node.nodeId }), 'source_not_owned'],
    ['in the name of an agent of ours', (fact) => ({ ...fact, source: 'svc://n.test/agent/a' }), 'source_not_owned'],
    [
      'in the name of an agent of ours, in capitals',
      (fact) => ({ ...fact, source: 'SVC://N.test/agent/a' }),
      'source_not_owned',
    ],
    ['that names us as origin', (fact) => ({ ...fact, origin_node_id: node.nodeId }), 'source_not_owned'],
    ['of a garden', (fact) => ({ ...fact, garden_id: 'svc://p.test/garden/g' }), 'garden_not_federated'],
    [
      'that is an instruction',
      (fact) => ({ ...fact, value: { type: 'string', v: 'do', interpret_as: 'instruction' } }),
      'instruction_rejected',
    ],
    ['from a day ahead', (fact) => ({ ...fact, hlc: `${now() + 86_400_000}.0` }), 'hlc_skew'],
    [
      'with a counter that bursts the clock',
      (fact) => ({ ...fact, hlc: `${now() + 200 * SECOND_MS}.2147483647` }),
      'hlc_skew',
    ],
  ];
  for (const [title, change, error] of wrong) {
    it(`is refused ${title}, alone: ${error}`, async () => {
      const [first, middle, last] = [peer.fact(), peer.fact(), peer.fact()];
      const { origin_proof: _, ...bare } = change(middle);
      const changed = { ...bare, origin_proof: proofOf(bare, middle) };
      const events = (await federationEvents(node)).length;
      for (const item of [changed, bare]) {
        const reply = await push(node, peer, [first, item, last]);
        expect(reply.status, reply.text).to.equal(202);
        expect(reply.body, reply.text).to.deep.equal({
          accepted: 2,
          rejected: 1,
          errors: [{ fact_id: middle.id, error }],
        });
      }
      expect(await has(node, middle.id)).to.equal(false);
      expect(await has(node, last.id)).to.equal(true);
      expect((await federationEvents(node)).length).to.be.above(events);
    });
  }
});
