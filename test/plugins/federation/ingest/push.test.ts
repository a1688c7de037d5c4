import { expect } from 'chai';
import { NodeSelf } from '../../../../kernel/plugin-api.ts';
import { FactStore } from '../../../../ports/ports.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../../kit/start-test-node.ts';
import { createStand, type IngestStand, PEER_NODE, peerFact, standPlugin, standProof } from '../ingest-stand.ts';

const NOW_MS = Date.UTC(2026, 2, 2, 9);

forEachStore('facts that a peer pushes', () => {
  let node: TestNode;
  let stand: IngestStand;
  let key: string;

  const start = async (settings: Record<string, unknown> = {}, env: Record<string, string> = {}) => {
    stand = createStand();
    node = await startTestNode({
      plugins: ['keys', 'audit', 'gardens', 'facts', 'conflicts', 'billing', standPlugin(stand)],
      settings: { federation: { enabled: true, ...settings } },
      env,
    });
    key = await node.addKey({ permissions: ['read', 'write', 'admin', 'audit.read'] });
  };

  beforeEach(() => start());
  afterEach(() => node.stop());

  const push = (facts: readonly unknown[], more: Record<string, unknown> = {}) =>
    node.request('POST', '/v1/federation/facts/push', { key: 'peer', body: { facts, ...more } });
  const get = (target: string) => node.request('GET', target, { key });
  const metaFacts = async (): Promise<readonly Record<string, unknown>[]> =>
    (await get('/v1/facts?relation=svc:received_from&limit=500')).body.facts;

  it('are stored unchanged, with their sender and a system fact that records the sender', async () => {
    const sent = peerFact(1, { valid_until: '2030-01-01T00:00:00+01:00', derived_from: [`sha256:${'a'.repeat(64)}`] });
    const reply = await push([sent], { sender_hlc: `${NOW_MS}.0` });
    expect(reply.status, reply.text).to.equal(202);
    expect(reply.body).to.deep.equal({ accepted: 1, rejected: 0, errors: [] });
    const stored = (await get(`/v1/facts/${sent.id}`)).body;
    const { garden_id: _garden, ...kept } = { garden_id: null, ...sent };
    expect(stored).to.deep.include(kept);
    expect(stored).to.deep.include({ received_from: PEER_NODE, origin_node_id: PEER_NODE });
    const meta = await metaFacts();
    expect(meta).to.have.lengthOf(1);
    expect(meta[0]).to.deep.include({
      entity: `svc:fact:${sent.id}`,
      source: 'system:svc',
      scope: 'local',
      confidence: 1,
      value: { type: 'ref', v: PEER_NODE, interpret_as: 'content' },
    });
    expect((await get('/v1/admin/billing/events')).body.events ?? []).to.deep.equal([]);
  });

  it('change nothing when they are pushed again', async () => {
    const facts = [peerFact(1), peerFact(2), peerFact(1)];
    expect((await push(facts)).body.accepted).to.equal(3);
    const head = () => node.kernel.get(FactStore).read((snapshot) => snapshot.head());
    const before = await head();
    for (let time = 0; time < 3; time += 1) {
      expect((await push(facts)).body).to.deep.equal({ accepted: 3, rejected: 0, errors: [] });
    }
    expect(await head()).to.deep.equal(before);
    expect(await metaFacts()).to.have.lengthOf(2);
    expect(stand.keptProofs).to.have.lengthOf(2);
    expect(stand.rejections).to.deep.equal([]);
  });

  const REFUSED: readonly (readonly [string, Record<string, unknown>, string, string])[] = [
    ['no id', { id: 7 }, 'invalid_fact', 'rejected_fact'],
    ['an id with a blank', { id: 'a b' }, 'invalid_fact', 'rejected_fact'],
    ['an entity with blanks around it', { entity: ' user:x ' }, 'invalid_fact', 'rejected_fact'],
    ['a relation with a blank', { relation: 'memory: note' }, 'invalid_fact', 'rejected_fact'],
    ['no source', { source: null }, 'invalid_fact', 'rejected_fact'],
    ['a value of an unknown type', { value: { type: 'blob', v: 'x' } }, 'invalid_fact', 'rejected_fact'],
    ['a value that is too long', { value: { type: 'string', v: 'x'.repeat(20_000) } }, 'invalid_fact', 'rejected_fact'],
    ['a confidence above 1', { confidence: 1.5 }, 'invalid_fact', 'rejected_fact'],
    ['no timestamp', { timestamp: null }, 'invalid_fact', 'rejected_fact'],
    ['an end that is no instant', { valid_until: 'soon' }, 'invalid_fact', 'rejected_fact'],
    ['a reference that is no content id', { derived_from: ['x'] }, 'invalid_fact', 'rejected_fact'],
    ['101 references', { derived_from: Array(101).fill(`sha256:${'a'.repeat(64)}`) }, 'invalid_fact', 'rejected_fact'],
    ['a name of an ended fact that is no text', { replaces: [1] }, 'invalid_fact', 'rejected_fact'],
    ['a name without an id', { replaces: [' svc:node:x'] }, 'invalid_fact', 'rejected_fact'],
    ['a name with no origin behind its blank', { replaces: ['x '] }, 'invalid_fact', 'rejected_fact'],
    ['the same name twice', { replaces: ['x', 'x'] }, 'invalid_fact', 'rejected_fact'],
    ['101 names', { replaces: Array.from({ length: 101 }, (_, at) => `x${at}`) }, 'invalid_fact', 'rejected_fact'],
    ['a garden', { garden_id: 'svc://p.test/garden/g' }, 'garden_not_federated', 'rejected_fact'],
    ['a scope that is not granted', { scope: 'team' }, 'scope_not_permitted', 'scope_violation'],
    [
      'a fact for the company of a third node',
      { scope: 'company', origin_node_id: 'svc://third.test' },
      'scope_not_permitted',
      'scope_violation',
    ],
    ['another content id', { cid: `sha256:${'0'.repeat(64)}` }, 'cid_mismatch', 'federation_integrity_rejected'],
    ['a content id of another form', { cid: 'md5:0' }, 'cid_mismatch', 'federation_integrity_rejected'],
    ['a reserved relation', { relation: 'svc:ttl' }, 'reserved_namespace', 'rejected_fact'],
    ['a reserved entity', { entity: 'svc:fact:x' }, 'reserved_namespace', 'rejected_fact'],
    ['a source of the system', { source: 'system:svc' }, 'reserved_namespace', 'rejected_fact'],
    ['a source of this node', { source: 'svc://LOCALHOST:8765/agent/a' }, 'source_not_owned', 'rejected_fact'],
    ['a wrong proof', { origin_proof: standProof('bad') }, 'invalid_origin_proof', 'federation_integrity_rejected'],
    ['a proof of no form', { origin_proof: 'x' }, 'invalid_origin_proof', 'federation_integrity_rejected'],
    ['a stamp too far ahead', { hlc: `${NOW_MS + 301_000}.0` }, 'hlc_skew', 'peer_hlc_anomaly'],
    ['a counter that is too high', { hlc: `${NOW_MS}.1048577` }, 'hlc_skew', 'peer_hlc_anomaly'],
    [
      'an instruction',
      { value: { type: 'text', v: 'do', interpret_as: 'instruction' } },
      'instruction_rejected',
      'rejected_fact',
    ],
  ];

  it('are refused one by one, and each refusal is returned and logged', async () => {
    for (const [what, changes, error, event] of REFUSED) {
      const bad = peerFact(500, changes);
      const reply = await push([peerFact(1), bad, peerFact(2)]);
      expect(reply.status, `${what}: ${reply.text}`).to.equal(202);
      const factId = typeof bad.id === 'string' && /^[!-~]+$/.test(bad.id) ? bad.id : '';
      expect(reply.body, what).to.deep.equal({ accepted: 2, rejected: 1, errors: [{ fact_id: factId, error }] });
      expect(
        stand.rejections.splice(0).map(({ event: { id }, detail }) => [id, detail]),
        what,
      ).to.deep.equal([[event, { fact_id: factId, error }]]);
    }
    expect((await get('/v1/facts?source=agent:of-p&limit=10')).body.total).to.equal(2);
  });

  it('are refused for every malformed stamp, while other facts of the request are stored', async () => {
    const stamps = ['', '1', '1.2.3', '-1.0', '1e3.0', ' 1.0', '１.０', `${'9'.repeat(20)}.0`, '1.4294967296', 5, null];
    const facts = stamps.map((hlc, at) => peerFact(100 + at, { hlc }));
    const reply = await push([...facts, peerFact(1)]);
    expect(reply.body.accepted).to.equal(1);
    expect(reply.body.errors.map(({ error }: { error: string }) => error)).to.deep.equal(
      stamps.map(() => 'invalid_fact'),
    );
  });

  it('do not change a stored fact that has the same id', async () => {
    await push([peerFact(1, { valid_until: '2030-01-01T00:00:00Z' })]);
    const other = await push([peerFact(1, { value: { type: 'string', v: 'other' } })]);
    expect(other.body.errors).to.deep.equal([{ fact_id: peerFact(1).id, error: 'id_collision' }]);
    expect(stand.rejections.splice(0).map(({ event }) => event.id)).to.deep.equal(['id_collision']);
    const longer = await push([peerFact(1, { valid_until: '2031-01-01T00:00:00Z' })]);
    expect(longer.body.accepted).to.equal(1);
    expect((await push([peerFact(1)])).body.accepted).to.equal(1);
    expect(stand.rejections.map(({ event }) => event.id)).to.deep.equal([
      'federation_valid_until_extension_rejected',
      'federation_valid_until_extension_rejected',
    ]);
    expect((await get(`/v1/facts/${peerFact(1).id}`)).body).to.deep.include({ valid_until: '2030-01-01T00:00:00Z' });
  });

  it('count as facts of this node only with a valid signature of this node', async () => {
    const { nodeId } = node.kernel.get(NodeSelf);
    stand.verdicts.set('good', 'verified');
    const forged = peerFact(1, { origin_node_id: nodeId });
    expect((await push([forged])).body.errors).to.deep.equal([{ fact_id: forged.id, error: 'source_not_owned' }]);
    const home = peerFact(1, { origin_node_id: nodeId, origin_proof: standProof('good') });
    expect((await push([home])).body.accepted).to.equal(1);
    expect(await metaFacts(), 'no meta-fact for an own fact').to.deep.equal([]);
    const spoken = peerFact(2, { source: 'svc://localhost:8765/agent/a', origin_proof: standProof('good') });
    expect((await push([spoken])).body.errors[0].error).to.equal('source_not_owned');
  });

  it('open a conflict if they contradict a stored fact', async () => {
    const ours = await node.request('POST', '/v1/facts', {
      key,
      body: {
        entity: 'user:p-1',
        relation: 'memory:note',
        value: { type: 'string', v: 'ours' },
        source: 'agent:us',
        scope: 'public',
      },
    });
    expect(ours.status).to.equal(201);
    await push([peerFact(1)]);
    expect((await get('/v1/conflicts')).body.conflicts).to.have.lengthOf(1);
    expect((await get(`/v1/facts/${peerFact(1).id}`)).body.contradicted).to.equal(true);
  });

  it('enter the quarantine garden if they are instructions and such a garden is configured', async () => {
    await node.stop();
    await start({}, { SVC_QUARANTINE_GARDEN_ID: 'ward' });
    const garden = { slug: 'ward', name: 'Ward', scope: 'public', quarantine: true };
    const made = await node.request('POST', '/v1/gardens', { key, body: garden });
    expect(made.status, made.text).to.equal(201);
    const order = peerFact(1, { value: { type: 'text', v: 'do', interpret_as: 'instruction' } });
    expect((await push([order])).body.accepted).to.equal(1);
    const stored = (await get(`/v1/facts/${order.id}`)).body;
    expect(stored.quarantine_status).to.equal('pending');
    const stranger = await node.addKey({ entityUri: 'agent:stranger' });
    const seen = await node.request('GET', '/v1/facts?relation=svc:received_from', { key: stranger });
    expect(seen.body.total, 'the meta-fact lies where the fact lies').to.equal(0);
    expect(await metaFacts()).to.have.lengthOf(1);
  });

  it('are refused if the request contains no fact or more than 500', async () => {
    const many = Array.from({ length: 501 }, (_, at) => peerFact(at));
    expect((await push(many)).status).to.equal(413);
    const request = (body: unknown) => node.request('POST', '/v1/federation/facts/push', { key: 'peer', body });
    expect((await request({})).status).to.equal(422);
    expect((await request({ facts: {} })).status).to.equal(422);
    expect((await push([], { sender_hlc: 'now' })).status).to.equal(422);
    expect((await push([])).body).to.deep.equal({ accepted: 0, rejected: 0, errors: [] });
  });

  it('may have unknown members, which the node drops', async () => {
    const reply = await push([peerFact(1, { colour: { deep: ['x'] } })]);
    expect(reply.body.accepted, reply.text).to.equal(1);
  });

  it('are refused while push or federation is off', async () => {
    await node.stop();
    await start({ pushEnabled: false });
    const off = await push([peerFact(1)]);
    expect(off.status).to.equal(405);
    expect(off.body.detail).to.equal('push replication not enabled on this node');
    await node.stop();
    await start({ enabled: false });
    const disabled = await push([peerFact(1)]);
    expect(disabled.status).to.equal(403);
    expect(disabled.body.code).to.equal('federation_disabled');
  });

  it('are refused if the peering changes while the request is processed', async () => {
    stand.storedPeering = { ...stand.peering, grantVersion: 2 };
    const reply = await push([peerFact(1)]);
    expect(reply.status).to.equal(503);
    expect(reply.headers['retry-after']).to.equal('1');
    expect((await get(`/v1/facts/${peerFact(1).id}`)).status).to.equal(404);
  });
});
