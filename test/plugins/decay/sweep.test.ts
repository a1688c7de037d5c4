import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type DecayNode, startDecayNode } from './decay-node.ts';

const HOUR_S = 3_600;

forEachStore('a sweep of decay', () => {
  let node: DecayNode;
  beforeEach(async () => {
    node = await startDecayNode();
  });
  afterEach(() => node.stop());

  it('ends every fact that has no expiry, for age 0', async () => {
    for (let n = 0; n < 3; n += 1) await node.say();
    expect(await node.sweep({ ttl_seconds: 0 })).to.deep.equal({ scanned: 3, decayed: 3, dry_run: false });
    expect(await node.shown()).to.deep.equal([]);
    const { body } = await node.request('GET', '/v1/facts?include_expired=true', { key: node.key });
    expect(body.total).to.equal(3);
  });

  it('ends facts older than the given age, and keeps the others', async () => {
    await node.say({ entity: 'user:new' });
    await node.say({ entity: 'user:old', timestamp: '2020-01-01T00:00:00Z' });
    expect(await node.sweep({ ttl_seconds: HOUR_S })).to.include({ scanned: 2, decayed: 1 });
    expect(await node.shown()).to.deep.equal(['user:new']);
  });

  it('ends facts below the given confidence at any age, even if they have an expiry', async () => {
    await node.say({ entity: 'user:sure', confidence: 0.5 });
    await node.say({ entity: 'user:unsure', confidence: 0.49 });
    await node.say({ entity: 'user:short', confidence: 0.1, valid_until: '2030-01-01T00:00:00Z' });
    expect(await node.sweep({ min_confidence: 0.5 })).to.include({ scanned: 3, decayed: 2 });
    expect(await node.shown()).to.deep.equal(['user:sure']);
  });

  it('keeps facts whose author set an expiry until then', async () => {
    await node.say({ entity: 'user:until', valid_until: '2030-01-01T00:00:00Z' });
    const { id } = await node.say({ entity: 'user:lasting' });
    await node.say({ entity: id, relation: 'svc:ttl', value: { type: 'datetime', v: '2030-01-01T00:00:00Z' } });
    expect(await node.sweep({ ttl_seconds: 0 })).to.include({ scanned: 2, decayed: 0 });
  });

  it('ends no fact a second time', async () => {
    await node.say();
    await node.say({ confidence: 0.1 });
    await node.sweep({ ttl_seconds: 0, min_confidence: 0.5 });
    await node.clock.advance(10_000);
    expect(await node.sweep({ ttl_seconds: 0, min_confidence: 0.5 })).to.include({ scanned: 0, decayed: 0 });
    expect(await node.ttls()).to.have.length(2);
  });

  it('skips retractions, retracted facts, and facts of the node itself', async () => {
    await node.say({ entity: 'user:gone' });
    await node.say({ entity: 'user:gone', confidence: 0, value: { type: 'string', v: 'retracted' } });
    await node.say({ entity: 'user:torn', value: { type: 'string', v: 'one' } });
    await node.say({ entity: 'user:torn', value: { type: 'string', v: 'two' } });
    expect(await node.sweep({ ttl_seconds: 0 })).to.include({ scanned: 2, decayed: 2 });
    const { body } = await node.request('GET', '/v1/facts?entity=user:gone', { key: node.key });
    expect(body.facts.map((fact: { confidence: number }) => fact.confidence)).to.deep.equal([0]);
  });

  it('ends a fact by a time to live in the same scope and garden, and changes no fact', async () => {
    const before = await node.say({ scope: 'team' });
    await node.sweep({ ttl_seconds: 0 });
    const { body: after } = await node.request('GET', `/v1/facts/${before.id}`, { key: node.key });
    expect(after).to.deep.equal(before);
    const [ttl] = await node.ttls();
    expect(ttl).to.deep.include({
      entity: `svc:fact:${before.id}`,
      source: 'system:svc',
      scope: 'team',
      confidence: 1,
    });
    expect(ttl.value.type).to.equal('datetime');
  });

  it('counts the facts in a dry run, and ends none', async () => {
    for (const confidence of [0.1, 0.2, 0.9]) await node.say({ confidence });
    const rules = { min_confidence: 0.5, ttl_seconds: HOUR_S };
    expect(await node.sweep({ ...rules, dry_run: true })).to.deep.equal({ scanned: 3, decayed: 2, dry_run: true });
    expect(await node.ttls()).to.deep.equal([]);
    expect(await node.sweep(rules)).to.deep.equal({ scanned: 3, decayed: 2, dry_run: false });
  });

  it('ends only facts of the requested scope', async () => {
    await node.say({ entity: 'user:team', scope: 'team' });
    await node.say({ entity: 'user:public', scope: 'public' });
    expect(await node.sweep({ ttl_seconds: 0, scope: 'team' })).to.include({ scanned: 1, decayed: 1 });
    expect(await node.shown()).to.deep.equal(['user:public']);
  });

  it('accepts each rule as a parameter or in a body, but not in both', async () => {
    await node.say();
    const asked = (target: string, body?: unknown) => node.request('POST', target, { key: node.key, body });
    const trial = await asked('/v1/decay/sweep?dry_run=true&ttl_seconds=0&scope=company');
    expect(trial.body).to.deep.equal({ scanned: 1, decayed: 1, dry_run: true });
    const mixed = await asked('/v1/decay/sweep?dry_run=1', { ttl_seconds: 0, scope: null });
    expect(mixed.body).to.deep.equal({ scanned: 1, decayed: 1, dry_run: true });
    const twice = await asked('/v1/decay/sweep?dry_run=true', { dry_run: false, ttl_seconds: 0 });
    expect([twice.status, twice.body.code]).to.deep.equal([400, 'validation']);
    expect((await asked('/v1/decay/sweep?scope=galaxy')).status).to.equal(400);
    expect((await asked('/v1/decay/sweep', { scope: 'galaxy' })).status).to.equal(422);
    expect((await asked('/v1/decay/sweep', { ttl_seconds: -1 })).status).to.equal(422);
    expect((await asked('/v1/decay/sweep?min_confidence=2')).status).to.equal(400);
    expect(await node.shown()).to.have.length(1);
  });

  it('ends each fact once, even with several simultaneous sweeps', async () => {
    for (let n = 0; n < 20; n += 1) await node.say();
    const sweeps = await Promise.all(Array.from({ length: 100 }, () => node.sweep({ ttl_seconds: 0 })));
    expect(sweeps.reduce((sum, { decayed }) => sum + decayed, 0)).to.equal(20);
    expect(await node.ttls()).to.have.length(20);
  });

  it('accepts ages beyond the range of dates', async () => {
    await node.say();
    for (const ttl_seconds of [1e15, 1e300, Number.MAX_VALUE, 0.5]) {
      expect(await node.sweep({ ttl_seconds })).to.include({ decayed: 0 });
    }
  });
});

describe('a sweep of decay without rules', () => {
  it('does nothing if the node has no rules either', async () => {
    const node = await startDecayNode();
    await node.say({ confidence: 0.01, timestamp: '2020-01-01T00:00:00Z' });
    expect(await node.sweep()).to.deep.equal({ scanned: 0, decayed: 0, dry_run: false });
    expect(await node.sweep({ dry_run: true, scope: 'company' })).to.include({ scanned: 0, decayed: 0 });
    await node.stop();
  });

  it('uses the settings of the node', async () => {
    const node = await startDecayNode({ env: { SVC_DECAY_TTL_SECONDS: '3600', SVC_DECAY_MIN_CONFIDENCE: '0.2' } });
    await node.say({ entity: 'user:unsure', confidence: 0.1 });
    await node.say({ entity: 'user:old', timestamp: '2020-01-01T00:00:00Z' });
    await node.say({ entity: 'user:new' });
    // A rule in the request disables the defaults.
    expect(await node.sweep({ min_confidence: 0.05, dry_run: true })).to.include({ decayed: 0 });
    expect(await node.sweep()).to.include({ scanned: 3, decayed: 2 });
    expect(await node.shown()).to.deep.equal(['user:new']);
    await node.stop();
  });
});
