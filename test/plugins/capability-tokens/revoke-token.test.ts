import { expect } from 'chai';
import { FactStore } from '../../../ports/ports.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { pluginStore } from '../../kit/plugin-store.ts';
import { holder, onEntity, PATH, startTokenNode, type TokenNode } from './token-node.ts';

forEachStore('revoking a capability token', () => {
  let node: TokenNode;
  let other: TokenNode;
  before(async () => {
    const clock = createManualClock();
    node = await startTokenNode({ clock });
    other = await startTokenNode({ clock, folder: node.folder, random: createSeededRandom(2) });
  });
  after(async () => {
    await other?.stop();
    await node?.stop();
  });

  const idOf = (text: string): string => JSON.parse(text).token_id;
  const revoke = (id: string, key: string, body?: unknown) =>
    node.request('POST', `${PATH}/${id}/revoke`, { key, ...(body === undefined ? {} : { body }) });

  it('takes effect at once in every process, and returns the time', async () => {
    // Both nodes read the same key file, as two processes of one node do.
    const text = await node.issue();
    const holds = () =>
      pluginStore(other.kernel.get(FactStore)).read((at) =>
        other.tokens.stillHolds(idOf(text), onEntity(), holder(), at),
      );
    expect([await other.refusal(text), await holds()]).to.deep.equal(['none', true]);
    const { status, body } = await revoke(idOf(text), node.mine, { reason: 'left the team' });
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      token_id: idOf(text),
      revoked_at: new Date(node.clock.nowMs()).toISOString(),
      status: 'revoked',
    });
    const revoked = 'capability_invalid: token_revoked: it was revoked';
    expect([await node.refusal(text), await other.refusal(text), await holds()]).to.deep.equal([
      revoked,
      revoked,
      false,
    ]);
    const seen = await other.request('POST', `${PATH}/verify`, { key: other.mine, body: { token_json: text } });
    expect(seen.body).to.include({ valid: false, reason: 'token_revoked' });
  });

  it('is noticed by a write that checks the token again before it commits', async () => {
    const text = await node.issue();
    await node.tokens.verify(text, onEntity(), holder());
    await revoke(idOf(text), node.ops);
    const held = await pluginStore(node.kernel.get(FactStore)).write('default', (transaction) =>
      node.tokens.stillHolds(idOf(text), onEntity(), holder(), transaction),
    );
    expect(held).to.equal(false);
  });

  it('is allowed to the issuer, the subject and an admin; for others the token does not exist', async () => {
    const stranger = await node.addKey({ entityUri: 'agent:stranger' });
    const second = await node.addKey({ entityUri: 'agent:second', permissions: ['read', 'write', 'admin'] });
    const refused = await revoke(idOf(await node.issue()), stranger);
    const unknown = await revoke('no-such-token', stranger);
    expect([refused.status, unknown.status]).to.deep.equal([404, 404]);
    expect(refused.body.detail).to.equal(unknown.body.detail);
    for (const key of [node.ops, node.mine, second]) {
      expect((await revoke(idOf(await node.issue()), key)).status).to.equal(200);
    }
  });

  it('replies 409 the second time, and 422 for a reason that is too long', async () => {
    const id = idOf(await node.issue());
    expect((await revoke(id, node.ops, { reason: 'x'.repeat(1_025) })).status).to.equal(422);
    expect((await revoke(id, node.ops, { reason: null })).status).to.equal(200);
    const { status, body } = await revoke(id, node.ops);
    expect([status, body.code]).to.deep.equal([409, 'conflict']);
  });

  it('requires write, while the list of tokens requires read', async () => {
    const writer = await node.addKey({ entityUri: 'agent:me', permissions: ['write'] });
    const reader = await node.addKey({ entityUri: 'agent:me', permissions: ['read'] });
    expect((await node.request('GET', PATH, { key: writer })).status).to.equal(403);
    expect((await revoke(idOf(await node.issue()), reader)).status).to.equal(403);
  });
});

forEachStore('the list of capability tokens', () => {
  let node: TokenNode;
  before(async () => {
    node = await startTokenNode({ settings: { 'multi-tenant': { enabled: true } } });
  });
  after(() => node?.stop());

  const listed = async (key: string, query = '') => (await node.request('GET', `${PATH}${query}`, { key })).body;

  it('shows tokens that the caller issued or holds, all to an admin, newest first, without their text', async () => {
    const texts: string[] = [];
    for (const subject of ['agent:me', 'agent:other', 'agent:me']) {
      await node.clock.advance(1_000);
      texts.push(await node.issue({ subject, ttl_seconds: 60 }));
    }
    const ids = texts.map((text) => JSON.parse(text).token_id).reverse();
    const mine = await listed(node.mine);
    expect([mine.total, mine.tokens.map((token: { token_id: string }) => token.token_id)]).to.deep.equal([
      2,
      [ids[0], ids[2]],
    ]);
    expect(Object.keys(mine.tokens[0]).sort()).to.deep.equal(
      ['expiry', 'issued_at', 'issuer', 'object', 'revoked_at', 'status', 'subject', 'token_id', 'verb'].sort(),
    );
    expect((await listed(node.ops)).total).to.equal(3);
    expect((await listed(await node.addKey({ entityUri: 'agent:nobody' }))).tokens).to.deep.equal([]);
    await node.request('POST', `${PATH}/${ids[0]}/revoke`, { key: node.mine });
    await node.clock.advance(58_500);
    const states = (await listed(node.ops)).tokens.map(({ status }: { status: string }) => status);
    expect(states).to.deep.equal(['revoked', 'active', 'expired']);
  });

  it('is paginated', async () => {
    const first = await listed(node.ops, '?limit=2');
    const rest = await listed(node.ops, `?limit=2&cursor=${first.cursor}`);
    const ids = [...first.tokens, ...rest.tokens].map((token: { token_id: string }) => token.token_id);
    expect([new Set(ids).size, first.total, rest.cursor]).to.deep.equal([3, 3, null]);
    expect((await node.request('GET', `${PATH}?limit=0`, { key: node.ops })).status).to.equal(400);
  });

  it('contains no tokens of other tenants, which can be neither used nor revoked', async () => {
    const permissions = ['read', 'write', 'admin'] as const;
    const far = await node.addKey({ entityUri: 'agent:ops', permissions, tenantId: 'far' });
    const text = await node.issue();
    const { token_id: id } = JSON.parse(text);
    expect(await listed(far)).to.deep.include({ tokens: [], total: 0 });
    expect((await node.request('POST', `${PATH}/${id}/revoke`, { key: far })).status).to.equal(404);
    const { body } = await node.request('POST', `${PATH}/verify`, { key: far, body: { token_json: text } });
    expect(body).to.include({ valid: false, reason: 'token_invalid' });
    expect(await node.refusal(text)).to.equal('none');
    const made = await node.request('POST', PATH, {
      key: far,
      body: { issuer: 'agent:ops', subject: 'agent:me', verb: 'subscribe', object: 'svc://facts' },
    });
    expect(await node.refusal(made.body.token_json)).to.equal(
      'capability_invalid: token_invalid: unknown to this node',
    );
  });
});
