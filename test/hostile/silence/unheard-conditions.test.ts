import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const ASSERTION = {
  entity: 'user:noor',
  relation: 'memory:role',
  value: { type: 'string', v: 'archivist' },
  source: 'agent:w',
  scope: 'company',
};

/** Misspelled members, each with the intended one. */
const SLIPS: readonly (readonly [meant: string, changes: Readonly<Record<string, unknown>>, path: string])[] = [
  ['garden_id', { garden: 'drafts' }, 'body.garden'],
  ['valid_until', { validUntil: '2026-03-02T10:00:00Z' }, 'body.validUntil'],
  ['confidence', { confidance: 0 }, 'body.confidance'],
  ['scope', { scop: 'local' }, 'body.scop'],
  ['interpret_as', { value: { ...ASSERTION.value, interpretAs: 'instruction' } }, 'body.value.interpretAs'],
  ['hash', { derived_from: [{ hashh: `sha256:${'0'.repeat(64)}`, fact_id: 'x' }] }, 'body.derived_from[0].hashh'],
  ['signature', { attestation: { key_id: 'k', signature: 's', signatur: 's' } }, 'body.attestation.signatur'],
];

forEachStore('A caller misspells a condition, and could take the answer for a complete one (I22)', () => {
  let node: TestNode;
  let writer: string;
  let admin: string;

  beforeEach(async () => {
    node = await startTestNode({
      plugins: ['attestation', 'keys', 'audit', 'facts', 'gardens', 'conflicts', 'recall', 'search'],
    });
    writer = await node.addKey({ entityUri: 'agent:w' });
    admin = await node.addKey({ entityUri: 'agent:ops', permissions: ['read', 'write', 'admin'] });
  });
  afterEach(() => node.stop());

  const assert = (changes: Readonly<Record<string, unknown>> = {}, key = writer, session?: string) =>
    node.request('POST', '/v1/facts', {
      key,
      body: { ...ASSERTION, ...changes },
      ...(session === undefined ? {} : { headers: { 'Svc-Session': session } }),
    });
  const query = (text: string, key = writer) => node.request('GET', `/v1/facts?${text}`, { key });
  const total = async (text: string, key = writer): Promise<number> => (await query(text, key)).body.total;

  for (const [meant, changes, path] of SLIPS) {
    it(`and no fact is stored without ${meant}: ${path} is refused, alone and in a batch`, async () => {
      const message = `is not a known member; did you mean ${meant}?`;
      const alone = await assert(changes);
      expect(alone.status, alone.text).to.equal(422);
      expect(alone.body.errors).to.deep.include({ path, message });
      const body = [ASSERTION, { ...ASSERTION, ...changes }];
      const batch = await node.request('POST', '/v1/facts/batch', { key: writer, body });
      expect(batch.body.results.map(({ status }: { status: number }) => status)).to.deep.equal([201, 422]);
      const [, refused] = batch.body.results;
      expect(refused.error.errors).to.deep.include({ path: path.replace('body', 'body[1]'), message });
      expect(await total('include_contradicted=true')).to.equal(1);
    });
  }

  it('and a misspelled filter is refused instead of ignored', async () => {
    await assert();
    for (const [slip, meant] of Object.entries({ entitty: 'entity', 'scope[]': 'scope', garden: 'garden_id' })) {
      const reply = await query(`${encodeURIComponent(slip)}=x`);
      expect(reply.status, slip).to.equal(400);
      expect(reply.body.errors[0].message).to.equal(`is not a known parameter; did you mean ${meant}?`);
      expect(reply.body.facts).to.equal(undefined);
    }
    for (const name of ['as_of', 'valid_at']) {
      const reply = await query(`${name}=tomorrow`);
      expect([reply.status, reply.body.errors[0].path], name).to.deep.equal([400, `query.${name}`]);
      const other = await node.request('GET', `/v1/conflicts?${name}=2026-03-02T09:00:00Z`, { key: writer });
      expect([other.status, other.body.errors[0].path], name).to.deep.equal([400, `query.${name}`]);
    }
  });

  it('and attested=true returns only attested facts', async () => {
    const { Authorizer } = await import('../../../kernel/plugin-api.ts');
    const caller = await node.kernel.get(Authorizer).authenticate(writer);
    const draft = { ...ASSERTION, value: { type: 'string', v: 'x', interpretAs: 'content' }, confidence: 1 } as const;
    const marks = [true, false, null].map((attested) => ({ ...draft, scope: 'company' as const, attested }));
    const relations = ['memory:a', 'memory:b', 'memory:c'];
    await node.facts.appendAll(
      marks.map((mark, at) => ({ ...mark, relation: relations[at] ?? '' })),
      caller,
    );
    const found = async (text: string) =>
      (await query(text)).body.facts.map(({ relation }: { relation: string }) => relation);
    expect(await found('attested=true')).to.deep.equal(['memory:a']);
    expect(await found('attested=FALSE')).to.deep.equal(['memory:b']);
    expect((await found('')).sort()).to.deep.equal(relations);
  });

  it('and a session contains only facts of its own caller, except for an admin', async () => {
    await assert({ relation: 'memory:a' }, writer, 's1');
    await assert({ relation: 'memory:b' }, writer, 's2');
    await assert({ relation: 'memory:c' });
    await assert({ relation: 'memory:d' }, admin, ' s1 ');
    expect(await total('session=s1')).to.equal(1);
    expect(await total('session=%20s1%20')).to.equal(1);
    expect(await total('session=s1', admin)).to.equal(2);
    expect(await total('session=s3', admin)).to.equal(0);
    expect(await total('')).to.equal(4);
    expect((await query('session=%20')).status).to.equal(400);
    expect((await query(`session=${'s'.repeat(129)}`)).body.code).to.equal('session_id_too_long');
  });

  it('and the audit log is filtered exactly as requested, in the list and in the export', async () => {
    const { id } = (await assert({ source: 'agent:src' })).body;
    await assert({ entity: 'user:other' }, admin);
    const rows = async (text: string): Promise<readonly { fact_id: string }[]> => {
      const { body } = await node.request('GET', `/v1/audit?event_type=fact_write&${text}`, { key: admin });
      const csv = await node.request('GET', `/v1/audit/export?event_type=fact_write&${text}`, { key: admin });
      expect(csv.text.trim().split('\r\n').length - 1, text).to.equal(body.total);
      return body.entries;
    };
    const factsOf = async (text: string) => (await rows(text)).map(({ fact_id }) => fact_id);
    expect(await rows('')).to.have.length(2);
    for (const text of [`fact_id=${id}`, 'entity_uri=agent:w', 'source=agent:src']) {
      expect(await factsOf(text), text).to.deep.equal([id]);
    }
    for (const text of [
      'fact_id=nowhere',
      'entity_uri=agent:nobody',
      'source=agent:x',
      'oidc_sub=s',
      'attested=true',
    ]) {
      expect(await factsOf(text), text).to.deep.equal([]);
    }
    expect(await rows('attested=false')).to.have.length(2);
    const own = await node.request('GET', '/v1/audit?entity_uri=agent:ops', { key: writer });
    expect(own.body.entries).to.deep.equal([]);
    const misspelt = await node.request('GET', '/v1/audit?entity=agent:w', { key: admin });
    expect(misspelt.body.errors).to.deep.equal([
      { path: 'query.entity', message: 'is not a known parameter; did you mean entity_uri?' },
    ]);
  });

  it('and an unknown weight of recall is named, in a body and in an address', async () => {
    const body = { query: 'x', token_budget: 10, weights: { lexicl: 1 } };
    const posted = await node.request('POST', '/v1/recall', { key: writer, body });
    const message = 'is not a known member; did you mean lexical?';
    expect([posted.status, posted.body.errors]).to.deep.equal([400, [{ path: 'body.weights.lexicl', message }]]);
    const asked = await node.request('GET', '/v1/recall?query=x&token_budget=10&weights.lexicl=1', { key: writer });
    expect([asked.status, asked.body.errors[0].message]).to.deep.equal([
      400,
      'is not a known parameter; did you mean weights.lexical?',
    ]);
  });
});
