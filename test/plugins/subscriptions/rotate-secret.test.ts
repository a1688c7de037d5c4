import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { FactStore } from '../../../ports/ports.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { ATLAS, type Attempt, type SubscribedNode, startSubscribedNode } from './subscribed-node.ts';

const MINUTE_S = 60;

/** Returns whether the Standard Webhooks library accepts the signature, as in a receiver. */
const isGood = (secret: string, { headers, text }: Attempt): boolean => {
  try {
    new Webhook(secret).verify(text, { ...headers });
    return true;
  } catch {
    return false;
  }
};

forEachStore('the secret of a webhook', () => {
  let at: SubscribedNode;
  let id: string;
  let first: string;
  beforeEach(async () => {
    // The Standard Webhooks library checks the age of a signature by the system clock.
    at = await startSubscribedNode({ clock: createManualClock(Date.now()) });
    const { body } = await at.subscribe(ATLAS);
    ({ id, secret: first } = body);
  });
  afterEach(() => at.stop());

  const rotate = (body?: object, key = at.key) =>
    at.node.request('POST', `/v1/subscriptions/${id}/rotate-secret`, { key, ...(body && { body }) });
  const shown = async () => (await at.node.request('GET', `/v1/subscriptions/${id}`, { key: at.key })).body;
  const delivered = async (): Promise<Attempt> => {
    const count = at.attempts.length + 1;
    await at.assert({ value: { type: 'number', v: count } });
    await at.sent(count);
    return at.attempts.at(-1) as Attempt;
  };
  const stored = async (): Promise<Record<string, unknown>> => {
    const rows = await at.node.kernel.get(FactStore).read(async (read) => read.table('subscriptions_records').select());
    return rows[0] as Record<string, unknown>;
  };

  it('is replaced without interruption: both secrets sign until the overlap ends, the newer one first', async () => {
    const { status, body } = await rotate({ overlap_s: MINUTE_S });
    expect(status).to.equal(200);
    expect(body).to.include({ id, status: 'active' });
    expect(body.secret)
      .to.match(/^whsec_/)
      .and.not.to.equal(first);
    expect(Date.parse(body.former_secret_ends_at)).to.equal(at.node.clock.nowMs() + MINUTE_S * 1000);
    expect(await shown())
      .to.include({ former_secret_ends_at: body.former_secret_ends_at })
      .and.not.have.key('secret');

    const during = await delivered();
    expect([isGood(first, during), isGood(body.secret, during)]).to.deep.equal([true, true]);
    const [newest, former] = (during.headers['webhook-signature'] ?? '').split(' ');
    const signedBy = (signature = '') => ({
      ...during,
      headers: { ...during.headers, 'webhook-signature': signature },
    });
    expect([isGood(body.secret, signedBy(newest)), isGood(first, signedBy(former))]).to.deep.equal([true, true]);

    await at.node.clock.advance(MINUTE_S * 1000);
    const after = await delivered();
    expect([isGood(first, after), isGood(body.secret, after)]).to.deep.equal([false, true]);
    expect(await shown()).not.to.have.property('former_secret_ends_at');
  });

  it('signs together with its successor for a day by default, and is then deleted', async () => {
    const { body } = await rotate();
    expect(Date.parse(body.former_secret_ends_at)).to.equal(at.node.clock.nowMs() + 86_400_000);
    const { former_secrets: sealed } = await stored();
    expect(sealed).to.be.a('string').and.not.to.contain(first.slice(6, 40));
    at.node.clock.setNowMs(at.node.clock.nowMs() + 86_400_000);
    await comesTrue(async () => {
      await at.node.clock.advance(10_000);
      return (await stored())['former_secrets'] === null;
    });
    expect(await stored()).to.include({ former_until_ms: null });
  });

  it('can be replaced several times without shortening an earlier overlap', async () => {
    const second = (await rotate({ overlap_s: 2 * MINUTE_S })).body.secret;
    const third = (await rotate({ overlap_s: MINUTE_S })).body.secret;
    const all = await delivered();
    expect([first, second, third].map((secret) => isGood(secret, all))).to.deep.equal([true, true, true]);
    await at.node.clock.advance(MINUTE_S * 1000);
    const later = await delivered();
    expect([first, second, third].map((secret) => isGood(secret, later))).to.deep.equal([true, false, true]);

    await rotate({ overlap_s: MINUTE_S });
    await rotate({ overlap_s: MINUTE_S });
    const tooMany = await rotate({ overlap_s: MINUTE_S });
    expect([tooMany.status, tooMany.body.code]).to.deep.equal([409, 'limit_reached']);
    const last = await rotate({ overlap_s: 0 });
    expect(last.body).not.to.have.property('former_secret_ends_at');
    const alone = await delivered();
    expect(alone.headers['webhook-signature']).not.to.contain(' ');
    expect(isGood(last.body.secret, alone)).to.equal(true);
  });

  it('is replaced only by the owner, while the subscription is active', async () => {
    const stranger = await rotate({}, at.admin);
    const unknown = await at.node.request('POST', '/v1/subscriptions/none/rotate-secret', { key: at.admin });
    expect([stranger.status, stranger.body.detail]).to.deep.equal([404, unknown.body.detail]);
    for (const overlap_s of [-1, 0.5, 2_592_001, '60']) expect((await rotate({ overlap_s })).status).to.equal(422);
    at.answer = () => ({ status: 410, headers: {} });
    await delivered();
    await comesTrue(async () => {
      await at.node.clock.advance(1_000);
      return (await shown()).status === 'cancelled';
    });
    expect((await rotate()).status).to.equal(409);
  });

  it('still signs after the owner has rotated its API key', async () => {
    const rawKey = 'the-key-that-takes-its-place'.padEnd(40, '.');
    const rotated = await at.node.request('POST', '/v1/auth/keys/current/rotate', {
      key: at.key,
      body: { raw_key: rawKey, overlap_s: 0 },
    });
    expect(rotated.status).to.equal(201);
    expect(isGood(first, await delivered())).to.equal(true);
    const path = `/v1/subscriptions/${id}`;
    expect((await at.node.request('GET', path, { key: rawKey })).body).to.include({ status: 'active' });
  });

  it('leaves an audit entry when it is replaced', async () => {
    const { body } = await rotate({ overlap_s: MINUTE_S });
    const { text } = await at.node.request('GET', '/v1/auth/audit', { key: at.admin });
    expect(text).to.contain('subscription_secret_rotated').and.not.to.contain(body.secret);
  });
});
