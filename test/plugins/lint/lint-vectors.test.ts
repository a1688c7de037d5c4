import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

interface Listed {
  readonly check: string;
  readonly severity: string;
  readonly entity: string;
  readonly relation: string | null;
  readonly fact_ids: readonly string[];
  readonly detail: string;
}

const HOUR_MS = 3_600_000;

forEachStore('POST and GET /v1/lint', () => {
  let node: TestNode;
  let key: string;
  let admin: string;

  beforeEach(async () => {
    node = await startTestNode({ plugins: ['keys', 'facts', 'conflicts', 'gardens', 'jobs', 'lint'] });
    key = await node.addKey({ entityUri: 'agent:a' });
    admin = await node.addKey({ entityUri: 'agent:admin', permissions: ['read', 'write', 'admin'] });
  });
  afterEach(() => node.stop());

  const say = async (members: object, by = key): Promise<string> => {
    const body = {
      entity: 'user:a',
      relation: 'memory:role',
      value: { type: 'string', v: 'one' },
      source: 'agent:a',
      scope: 'company',
      ...members,
    };
    const reply = await node.request('POST', '/v1/facts', { key: by, body });
    expect(reply.status, JSON.stringify(reply.body)).to.equal(201);
    return reply.body.id;
  };
  const retract = (members: object = {}): Promise<string> =>
    say({ value: { type: 'string', v: 'retracted' }, confidence: 0, ...members });
  const lint = (body: object = { scope: 'company' }, by = key) => node.request('POST', '/v1/lint', { key: by, body });
  const ask = (query: string, by = key) => node.request('GET', `/v1/lint${query}`, { key: by });
  const findings = async (body: object = { scope: 'company' }, by = key): Promise<readonly Listed[]> => {
    const reply = await lint(body, by);
    expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
    return reply.body.findings;
  };
  const inHours = (hours: number): string => new Date(node.clock.nowMs() + hours * HOUR_MS).toISOString();

  it('find nothing about healthy facts, and say what they looked at', async () => {
    await say({});
    await say({ entity: 'user:b', value: { type: 'ref', v: 'User:A' }, valid_until: inHours(2) });
    const { body } = await lint();
    expect(body).to.deep.equal({
      findings: [],
      checked_at: new Date(node.clock.nowMs()).toISOString(),
      scope: 'company',
      checks_run: ['contradiction', 'stale', 'orphan', 'broken_ref', 'namespacing'],
      fact_count: 2,
    });
  });

  it('contradiction: error for a triple with differing live values', async () => {
    const ids = [await say({}), await say({ value: { type: 'string', v: 'two' } }), await say({ source: 'agent:b' })];
    expect(await findings()).to.deep.equal([
      {
        check: 'contradiction',
        severity: 'error',
        entity: 'user:a',
        relation: 'memory:role',
        fact_ids: ids.toSorted(),
        detail: '3 live facts of scope company say different things',
      },
    ]);
    await retract();
    expect((await findings()).map(({ check }) => check)).to.deep.equal(['orphan']);
  });

  it('contradiction: neither across scopes nor across places, and in each place on its own', async () => {
    const garden = { slug: 'g', name: 'g', scope: 'company' };
    expect((await node.request('POST', '/v1/gardens', { key, body: garden })).status).to.equal(201);
    await say({});
    await say({ value: { type: 'string', v: 'two' }, scope: 'team' });
    const inGarden = await say({ value: { type: 'string', v: 'three' }, garden_id: 'g' });
    expect(await findings({ scope: 'all' })).to.deep.equal([]);
    const other = await say({ value: { type: 'string', v: 'four' }, garden_id: 'g' });
    const [found, ...rest] = await findings({ scope: 'all' });
    expect(rest).to.deep.equal([]);
    expect(found?.fact_ids).to.deep.equal([inGarden, other].toSorted());
    const stranger = await node.addKey({ entityUri: 'agent:stranger' });
    expect(await findings({ scope: 'all' }, stranger)).to.deep.equal([]);
    expect((await lint({ scope: 'all' }, stranger)).body.fact_count).to.equal(2);
    expect(await findings({ scope: 'all' }, admin)).to.have.lengthOf(1);
  });

  it('contradiction: resolved is settled', async () => {
    await say({});
    const winner = await say({ value: { type: 'string', v: 'two' } });
    const { conflicts } = (await node.request('GET', '/v1/conflicts', { key })).body;
    const path = `/v1/conflicts/${encodeURIComponent(conflicts[0].conflict_id)}/resolve`;
    expect((await node.request('POST', path, { key, body: { winning_fact_id: winner } })).status).to.equal(200);
    expect(await findings({ scope: 'all' })).to.deep.equal([]);
  });

  it('stale: warning for an unretracted fact that has expired, info for one that expires within the lookahead', async () => {
    const soon = await say({ valid_until: inHours(1) });
    const byTtl = await say({ entity: 'user:b' });
    await say({
      entity: byTtl,
      relation: 'svc:ttl',
      value: { type: 'datetime', v: inHours(2) },
    });
    const gone = await say({ entity: 'user:c', valid_until: inHours(-1) });
    await say({ entity: 'user:c', valid_until: inHours(9) });
    await say({ entity: 'user:d', valid_until: inHours(-1) });
    await retract({ entity: 'user:d' });
    const stale = async (seconds?: number) => {
      const body = { scope: 'company', checks: ['stale'], stale_lookahead_s: seconds };
      return (await findings(body)).map(({ severity, fact_ids }) => [severity, ...fact_ids]);
    };
    expect(await stale()).to.deep.equal([['warning', gone]]);
    expect(await stale(3_600)).to.deep.equal([
      ['info', soon],
      ['warning', gone],
    ]);
    expect(await stale(7_200)).to.deep.equal([
      ['info', soon],
      ['info', byTtl],
      ['warning', gone],
    ]);
    await node.clock.advance(2 * HOUR_MS);
    expect(await stale()).to.deep.equal([
      ['warning', soon],
      ['warning', byTtl],
      ['warning', gone],
    ]);
  });

  it('orphan: info for an entity with facts in the scope but no live one', async () => {
    await say({});
    await retract();
    await say({ entity: 'user:b' });
    await retract({ entity: 'user:b' });
    await say({ entity: 'user:b', relation: 'memory:name' });
    await say({ entity: 'user:c' });
    await retract({ entity: 'user:c' });
    await say({ entity: 'user:c', scope: 'team' });
    await say({ entity: 'user:d', valid_until: inHours(-1) });
    const orphans = async (body: object) =>
      (await findings({ checks: ['orphan'], ...body })).map(({ entity }) => entity);
    const [first] = await findings({ scope: 'company', checks: ['orphan'] });
    expect(first).to.deep.equal({
      check: 'orphan',
      severity: 'info',
      entity: 'user:a',
      relation: null,
      fact_ids: [],
      detail: 'the entity has facts, and none of them is live',
    });
    expect(await orphans({ scope: 'company' })).to.deep.equal(['user:a', 'user:c', 'user:d']);
    expect(await orphans({ scope: 'all' })).to.deep.equal(['user:a', 'user:d']);
    // Whatever relation is asked about, an entity with a live fact is no orphan.
    expect(await orphans({ scope: 'company', relation: 'memory:role' })).to.deep.equal(['user:a', 'user:c', 'user:d']);
    expect(await orphans({ scope: 'company', entity: 'User:C' })).to.deep.equal(['user:c']);
  });

  it('broken_ref: warning for a live ref whose target has no live fact in any visible scope, error for a handover', async () => {
    const refTo = (v: string, members: object = {}) =>
      say({ relation: 'rel:x', value: { type: 'ref', v }, ...members });
    const long = `user:${'x'.repeat(500)}`;
    const dead = await refTo('user:none');
    const handover = await refTo('user:none', { relation: 'intent:handoff_to' });
    const context = await refTo('user:none', { relation: 'intent:context_ref' });
    const far = await refTo(long, { entity: 'user:b' });
    await refTo('User:There', { entity: 'user:c' });
    await say({ entity: 'user:there', scope: 'team' });
    const broken = async (by = key) =>
      (await findings({ scope: 'company', checks: ['broken_ref'] }, by)).map(({ severity, fact_ids }) => [
        severity,
        ...fact_ids,
      ]);
    expect(await broken()).to.deep.equal([
      ['error', context],
      ['error', handover],
      ['warning', dead],
      ['warning', far],
    ]);
    const narrow = await node.addKey({ entityUri: 'agent:narrow', scopes: ['company'] });
    expect(await broken(narrow)).to.have.lengthOf(5);
    await say({ entity: long });
    expect(await broken()).to.have.lengthOf(3);
    await retract({ entity: long });
    expect(await broken()).to.have.lengthOf(4);
  });

  it('namespacing: warning for a live fact whose relation has no colon', async () => {
    const id = await say({ relation: 'role' });
    await say({ entity: 'user:b', relation: 'job' });
    await retract({ entity: 'user:b', relation: 'job' });
    expect(await findings({ scope: 'company', checks: ['namespacing'] })).to.deep.equal([
      {
        check: 'namespacing',
        severity: 'warning',
        entity: 'user:a',
        relation: 'role',
        fact_ids: [id],
        detail: 'the relation has no namespace: write it as namespace:name',
      },
    ]);
  });

  it('list findings by check, then entity, relation and fact id, whatever the order of the question', async () => {
    const past = { valid_until: inHours(-1) };
    const b = [await say({ entity: 'user:b', ...past }), await say({ entity: 'user:b', scope: 'team', ...past })];
    const a = [await say({ relation: 'memory:z', ...past }), await say({ relation: 'memory:b', ...past })];
    const plain = await say({ entity: 'user:c', relation: 'role', value: { type: 'ref', v: 'user:none' } });
    const body = { scope: 'all', checks: ['namespacing', 'broken_ref', 'stale', 'stale'] };
    const reply = await lint(body);
    expect(reply.body.checks_run).to.deep.equal(['stale', 'broken_ref', 'namespacing']);
    expect(reply.body.findings.map(({ check, fact_ids }: Listed) => [check, ...fact_ids])).to.deep.equal([
      ['stale', a[1]],
      ['stale', a[0]],
      ...b.toSorted().map((id) => ['stale', id]),
      ['broken_ref', plain],
      ['namespacing', plain],
    ]);
  });

  it('look at no other scope than the one asked for, and at no system fact', async () => {
    await say({ relation: 'role' });
    await say({ relation: 'role', scope: 'team' });
    const expiring = await say({ entity: 'user:t', valid_until: inHours(1), scope: 'local' });
    await say({ entity: expiring, relation: 'svc:ttl', value: { type: 'datetime', v: inHours(-1) }, scope: 'local' });
    expect(await findings()).to.have.lengthOf(1);
    expect((await lint()).body.fact_count).to.equal(1);
    expect((await lint({ scope: 'all' })).body.fact_count).to.equal(3);
    const local = await node.addKey({ entityUri: 'agent:local', scopes: ['local'] });
    expect((await lint({ scope: 'all' }, local)).body).to.deep.include({ fact_count: 1, scope: 'all' });
    expect((await lint({ scope: 'company' }, local)).status).to.equal(403);
    expect((await ask('?scope=company', local)).status).to.equal(403);
  });

  it('take filters by match key, and name them in the answer', async () => {
    await say({ relation: 'role' });
    const { body } = await lint({ scope: 'all', entity: 'USER:A', relation: 'Role' });
    expect(body).to.deep.include({ entity: 'USER:A', relation: 'Role', fact_count: 1 });
    expect((await ask('?entity=USER:A&relation=other')).body).to.deep.include({ relation: 'other', fact_count: 0 });
  });

  it('ask the same by query as by body', async () => {
    await say({ relation: 'role' });
    await say({ entity: 'user:b', valid_until: inHours(1) });
    const body = { scope: 'company', checks: ['stale', 'namespacing'], stale_lookahead_s: 7_200, entity: 'user:b' };
    const byQuery = 'scope=company&checks=stale&checks=namespacing&stale_lookahead_s=7200&entity=user%3Ab';
    expect((await ask(`?${byQuery}`)).body).to.deep.equal((await lint(body)).body);
    expect((await ask('?checks=stale,namespacing')).body.checks_run).to.deep.equal(['stale', 'namespacing']);
    expect((await ask('')).body).to.deep.equal((await lint({ scope: 'all' })).body);
    expect((await ask('')).body.scope).to.equal('all');
    expect((await lint({ scope: 'company', checks: [] })).body.checks_run).to.have.lengthOf(5);
    expect((await lint({ scope: 'company', checks: null, entity: null })).body.checks_run).to.have.lengthOf(5);
  });

  it('refuse what they do not know: 422 in a body, 400 in a query', async () => {
    for (const body of [
      {},
      { scope: null },
      { scope: 'galaxy' },
      { scope: 'company', checks: ['spelling'] },
      { scope: 'company', checks: 'stale' },
      { scope: 'company', stale_lookahead_s: -1 },
      { scope: 'company', entity: '' },
      { scope: 'company', relation: 'a b' },
      { scope: 'company', as_of: '2026-01-01T00:00:00Z' },
    ]) {
      expect((await lint(body)).status, JSON.stringify(body)).to.equal(422);
    }
    for (const query of [
      '?scope=galaxy',
      '?checks=spelling',
      '?checks=stale,spelling',
      '?stale_lookahead_s=-1',
      '?stale_lookahead_s=soon',
      '?entity=',
      '?relation=a%20b',
      '?scope=company&scope=team',
      '?as_of=2026-01-01T00:00:00Z',
    ]) {
      expect((await ask(query)).status, query).to.equal(400);
    }
    const writer = await node.addKey({ entityUri: 'agent:w', permissions: ['write'] });
    expect((await lint({ scope: 'company' }, writer)).status).to.equal(403);
  });

  it('change nothing', async () => {
    await say({});
    await say({ value: { type: 'string', v: 'two' } });
    const before = (await node.request('GET', '/v1/facts?include_contradicted=true', { key })).body;
    await findings({ scope: 'all' });
    expect((await node.request('GET', '/v1/facts?include_contradicted=true', { key })).body).to.deep.equal(before);
  });
});
