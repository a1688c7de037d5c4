import { expect } from 'chai';
import { Namespaces } from '../../../plugins/namespaces/namespaces-api.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import {
  createStand,
  type IngestStand,
  PEER_NODE,
  peerFact,
  peeringFor,
  standPlugin,
  standProof,
} from '../federation/ingest-stand.ts';

const THIRD = 'svc:node:third';

forEachStore('facts that peers send about owned entities', () => {
  let node: TestNode;
  let stand: IngestStand;
  afterEach(() => node.stop());

  const start = async (...owners: readonly string[]): Promise<void> => {
    stand = createStand([peeringFor(undefined, { peerId: 'third', nodeId: THIRD })]);
    stand.verdicts.set('good', 'verified').set('unknown', 'unverified');
    node = await startTestNode({
      plugins: ['namespaces', 'facts', standPlugin(stand)],
      env: { SVC_NAMESPACES_ENABLED: 'true' },
    });
    const admin = createPrincipal({ permissions: new Set(['admin']) });
    await node.kernel.get(Namespaces).set(admin, { pattern: 'user:owned/*', owners });
  };
  const owned = (number: number, changes: Readonly<Record<string, unknown>> = {}) =>
    peerFact(number, { entity: `user:owned/${number}`, ...changes });
  const relayed = (number: number, signature: string) =>
    owned(number, { origin_node_id: THIRD, origin_proof: standProof(signature) });
  const take = async (facts: readonly unknown[], via: 'pull' | 'push' = 'pull') => {
    const { peering } = stand;
    const verdicts = await stand.ingest.take({ facts, peering, scopes: new Set(['public'] as const), via });
    return verdicts.map((verdict) => (verdict.kind === 'rejected' ? verdict.error : verdict.kind));
  };

  it('are refused one by one and for good, with any source or confidence', async () => {
    await start('agent:owner');
    const facts = [
      owned(1),
      peerFact(2),
      owned(3, { confidence: 0 }),
      owned(4, { source: 'agent:owner' }),
      owned(5, { entity: 'USER:OWNED/5' }),
    ];
    const expected = ['namespace_owned', 'stored', 'namespace_owned', 'namespace_owned', 'namespace_owned'];
    expect(await take(facts)).to.deep.equal(expected);
    expect(await take([owned(6)], 'push')).to.deep.equal(['namespace_owned']);
    const told = stand.rejections.map(({ event, detail }) => [event.id, detail?.['error']]);
    expect(told).to.have.lengthOf(5);
    expect(told[0]?.[1]).to.equal('namespace_owned');
  });

  it('are stored if the peer owns the namespace', async () => {
    await start('agent:owner', PEER_NODE.toUpperCase());
    expect(await take([owned(1)])).to.deep.equal(['stored']);
  });

  it('are judged by the verified origin, or otherwise by the sending peer', async () => {
    await start(THIRD);
    expect(await take([relayed(1, 'good'), relayed(2, 'unknown'), owned(3)])).to.deep.equal([
      'stored',
      'namespace_owned',
      'namespace_owned',
    ]);
  });

  it('do not lower the reputation of the sending peer', async () => {
    await start('agent:owner');
    for (let page = 0; page < 4; page += 1) {
      await take(Array.from({ length: 100 }, (_, at) => owned(page * 100 + at)));
    }
    expect(stand.recorded).to.deep.equal([]);
    expect(await take([peerFact(999)])).to.deep.equal(['stored']);
  });
});
