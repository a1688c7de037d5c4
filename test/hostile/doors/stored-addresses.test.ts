import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FactStore } from '../../../ports/ports.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { storedText } from '../../kit/stored-text.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import {
  ATLAS,
  HOOK_URL,
  type SubscribedNode,
  startSubscribedNode,
} from '../../plugins/subscriptions/subscribed-node.ts';

const SECRET = 'canary-of-the-address';
const URL_WITH_SECRET = `${HOOK_URL}?token=${SECRET}`;
const RECORDS = 'subscriptions_records';
const KEY_OF_NODE = Buffer.alloc(32, 9).toString('base64url');
const OTHER_KEY = Buffer.alloc(32, 8).toString('base64url');

forEachStore('An attacker searches the store, or a backup of it, for secrets in webhook addresses (I19)', () => {
  let folder: string;
  let node: SubscribedNode;
  const clock = createManualClock();
  const random = createSeededRandom();

  const start = (privateKey = KEY_OF_NODE) =>
    startSubscribedNode({ folder, clock, random, settings: { 'node-info': { privateKey } } });
  const _restart = async (privateKey?: string): Promise<void> => {
    await node.stop();
    node = await start(privateKey);
  };
  const store = () => node.node.kernel.get(FactStore);
  const subscribe = (members: object = {}) => node.subscribe(ATLAS, { webhook_url: URL_WITH_SECRET, ...members });
  const show = async (id: string) =>
    (await node.node.request('GET', `/v1/subscriptions/${id}`, { key: node.key })).body;
  const _alter = (values: Record<string, string | null>) =>
    store().write('default', async (transaction) => {
      await transaction.table(RECORDS).update(values);
    });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'addresses-'));
    node = await start();
  });
  afterEach(async () => {
    await node.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('finds neither the address nor a guessable digest of it; deliveries still work and the owner sees the address', async () => {
    const { status, body } = await subscribe();
    expect([status, body.webhook_url, body.delivery_address]).to.deep.equal([201, URL_WITH_SECRET, URL_WITH_SECRET]);
    expect(await show(body.id)).to.include({ webhook_url: URL_WITH_SECRET, status: 'active' });
    await node.assert();
    await node.sent(1);
    await node.settled();
    const stored = await storedText(store());
    expect(stored).to.include(body.id).and.not.include(SECRET).and.not.include(HOOK_URL).and.not.include(body.secret);
    const digest = createHash('sha256')
      .update(JSON.stringify([`e:${ATLAS}`, 'webhook', URL_WITH_SECRET]))
      .digest('hex');
    expect(stored).not.to.include(digest);
  });

  it('finds neither after a repeated subscription request, which still returns the existing subscription', async () => {
    const first = await subscribe();
    expect([(await subscribe()).status, (await subscribe()).body.id]).to.deep.equal([200, first.body.id]);
    const keyed = await subscribe({ idempotency_key: 'k' });
    expect((await subscribe({ idempotency_key: 'k' })).body.id).to.equal(keyed.body.id);
    const other = await subscribe({ idempotency_key: 'k', webhook_url: `${URL_WITH_SECRET}2` });
    expect([other.status, other.body.code]).to.deep.equal([422, 'idempotency_mismatch']);
    expect((await subscribe({ webhook_url: `${URL_WITH_SECRET}2` })).status).to.equal(201);
    expect(await storedText(store())).not.to.include(SECRET);
  });
});

forEachStore('The key of a node changes, and its subscriptions remain (I19, I22)', () => {
  let folder: string;
  let node: SubscribedNode;
  const clock = createManualClock();
  const random = createSeededRandom();
  const start = (privateKey: string) =>
    startSubscribedNode({ folder, clock, random, settings: { 'node-info': { privateKey } } });
  const show = async (id: string) =>
    (await node.node.request('GET', `/v1/subscriptions/${id}`, { key: node.key })).body;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'node-key-'));
    node = await start(KEY_OF_NODE);
  });
  afterEach(async () => {
    await node.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('shows the problem in each subscription, sends nothing, and resumes once the old key is back', async () => {
    const { body } = await node.subscribe(ATLAS);
    await node.stop();
    node = await start(OTHER_KEY);
    expect(await show(body.id)).to.include({
      status: 'active',
      webhook_url: null,
      delivery_address: null,
      delivery_problem: 'secret_unreadable',
    });
    const listed = await node.node.request('GET', '/v1/subscriptions', { key: node.key });
    expect(listed.body.subscriptions[0]).to.include({ delivery_problem: 'secret_unreadable' });
    await node.assert();
    await waitUntil('the delivery was tried', 10_000, async () => {
      await clock.advance(1_000);
      return node.node.logLines.some(({ message }) => message.startsWith('a webhook could not be signed'));
    });
    expect(node.attempts).to.deep.equal([]);

    await node.stop();
    node = await start(KEY_OF_NODE);
    expect(await show(body.id))
      .to.include({ webhook_url: HOOK_URL })
      .and.not.have.property('delivery_problem');
    // The pause follows the database clock, which no test controls.
    const skipPause = () =>
      node.node.kernel.get(FactStore).write('default', async (transaction) => {
        await transaction.table('subscriptions_events').where({ status: 'pending' }).update({ due_ms: 0 });
      });
    await skipPause();
    await clock.advance(1_000);
    await node.sent(1);
  });

  it('lets the owner create the subscription again', async () => {
    const { body } = await node.subscribe(ATLAS);
    await node.stop();
    node = await start(OTHER_KEY);
    const again = await node.subscribe(ATLAS);
    expect([again.status, again.body.webhook_url]).to.deep.equal([201, HOOK_URL]);
    expect(again.body.id).not.to.equal(body.id);
    await node.assert();
    await node.sent(1);
  });
});
