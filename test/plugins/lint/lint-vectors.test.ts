import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type LintedNode, startLintedNode } from './linted-node.ts';

forEachStore('Each check of lint', () => {
  let at: LintedNode;
  beforeEach(async () => {
    at = await startLintedNode();
  });
  afterEach(() => at.node.stop());

  it('report no finding for healthy facts, and count the checked facts', async () => {
    await at.say({});
    await at.say({ entity: 'user:b', value: { type: 'ref', v: 'User:A' }, valid_until: at.inHours(2) });
    const { body } = await at.lint();
    expect(body).to.deep.equal({
      findings: [],
      checked_at: new Date(at.node.clock.nowMs()).toISOString(),
      scope: 'company',
      checks_run: ['contradiction', 'stale', 'orphan', 'broken_ref', 'namespacing'],
      fact_count: 2,
    });
  });

  it('contradiction: error for a triple with differing live values', async () => {
    const ids = [
      await at.say({}),
      await at.say({ value: { type: 'string', v: 'two' } }),
      await at.say({ source: 'agent:b' }),
    ];
    expect(await at.findings()).to.deep.equal([
      {
        check: 'contradiction',
        severity: 'error',
        entity: 'user:a',
        relation: 'memory:role',
        fact_ids: ids.toSorted(),
        detail: '3 live facts of scope company say different things',
      },
    ]);
    await at.retract();
    expect((await at.findings()).map(({ check }) => check)).to.deep.equal(['orphan']);
  });

  it('contradiction: never across scopes or places, and separately in each place', async () => {
    const garden = { slug: 'g', name: 'g', scope: 'company' };
    expect((await at.node.request('POST', '/v1/gardens', { key: at.key, body: garden })).status).to.equal(201);
    await at.say({});
    await at.say({ value: { type: 'string', v: 'two' }, scope: 'team' });
    const inGarden = await at.say({ value: { type: 'string', v: 'three' }, garden_id: 'g' });
    expect(await at.findings({ scope: 'all' })).to.deep.equal([]);
    const other = await at.say({ value: { type: 'string', v: 'four' }, garden_id: 'g' });
    const [found, ...rest] = await at.findings({ scope: 'all' });
    expect(rest).to.deep.equal([]);
    expect(found?.fact_ids).to.deep.equal([inGarden, other].toSorted());
    const stranger = await at.node.addKey({ entityUri: 'agent:stranger' });
    expect(await at.findings({ scope: 'all' }, stranger)).to.deep.equal([]);
    expect((await at.lint({ scope: 'all' }, stranger)).body.fact_count).to.equal(2);
    expect(await at.findings({ scope: 'all' }, at.admin)).to.have.lengthOf(1);
  });

  it('contradiction: none after a resolution', async () => {
    await at.say({});
    const winner = await at.say({ value: { type: 'string', v: 'two' } });
    const { conflicts } = (await at.node.request('GET', '/v1/conflicts', { key: at.key })).body;
    const path = `/v1/conflicts/${encodeURIComponent(conflicts[0].conflict_id)}/resolve`;
    expect((await at.node.request('POST', path, { key: at.key, body: { winning_fact_id: winner } })).status).to.equal(
      200,
    );
    expect(await at.findings({ scope: 'all' })).to.deep.equal([]);
  });

  it('stale: warning for an unretracted fact that has expired, info for one that expires within the lookahead', async () => {
    const soon = await at.say({ valid_until: at.inHours(1) });
    const byTtl = await at.say({ entity: 'user:b' });
    await at.say({
      entity: byTtl,
      relation: 'svc:ttl',
      value: { type: 'datetime', v: at.inHours(2) },
    });
    const gone = await at.say({ entity: 'user:c', valid_until: at.inHours(-1) });
    await at.say({ entity: 'user:c', valid_until: at.inHours(9) });
    await at.say({ entity: 'user:d', valid_until: at.inHours(-1) });
    await at.retract({ entity: 'user:d' });
    const stale = async (seconds?: number) => {
      const body = { scope: 'company', checks: ['stale'], stale_lookahead_s: seconds };
      return (await at.findings(body)).map(({ severity, fact_ids }) => [severity, ...fact_ids]);
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
    await at.node.clock.advance(2 * 3_600_000);
    expect(await stale()).to.deep.equal([
      ['warning', soon],
      ['warning', byTtl],
      ['warning', gone],
    ]);
  });

  it('orphan: info for an entity with facts in the scope but no live one', async () => {
    await at.say({});
    await at.retract();
    await at.say({ entity: 'user:b' });
    await at.retract({ entity: 'user:b' });
    await at.say({ entity: 'user:b', relation: 'memory:name' });
    await at.say({ entity: 'user:c' });
    await at.retract({ entity: 'user:c' });
    await at.say({ entity: 'user:c', scope: 'team' });
    await at.say({ entity: 'user:d', valid_until: at.inHours(-1) });
    const orphans = async (body: object) =>
      (await at.findings({ checks: ['orphan'], ...body })).map(({ entity }) => entity);
    const [first] = await at.findings({ scope: 'company', checks: ['orphan'] });
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
    // An entity with a live fact is no orphan, for any requested relation.
    expect(await orphans({ scope: 'company', relation: 'memory:role' })).to.deep.equal(['user:a', 'user:c', 'user:d']);
    expect(await orphans({ scope: 'company', entity: 'User:C' })).to.deep.equal(['user:c']);
  });

  it('broken_ref: warning for a live ref whose target has no live fact in any visible scope, error for a handover', async () => {
    const refTo = (v: string, members: object = {}) =>
      at.say({ relation: 'rel:x', value: { type: 'ref', v }, ...members });
    const long = `user:${'x'.repeat(500)}`;
    const dead = await refTo('user:none');
    const handover = await refTo('user:none', { relation: 'intent:handoff_to' });
    const context = await refTo('user:none', { relation: 'intent:context_ref' });
    const far = await refTo(long, { entity: 'user:b' });
    await refTo('User:There', { entity: 'user:c' });
    await at.say({ entity: 'user:there', scope: 'team' });
    const broken = async (by = at.key) =>
      (await at.findings({ scope: 'company', checks: ['broken_ref'] }, by)).map(({ severity, fact_ids }) => [
        severity,
        ...fact_ids,
      ]);
    expect(await broken()).to.deep.equal([
      ['error', context],
      ['error', handover],
      ['warning', dead],
      ['warning', far],
    ]);
    const narrow = await at.node.addKey({ entityUri: 'agent:narrow', scopes: ['company'] });
    expect(await broken(narrow)).to.have.lengthOf(5);
    await at.say({ entity: long });
    expect(await broken()).to.have.lengthOf(3);
    await at.retract({ entity: long });
    expect(await broken()).to.have.lengthOf(4);
  });

  it('namespacing: warning for a live fact whose relation has no colon', async () => {
    const id = await at.say({ relation: 'role' });
    await at.say({ entity: 'user:b', relation: 'job' });
    await at.retract({ entity: 'user:b', relation: 'job' });
    expect(await at.findings({ scope: 'company', checks: ['namespacing'] })).to.deep.equal([
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
});
