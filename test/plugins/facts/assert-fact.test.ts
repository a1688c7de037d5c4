import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody, storedFacts } from './fact-bodies.ts';

forEachStore('asserting a fact', () => {
  let node: TestNode;
  let key: string;

  beforeEach(async () => {
    node = await startTestNode({ plugins: ['facts'] });
    key = await node.addKey();
  });

  afterEach(() => node.stop());

  const assert = (changes: Readonly<Record<string, unknown>> = {}) =>
    node.request('POST', '/v1/facts', { key, body: factBody(changes) });

  it('returns 201 with the whole fact object, its members in order', async () => {
    const reply = await assert({ confidence: 0.9, valid_until: '2027-01-01T00:00:00+02:00' });
    expect(reply.status).to.equal(201);
    const { id, hlc, cid, ...rest } = reply.body;
    expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(hlc).to.match(/^\d{13}\.\d+$/);
    expect(cid).to.match(/^sha256:[0-9a-f]{64}$/);
    expect(rest).to.deep.equal({
      entity: 'user:alice',
      relation: 'memory:role',
      value: { type: 'string', v: 'CEO', interpret_as: 'content' },
      source: 'agent:w1',
      timestamp: '2026-03-02T09:00:00.000Z',
      received_from: null,
      valid_until: '2027-01-01T00:00:00+02:00',
      confidence: 0.9,
      scope: 'company',
      garden_id: null,
      contradicted: false,
      attested: null,
      attested_key_id: null,
      origin_node_id: null,
      origin_allowed_scopes: null,
      warnings: [],
      derived_from: [],
      source_trust: null,
      effective_confidence: null,
      quarantine_status: null,
      quarantine_garden_id: null,
      sanitizer_warnings: [],
      sanitizer_redacted: false,
    });
    expect(Object.keys(reply.body).slice(0, 8)).to.deep.equal([
      'id',
      'entity',
      'relation',
      'value',
      'source',
      'timestamp',
      'hlc',
      'received_from',
    ]);
  });

  it('defaults to confidence 1, scope local, the time of the node and no expiry', async () => {
    const { entity, relation, value, source } = factBody();
    const reply = await node.request('POST', '/v1/facts', { key, body: { entity, relation, value, source } });
    expect(reply.status).to.equal(201);
    expect(reply.body).to.include({ confidence: 1, scope: 'local', valid_until: null });
    expect(reply.body.timestamp).to.equal('2026-03-02T09:00:00.000Z');
  });

  it("stores the timestamp of the client exactly as sent, up to 300 s ahead of the node's clock", async () => {
    expect((await assert({ timestamp: '2026-03-02T11:04:59.5+02:00' })).body.timestamp).to.equal(
      '2026-03-02T11:04:59.5+02:00',
    );
    expect((await assert({ timestamp: '2026-03-02T09:05:01Z' })).status).to.equal(422);
  });

  it('trims entity and source, and changes nothing else in them', async () => {
    const { body } = await assert({ entity: '  svc://Host/User/Zoë B ', source: ' Agent:W1 ' });
    expect(body).to.include({ entity: 'svc://Host/User/Zoë B', source: 'Agent:W1' });
  });

  it('accepts names of the maximum length in any characters', async () => {
    // No two characters of three bytes repeat in a row, so that no store can compress the key.
    const long = (length: number) =>
      Array.from({ length }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000))).join('');
    const names = { entity: long(2048), relation: `x:${long(254)}`, source: long(2048) };
    for (const changes of [{ value: { type: 'string', v: 'a' } }, { value: { type: 'null' } }, { confidence: 0 }]) {
      expect((await assert({ ...names, ...changes })).status).to.equal(201);
    }
    const target = `/v1/facts?entity=${encodeURIComponent(names.entity)}&include_retracted=true`;
    const { body } = await node.request('GET', target, { key });
    expect(body.total).to.equal(3);
    expect(body.facts[0]).to.deep.include(names);
  });

  it('warns of a relation without a namespace, in the reply and on every read', async () => {
    const { status, body } = await assert({ relation: 'role' });
    expect(status).to.equal(201);
    expect(body.warnings).to.have.lengthOf(1);
    const read = await node.request('GET', `/v1/facts/${body.id}`, { key });
    expect(read.body.warnings).to.deep.equal(body.warnings);
  });

  it('accepts the members that existing clients always send', async () => {
    const reply = await assert({
      value: { type: 'string', v: 'retracted' },
      confidence: 0.0,
      write_mode: 'assert',
      derived_from: [],
      garden_id: null,
      attestation: null,
    });
    expect(reply.status).to.equal(201);
    expect(reply.body.confidence).to.equal(0);
  });

  it('ignores members that only the node assigns', async () => {
    const { status, body } = await assert({
      id: 'mine',
      hlc: '9999999999999.0',
      cid: `sha256:${'0'.repeat(64)}`,
      attested: true,
      tenant_id: 'other',
      received_from: 'node:x',
    });
    expect(status).to.equal(201);
    expect(body).to.include({ attested: null, received_from: null, origin_node_id: null, contradicted: false });
    expect(body.id).to.not.equal('mine');
    expect(body.hlc).to.match(/^1772442000000\./);
    expect(body.cid).to.not.equal(`sha256:${'0'.repeat(64)}`);
    expect((await node.request('GET', `/v1/facts/${body.id}`, { key })).status).to.equal(200);
    const others = {
      origin_node_id: 'node:x',
      asserted_by: 'agent:root',
      system: true,
      permissions: ['admin'],
      contradicted: true,
    };
    for (const [name, value] of Object.entries(others)) {
      const refused = await assert({ [name]: value });
      expect([refused.status, refused.body.errors[0].path], name).to.deep.equal([422, `body.${name}`]);
    }
  });

  it('computes the documented content ids', async () => {
    const text = 'a"b\\c\n\u0007\u00e9\u{1f600}\u2028';
    const cases: [Record<string, unknown>, string][] = [
      [{ confidence: 1 }, 'sha256:0c5bdff9dc551d21c838adb2cc9ae6ab201114edc65e9b5df1957a88118a6e5a'],
      [
        {
          entity: 'user:zo\u00eb',
          relation: 'memory:note',
          value: { type: 'text', v: text },
          scope: 'public',
          confidence: 0.1,
        },
        'sha256:b6195cdf168846de10b3b7e63153359328c2656c33086038b32aea0e210c6242',
      ],
      [
        {
          entity: 'user:bob',
          relation: 'memory:score',
          value: { type: 'number', v: 1e21 },
          scope: 'team',
          confidence: 0.5,
        },
        'sha256:2aedc75a7adb15e01b9846b13da277e0cc638f8e7d99fb6a276588322cfd9e7f',
      ],
      [
        {
          entity: 'user:bob',
          relation: 'memory:none',
          value: { type: 'null', v: null },
          scope: 'local',
          confidence: 0,
        },
        'sha256:3f19d1977a8c0f4456136906847e7c9cfa854b0323c38131eca0eb70961f0aa2',
      ],
    ];
    for (const [changes, cid] of cases) expect((await assert(changes)).body.cid).to.equal(cid);
  });

  it('offers no way to change a fact', async () => {
    const { body } = await assert();
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      for (const path of ['/v1/facts', `/v1/facts/${body.id}`]) {
        const reply = await node.request(method, path, { key, body: factBody({ confidence: 0.1 }) });
        expect(reply.status, `${method} ${path}`).to.equal(405);
        expect(reply.headers['allow']).to.be.a('string');
      }
    }
    expect((await node.request('GET', `/v1/facts/${body.id}`, { key })).body).to.deep.equal(body);
    expect(await storedFacts(node)).to.equal(1);
  });

  it('stores nothing for a caller with only read permission', async () => {
    const reader = await node.addKey({ permissions: ['read', 'admin'] });
    const reply = await node.request('POST', '/v1/facts', { key: reader, body: factBody() });
    expect(reply.status).to.equal(403);
    expect(reply.body.code).to.equal('authorization');
    expect(await storedFacts(node)).to.equal(0);
  });
});
