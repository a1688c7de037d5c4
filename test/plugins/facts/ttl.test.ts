import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody, storedFacts } from './fact-bodies.ts';

forEachStore('a time-to-live', () => {
  let node: TestNode;
  let key: string;

  beforeEach(async () => {
    node = await startTestNode({ plugins: ['facts'] });
    key = await node.addKey();
  });

  afterEach(() => node.stop());

  const assert = async (changes: Record<string, unknown> = {}, as = key) =>
    node.request('POST', '/v1/facts', { key: as, body: factBody(changes) });
  const ttl = (entity: string, v: unknown, as = key, changes: Record<string, unknown> = {}) =>
    assert({ entity, relation: 'svc:ttl', value: { type: 'datetime', v }, scope: 'local', ...changes }, as);
  const isShown = async (id: string, query = ''): Promise<boolean> => {
    const { body } = await node.request('GET', `/v1/facts?entity=user:alice${query}`, { key });
    return body.facts.some((fact: { id: string }) => fact.id === id);
  };

  it('ends a fact, named by its bare id or as a fact entity', async () => {
    const bare = (await assert()).body;
    expect((await ttl(bare.id, '2026-03-02T09:00:10Z')).status).to.equal(201);
    const other = (await assert({ relation: 'memory:title' })).body;
    expect((await ttl(`svc:fact:${other.id}`, '2026-03-02T11:00:10+02:00')).status).to.equal(201);
    for (const { id } of [bare, other]) expect(await isShown(id)).to.equal(true);
    await node.clock.advance(10_000);
    for (const { id } of [bare, other]) {
      expect(await isShown(id)).to.equal(false);
      expect(await isShown(id, '&include_expired=true')).to.equal(true);
      expect((await node.request('GET', `/v1/facts/${id}`, { key })).status).to.equal(200);
    }
  });

  it('applies if it is the newest one, and can make an expired fact live again', async () => {
    const { id } = (await assert()).body;
    await ttl(id, '2026-03-02T08:00:00Z');
    expect(await isShown(id)).to.equal(false);
    await ttl(`svc:fact:${id}`, '2026-03-03T08:00:00Z');
    expect(await isShown(id)).to.equal(true);
    await ttl(id, '2026-03-02T08:00:00Z');
    expect(await isShown(id), 'the first one again').to.equal(false);
  });

  it('stores nothing when it repeats the current expiry', async () => {
    const { id } = (await assert()).body;
    const first = await ttl(id, '2026-03-02T10:00:00Z');
    expect((await ttl(id, '2026-03-02T10:00:00Z')).body.id).to.equal(first.body.id);
    expect(await storedFacts(node)).to.equal(2);
  });

  it('applies with its last value if a batch changes it several times', async () => {
    const { id } = (await assert()).body;
    const item = (v: string) =>
      factBody({ entity: id, relation: 'svc:ttl', value: { type: 'datetime', v }, scope: 'local' });
    const [past, future] = ['2026-03-02T08:00:00Z', '2026-03-03T08:00:00Z'];
    const body = [item(past), item(future), item(future), item(past)];
    const reply = await node.request('POST', '/v1/facts/batch', { key, body });
    const ids = reply.body.results.map(({ fact }: { fact: { id: string } }) => fact.id);
    expect(new Set(ids).size).to.equal(3);
    expect(await isShown(id)).to.equal(false);
  });

  it('never lets a fact live beyond its valid_until', async () => {
    const { id } = (await assert({ valid_until: '2026-03-02T09:00:10Z' })).body;
    await ttl(id, '2027-01-01T00:00:00Z');
    await node.clock.advance(10_000);
    expect(await isShown(id)).to.equal(false);
  });

  it('must be a datetime, and cannot be retracted', async () => {
    const { id } = (await assert()).body;
    for (const value of [{ type: 'string', v: '2027-01-01T00:00:00Z' }, { type: 'null' }, { type: 'number', v: 5 }]) {
      const reply = await assert({ entity: id, relation: 'svc:ttl', value });
      expect([reply.status, reply.body.code]).to.deep.equal([422, 'validation']);
    }
    expect((await ttl(id, '2027-01-01T00:00:00Z', key, { confidence: 0 })).status).to.equal(422);
    expect((await ttl(id, '2027-01-01')).status).to.equal(201);
  });

  it('may be set by the asserter of the fact and by an admin', async () => {
    const { id } = (await assert()).body;
    const other = await node.addKey({ entityUri: 'agent:other' });
    const refused = await ttl(id, '2026-03-02T08:00:00Z', other);
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'authorization']);
    expect(await isShown(id)).to.equal(true);
    const admin = await node.addKey({ entityUri: 'agent:admin', permissions: ['write', 'admin'] });
    expect((await ttl(id, '2026-03-02T08:00:00Z', admin)).status).to.equal(201);
    expect(await isShown(id)).to.equal(false);
  });

  it('is refused with 404 for a hidden fact, as for an unknown one', async () => {
    const { id } = (await assert()).body;
    const narrow = await node.addKey({ permissions: ['write', 'admin'], scopes: ['local'] });
    const hidden = await ttl(id, '2026-03-02T08:00:00Z', narrow);
    const unknown = await ttl('5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11', '2026-03-02T08:00:00Z', narrow);
    for (const reply of [hidden, unknown]) {
      expect([reply.status, reply.body.code]).to.deep.equal([404, 'lookup']);
    }
    expect(hidden.body.detail).to.equal(unknown.body.detail);
    expect(await isShown(id)).to.equal(true);
  });

  it('is refused to plugins too, except for facts of the node itself', async () => {
    const { id } = (await assert()).body;
    const caller = {
      kind: 'key',
      entityUri: 'agent:other',
      permissions: new Set(['write']),
      allowedScopes: new Set(['local']),
      tenantId: 'default',
      keyId: null,
      oidcSub: null,
    } as const;
    const value = { type: 'datetime', v: '2026-03-02T08:00:00Z', interpretAs: 'content' } as const;
    const draft = {
      entity: id,
      relation: 'svc:ttl',
      value,
      source: 'agent:other',
      confidence: 1,
      scope: 'local',
    } as const;
    // biome-ignore lint/suspicious/noExplicitAny: literal sets are narrower than a principal's
    expect(await rejection(node.facts.append(draft, caller as any))).to.include({ code: 'lookup' });
    expect(await isShown(id)).to.equal(true);
    await node.facts.append({ ...draft, source: 'system:svc' }, caller as never, { origin: 'plugin' });
    expect(await isShown(id)).to.equal(false);
  });
});
