import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody } from './fact-bodies.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

forEachStore('the guard of sessions that read and then write', () => {
  let node: TestNode;
  let key: string;

  const start = async (sessionGuard: 'off' | 'enforce') => {
    node = await startTestNode({ plugins: ['facts'], settings: { facts: { sessionGuard } } });
    key = await node.addKey();
  };

  afterEach(() => node.stop());

  const send = (method: string, path: string, session: string | null, body?: unknown, as = key) =>
    node.request(method, path, {
      key: as,
      ...(body === undefined ? {} : { body }),
      ...(session === null ? {} : { headers: { 'Svc-Session': session } }),
    });
  const assert = (session: string | null, changes: Record<string, unknown> = {}, as = key) =>
    send('POST', '/v1/facts', session, factBody(changes), as);
  const write = async (session: string | null, changes: Record<string, unknown> = {}, as = key) => {
    const { status, body } = await assert(session, changes, as);
    return status === 201 ? 201 : `${status} ${body.code}`;
  };
  const REFUSED = '403 feedback_loop_provenance_required';

  it('is off by default', async () => {
    await start('off');
    await assert(null);
    await send('GET', '/v1/facts', 's');
    expect(await write('s', { entity: 'user:b' })).to.equal(201);
  });

  it('refuses writes of a session into a scope from which it has read facts', async () => {
    await start('enforce');
    await assert('s');
    expect(await write('s', { entity: 'user:b' }), 'before it has read').to.equal(201);
    await send('GET', '/v1/facts?entity=user:none', 's');
    expect(await write('s', { entity: 'user:c' }), 'after an empty answer').to.equal(201);
    await send('GET', '/v1/facts', 's');
    expect(await write('s', { entity: 'user:d' })).to.equal(REFUSED);
    expect(await write('s', { entity: 'user:d', scope: 'public' }), 'another scope').to.equal(201);
    expect(await write('t', { entity: 'user:d' }), 'another session').to.equal(201);
    expect(await write(null, { entity: 'user:e' }), 'no session').to.equal(201);
    const other = await node.addKey({ entityUri: 'agent:other' });
    expect(await write('s', { entity: 'user:d' }, other), 'another caller').to.equal(201);
  });

  it('also counts a fact that the session read by its id', async () => {
    await start('enforce');
    const { id } = (await assert(null)).body;
    await send('GET', `/v1/facts/${id}`, 's');
    expect(await write('s', { entity: 'user:b' })).to.equal(REFUSED);
  });

  it('accepts such a write if it is a summary that names a visible fact of the scope', async () => {
    await start('enforce');
    const company = (await assert(null)).body;
    const team = (await assert(null, { scope: 'team' })).body;
    await send('GET', '/v1/facts', 's');
    const summary = (derived_from: unknown[], changes = {}) =>
      write('s', { entity: 'user:sum', write_mode: 'summarize_with_provenance', derived_from, ...changes });
    expect(await summary([])).to.equal(REFUSED);
    expect(await summary([team.cid])).to.equal(REFUSED);
    expect(await summary(['0'.repeat(64)])).to.equal(REFUSED);
    expect(await summary([company.cid], { write_mode: 'assert' })).to.equal(REFUSED);
    expect(await summary([team.cid, { fact_id: company.id }])).to.equal(201);
    expect(await summary([company.cid])).to.equal(201);
    const narrow = await node.addKey({ scopes: ['team'] });
    const blind = { scope: 'team', write_mode: 'summarize_with_provenance', derived_from: [company.cid] };
    expect(await write('s', blind, narrow), 'a fact that the writer cannot see').to.equal(REFUSED);
  });

  it('checks each item of a batch', async () => {
    await start('enforce');
    await assert(null);
    await send('GET', '/v1/facts', 's');
    const items = [factBody({ entity: 'user:b' }), factBody({ entity: 'user:b', scope: 'public' })];
    const { body } = await send('POST', '/v1/facts/batch', 's', items);
    expect(body.results.map(({ status }: { status: number }) => status)).to.deep.equal([403, 201]);
  });

  it('forgets a session a day after its last read', async () => {
    await start('enforce');
    await assert(null);
    await send('GET', '/v1/facts', 's');
    await node.clock.advance(DAY_MS / 2);
    await send('GET', '/v1/facts', 's');
    await node.clock.advance(DAY_MS - 1);
    expect(await write('s', { entity: 'user:b' })).to.equal(REFUSED);
    await node.clock.advance(120_000);
    expect(await write('s', { entity: 'user:b' })).to.equal(201);
  });
});
