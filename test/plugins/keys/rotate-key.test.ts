import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const DAY_S = 86_400;
const LAST_INSTANT = '9999-12-31T23:59:59.999Z';
const raw = (name: string): string => name.padEnd(40, '.');

forEachStore('Rotating an API key', () => {
  let node: TestNode;
  let admin: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['keys', 'audit', 'facts'] });
    admin = await node.addKey({ entityUri: 'agent:ops', permissions: ['read', 'write', 'admin'] });
  });
  afterEach(() => node.stop());

  const register = async (name: string, members: object = {}) => {
    const body = { raw_key: raw(name), entity_uri: 'agent:a', permissions: ['read'], ...members };
    return (await node.request('POST', '/v1/auth/keys', { key: admin, body })).body;
  };
  const rotate = (key: string, id: string, name: string, members: object = {}) =>
    node.request('POST', `/v1/auth/keys/${id}/rotate`, { key, body: { raw_key: raw(name), ...members } });
  const me = async (key: string) => node.request('GET', '/v1/me', { key });
  const good = async (...names: string[]) =>
    Promise.all(names.map(async (name) => (await me(raw(name))).status === 200));

  it('creates a key with the same holder and permissions, and both are valid during the overlap', async () => {
    const former = await register('first', { allowed_scopes: ['public', 'team'], description: 'the indexer' });
    const { status, body } = await rotate(raw('first'), 'current', 'second', { overlap_s: 60 });
    expect(status).to.equal(201);
    expect(body).to.deep.include({
      entity_uri: 'agent:a',
      permissions: ['read'],
      allowed_scopes: former.allowed_scopes,
      description: 'the indexer',
      expires_at: former.expires_at,
    });
    expect(body.replaces.id).to.equal(former.id);
    expect(Date.parse(body.replaces.expires_at)).to.equal(node.clock.nowMs() + 60_000);
    expect(await good('first', 'second')).to.deep.equal([true, true]);
    expect((await me(raw('second'))).body).to.deep.equal((await me(raw('first'))).body);
    await node.clock.advance(60_000);
    expect(await good('first', 'second')).to.deep.equal([false, true]);
  });

  it('and registering one work at the end of the last year, when both keys end with it', async () => {
    node.clock.setNowMs(Date.parse(LAST_INSTANT) - (DAY_S * 1000) / 2);
    const latest = await node.addKey({ entityUri: 'agent:late', permissions: ['read', 'write', 'admin'] });
    const { body: first, status } = await node.request('POST', '/v1/auth/keys', {
      key: latest,
      body: { raw_key: raw('first'), entity_uri: 'agent:a', permissions: ['read'] },
    });
    expect([status, first.expires_at]).to.deep.equal([201, LAST_INSTANT]);
    const rotated = await rotate(latest, first.id, 'second');
    expect([rotated.status, rotated.body.expires_at]).to.deep.equal([201, LAST_INSTANT]);
    expect(await good('first', 'second')).to.deep.equal([true, true]);
  });

  it('keeps the former key for a day by default, never beyond its expiry, and revokes it for 0', async () => {
    const first = await register('first');
    const nowMs = node.clock.nowMs();
    const { replaces } = (await rotate(admin, first.id, 'second')).body;
    expect(Date.parse(replaces.expires_at)).to.equal(nowMs + DAY_S * 1000);
    const soon = await register('soon', { expires_at: new Date(nowMs + 60_000).toISOString() });
    const ended = (await rotate(admin, soon.id, 'later')).body.replaces.expires_at;
    expect(Date.parse(ended)).to.equal(nowMs + 60_000);
    await rotate(raw('second'), 'current', 'third', { overlap_s: 0 });
    expect(await good('second', 'third')).to.deep.equal([false, true]);
  });

  it('keeps the expiry of the former key, unless an administrator rotates the key of another holder', async () => {
    const inTwoDays = () => new Date(node.clock.nowMs() + 2 * DAY_S * 1000).toISOString();
    const own = await register('first', { expires_at: inTwoDays() });
    const other = await register('other', { expires_at: inTwoDays() });
    node.clock.setNowMs(node.clock.nowMs() + DAY_S * 1000);
    expect(Date.parse((await rotate(raw('first'), 'current', 'second')).body.expires_at)).to.equal(
      Date.parse(own.expires_at),
    );
    expect((await rotate(admin, other.id, 'renewed')).body.expires_at).to.equal(inTwoDays());
  });

  it('grants no additional rights, and treats the key of another holder as unknown', async () => {
    const reading = await register('reading');
    const writing = await register('writing', { permissions: ['read', 'write'] });
    const stranger = await register('stranger', { entity_uri: 'agent:b' });
    const more = await rotate(raw('reading'), writing.id, 'stolen');
    expect([more.status, more.body.code]).to.deep.equal([403, 'authorization']);
    expect((await rotate(raw('writing'), reading.id, 'fewer')).status).to.equal(201);
    const foreign = await rotate(raw('writing'), stranger.id, 'foreign');
    const unknown = await rotate(raw('writing'), '00000000-0000-4000-8000-000000000000', 'unknown');
    expect([foreign.status, foreign.body.detail]).to.deep.equal([404, unknown.body.detail]);
    expect(await good('stolen', 'foreign', 'unknown')).to.deep.equal([false, false, false]);
  });

  it('refuses an expired key, a new key that is already known, and too many rotations', async () => {
    const first = await register('first');
    expect((await rotate(raw('first'), 'current', 'first')).status).to.equal(409);
    await node.request('DELETE', `/v1/auth/keys/${first.id}`, { key: admin });
    expect((await rotate(admin, first.id, 'second')).status).to.equal(409);
    await register('key0');
    let last = 201;
    let made = 0;
    for (; last === 201 && made < 30; made += 1) {
      last = (await rotate(raw(`key${made}`), 'current', `key${made + 1}`, { overlap_s: 0 })).status;
    }
    expect([last, made]).to.deep.equal([409, 19]);
    node.clock.setNowMs(node.clock.nowMs() + DAY_S * 1000 + 1);
    expect((await rotate(raw(`key${made - 1}`), 'current', 'next-day')).status).to.equal(201);
  });

  it('records a rotation in the audit log, and leaves the key out', async () => {
    const first = await register('first');
    const { id } = (await rotate(raw('first'), 'current', 'second', { overlap_s: 60 })).body;
    const { entries } = (await node.request('GET', '/v1/auth/audit', { key: admin })).body;
    const text = JSON.stringify(entries);
    expect(text).to.contain('api_key_rotate').and.to.contain(first.id).and.to.contain(id);
    expect(text).not.to.contain(raw('second'));
  });
});
