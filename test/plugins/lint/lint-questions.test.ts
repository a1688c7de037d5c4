import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type LintedNode, type ListedFinding, startLintedNode } from './linted-node.ts';

forEachStore('Requests to lint', () => {
  let at: LintedNode;
  beforeEach(async () => {
    at = await startLintedNode();
  });
  afterEach(() => at.node.stop());

  it('list findings by check, then entity, relation and fact id, for any order of the request', async () => {
    const past = { valid_until: at.inHours(-1) };
    const b = [await at.say({ entity: 'user:b', ...past }), await at.say({ entity: 'user:b', scope: 'team', ...past })];
    const a = [await at.say({ relation: 'memory:z', ...past }), await at.say({ relation: 'memory:b', ...past })];
    const plain = await at.say({ entity: 'user:c', relation: 'role', value: { type: 'ref', v: 'user:none' } });
    const body = { scope: 'all', checks: ['namespacing', 'broken_ref', 'stale', 'stale'] };
    const reply = await at.lint(body);
    expect(reply.body.checks_run).to.deep.equal(['stale', 'broken_ref', 'namespacing']);
    expect(reply.body.findings.map(({ check, fact_ids }: ListedFinding) => [check, ...fact_ids])).to.deep.equal([
      ['stale', a[1]],
      ['stale', a[0]],
      ...b.toSorted().map((id) => ['stale', id]),
      ['broken_ref', plain],
      ['namespacing', plain],
    ]);
  });

  it('cover only the requested scope, and no system facts', async () => {
    await at.say({ relation: 'role' });
    await at.say({ relation: 'role', scope: 'team' });
    const expiring = await at.say({ entity: 'user:t', valid_until: at.inHours(1), scope: 'local' });
    await at.say({
      entity: expiring,
      relation: 'svc:ttl',
      value: { type: 'datetime', v: at.inHours(-1) },
      scope: 'local',
    });
    expect(await at.findings()).to.have.lengthOf(1);
    expect((await at.lint()).body.fact_count).to.equal(1);
    expect((await at.lint({ scope: 'all' })).body.fact_count).to.equal(3);
    const local = await at.node.addKey({ entityUri: 'agent:local', scopes: ['local'] });
    expect((await at.lint({ scope: 'all' }, local)).body).to.deep.include({ fact_count: 1, scope: 'all' });
    expect((await at.lint({ scope: 'company' }, local)).status).to.equal(403);
    expect((await at.ask('?scope=company', local)).status).to.equal(403);
  });

  it('accept filters by match key, and repeat them in the answer', async () => {
    await at.say({ relation: 'role' });
    const { body } = await at.lint({ scope: 'all', entity: 'USER:A', relation: 'Role' });
    expect(body).to.deep.include({ entity: 'USER:A', relation: 'Role', fact_count: 1 });
    expect((await at.ask('?entity=USER:A&relation=other')).body).to.deep.include({ relation: 'other', fact_count: 0 });
  });

  it('may send filters in the query or in the body, with the same answer', async () => {
    await at.say({ relation: 'role' });
    await at.say({ entity: 'user:b', valid_until: at.inHours(1) });
    const body = { scope: 'company', checks: ['stale', 'namespacing'], stale_lookahead_s: 7_200, entity: 'user:b' };
    const byQuery = 'scope=company&checks=stale&checks=namespacing&stale_lookahead_s=7200&entity=user%3Ab';
    expect((await at.ask(`?${byQuery}`)).body).to.deep.equal((await at.lint(body)).body);
    expect((await at.ask('?checks=stale,namespacing')).body.checks_run).to.deep.equal(['stale', 'namespacing']);
    expect((await at.ask('')).body).to.deep.equal((await at.lint({ scope: 'all' })).body);
    expect((await at.ask('')).body.scope).to.equal('all');
    expect((await at.lint({ scope: 'company', checks: [] })).body.checks_run).to.have.lengthOf(5);
    expect((await at.lint({ scope: 'company', checks: null, entity: null })).body.checks_run).to.have.lengthOf(5);
  });

  it('are refused with unknown members: 422 for a body, 400 for a query', async () => {
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
      expect((await at.lint(body)).status, JSON.stringify(body)).to.equal(422);
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
      expect((await at.ask(query)).status, query).to.equal(400);
    }
    const writer = await at.node.addKey({ entityUri: 'agent:w', permissions: ['write'] });
    expect((await at.lint({ scope: 'company' }, writer)).status).to.equal(403);
  });

  it('change no data', async () => {
    await at.say({});
    await at.say({ value: { type: 'string', v: 'two' } });
    const before = (await at.node.request('GET', '/v1/facts?include_contradicted=true', { key: at.key })).body;
    await at.findings({ scope: 'all' });
    expect((await at.node.request('GET', '/v1/facts?include_contradicted=true', { key: at.key })).body).to.deep.equal(
      before,
    );
  });
});
