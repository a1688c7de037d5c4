import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import {
  createStand,
  type IngestStand,
  peerFact,
  peeringFor,
  standPlugin,
  standProof,
} from '../federation/ingest-stand.ts';

forEachStore('source attestation of received facts', () => {
  let node: TestNode;
  let stand: IngestStand;
  afterEach(() => node.stop());

  /** Takes a page of facts from the peer `svc:node:p` at p.test. Returns the verdict on each. */
  const take = async (mode: string, facts: readonly ReturnType<typeof peerFact>[]) => {
    const third = peeringFor(undefined, {
      peerId: 'third',
      nodeId: 'svc:node:third',
      nodeUrl: 'https://third.test:8443',
    });
    stand = createStand([third]);
    stand.peering = peeringFor(undefined, { nodeId: 'svc:node:p' });
    stand.verdicts.set('good', 'verified').set('unknown', 'unverified');
    const plugins = ['attestation', 'facts', standPlugin(stand)];
    node = await startTestNode({ plugins, env: { SVC_SOURCE_ATTESTATION_MODE: mode } });
    const { peering } = stand;
    const page = { facts, peering, scopes: new Set(['public'] as const), via: 'pull' as const };
    return stand.ingest.take(page);
  };

  /** Returns the marks of the facts, by their sources. */
  const marks = async (mode: string, facts: readonly ReturnType<typeof peerFact>[]) => {
    const verdicts = await take(mode, facts);
    expect(verdicts.map(({ kind }) => kind)).to.deep.equal(facts.map(() => 'stored'));
    const key = await node.addKey();
    const marked: unknown[] = [];
    for (const { id } of facts) marked.push((await node.request('GET', `/v1/facts/${id}`, { key })).body.attested);
    return marked;
  };
  const from = (number: number, source: string, changes: Readonly<Record<string, unknown>> = {}) =>
    peerFact(number, { source, ...changes });
  const relayed = (number: number, source: string, signature: string) =>
    from(number, source, { origin_node_id: 'svc:node:third', origin_proof: standProof(signature) });

  const CASES = [
    [from(1, 'svc://p.test/agent/a'), true],
    [from(2, 'SVC://P.TEST/agent/a'), true],
    [from(3, 'svc:node:p'), true],
    [from(4, 'agent:of-p'), false],
    [from(5, 'svc://p.test.evil/agent/a'), false],
    [relayed(7, 'svc://third.test:8443/agent/a', 'good'), true],
    [relayed(8, 'svc:node:third', 'good'), true],
    [relayed(9, 'svc://p.test/agent/a', 'good'), false],
    [relayed(10, 'svc://third.test/agent/a', 'good'), false],
    [relayed(12, 'svc://p.test/agent/a', 'unknown'), true],
  ] as const;

  it('marks a source as attested if the verified origin, or else the sender, may use it', async () => {
    const expected = CASES.map(([, attested]) => attested);
    expect(
      await marks(
        'warn',
        CASES.map(([fact]) => fact),
      ),
    ).to.deep.equal(expected);
  });

  it('refuses no source in mode enforce, because a relay sends facts of others', async () => {
    const expected = CASES.map(([, attested]) => attested);
    expect(
      await marks(
        'enforce',
        CASES.map(([fact]) => fact),
      ),
    ).to.deep.equal(expected);
  });

  it('refuses a source under the address of another peer without a proof of that peer', async () => {
    const facts = [from(6, 'svc://third.test:8443/agent/a'), relayed(11, 'svc://third.test:8443/agent/a', 'unknown')];
    const verdicts = await take('warn', facts);
    const refusal = (factId: string) => ({ kind: 'rejected', factId, error: 'source_not_owned' });
    expect(verdicts).to.containSubset(facts.map(({ id }) => refusal(id)));
  });

  it('marks no source in mode off', async () => {
    expect(await marks('off', [from(1, 'svc://p.test/agent/a')])).to.deep.equal([null]);
  });
});
