import { expect } from 'chai';
import fc from 'fast-check';
import type { OutboxEvent } from '../../../plugins/subscriptions/event-row.ts';
import { LEASE_MS, type Outcome, PROBE_INTERVAL_MS } from '../../../plugins/subscriptions/outbox-store.ts';
import type { Subscription } from '../../../plugins/subscriptions/subscription-record.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { type OpenOutbox, openOutbox, TENANT, THRESHOLD } from './open-outbox.ts';

const AGAIN: Outcome = { kind: 'failed', pauseMs: 5_000 };
const DAY_MS = 86_400_000;
const DONE: Outcome = { kind: 'delivered' };
/** The number of property runs; lower than usual because each run writes a dozen transactions. */
const STORED_RUNS = Math.ceil(RUNS / 4);

forEachStore('the queue of deliveries', (store) => {
  let opened: OpenOutbox;
  before(async () => {
    opened = await openOutbox(store);
  });
  after(() => opened.close());

  const settle = (event: OutboxEvent, outcome: Outcome) => opened.outbox.settle(TENANT, [{ event, outcome }]);
  const one = async (subscription: Subscription): Promise<OutboxEvent> => {
    await opened.queue(subscription);
    const [event] = (await opened.claimDue()).filter(({ subscriptionId }) => subscriptionId === subscription.id);
    return event as OutboxEvent;
  };

  it('gives an event to one of several workers, and to another one when the claim has expired', async () => {
    const subscription = await opened.subscription();
    await opened.queue(subscription);
    const seen = await opened.outbox.due(100, []);
    const first = await opened.outbox.claim(TENANT, seen);
    expect(await opened.outbox.claim(TENANT, seen)).to.deep.equal([]);
    expect(await opened.claimDue()).to.deep.equal([]);
    opened.nowMs += LEASE_MS;
    const second = await opened.claimDue();
    expect(second.map(({ id }) => id)).to.deep.equal(first.map(({ id }) => id));
    await settle(first[0] as OutboxEvent, AGAIN);
    expect((await opened.events(subscription))[0]).to.include({ status: 'delivering', attempts: 2 });
    await settle(second[0] as OutboxEvent, DONE);
    expect((await opened.events(subscription))[0]).to.include({ status: 'delivered', dueMs: null });
  });

  it('retries a failed event after its pause, under the same id', async () => {
    const subscription = await opened.subscription();
    const event = await one(subscription);
    await settle(event, AGAIN);
    opened.nowMs += 4_999;
    expect(await opened.claimDue()).to.deep.equal([]);
    opened.nowMs += 1;
    const [again] = await opened.claimDue();
    expect(again).to.include({ id: event.id, attempts: 2 });
    await settle(again as OutboxEvent, { kind: 'failed', pauseMs: undefined });
    expect((await opened.events(subscription))[0]).to.include({ status: 'failed', dueMs: null });
  });

  it('does not count an attempt that could not be sent', async () => {
    const subscription = await opened.subscription();
    await settle(await one(subscription), { kind: 'untried', pauseMs: 0 });
    expect((await opened.events(subscription))[0]).to.include({ status: 'pending', attempts: 0 });
    await settle((await opened.claimDue())[0] as OutboxEvent, DONE);
  });

  it('stops deliveries to a failing webhook, probes it once a minute, and resumes after a success', async () => {
    const subscription = await opened.subscription();
    for (let n = 0; n < THRESHOLD; n += 1)
      await settle(await one(subscription), { kind: 'failed', pauseMs: undefined });
    expect((await opened.read(subscription)).probeMs).to.equal(opened.nowMs + PROBE_INTERVAL_MS);
    for (let n = 0; n < 3; n += 1) await opened.queue(subscription);
    expect(await opened.claimDue()).to.deep.equal([]);
    opened.nowMs += PROBE_INTERVAL_MS;
    const probe = await opened.claimDue();
    expect(probe).to.have.length(1);
    await settle(probe[0] as OutboxEvent, AGAIN);
    expect(await opened.claimDue()).to.deep.equal([]);
    opened.nowMs += PROBE_INTERVAL_MS;
    const next = await opened.claimDue();
    expect(next).to.have.length(1);
    await settle(next[0] as OutboxEvent, DONE);
    expect(await opened.read(subscription)).to.include({ probeMs: null, failures: 0 });
    const rest = await opened.claimDue();
    expect(rest).to.have.length(2);
    await opened.outbox.settle(
      TENANT,
      rest.map((event) => ({ event, outcome: DONE })),
    );
  });

  it('waits for no time of a clock that was ahead and is set back', async () => {
    const [claimed, failed, resting] = [
      await opened.subscription(),
      await opened.subscription(),
      await opened.subscription(),
    ];
    opened.nowMs += DAY_MS;
    await one(claimed);
    await settle(await one(failed), AGAIN);
    for (let n = 0; n < THRESHOLD; n += 1) await settle(await one(resting), { kind: 'failed', pauseMs: undefined });
    for (let n = 0; n < 2; n += 1) await opened.queue(resting);
    expect(await opened.claimDue()).to.deep.equal([]);
    opened.nowMs -= DAY_MS;
    const due = await opened.claimDue();
    const ids = due.map(({ subscriptionId }) => subscriptionId);
    expect(ids).to.have.members([claimed, failed, resting].map(({ id }) => id));
    expect(await opened.outbox.due(100, []), 'the others wait for the probe').to.deep.equal([]);
    for (const event of due) await settle(event, DONE);
    expect((await opened.claimDue()).map(({ subscriptionId }) => subscriptionId)).to.deep.equal([resting.id]);
  });

  it('delivers or cancels each event, for any timing of claims, crashes, reports and a revocation', async () => {
    const step = fc.constantFrom('claim', 'crash', 'deliver', 'fail', 'late', 'revoke' as const);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const subscription = await opened.subscription();
        await opened.queue(subscription);
        let held: OutboxEvent | undefined;
        let lost: OutboxEvent | undefined;
        let isRevoked = false;
        let sent = 0;
        const claim = async () => {
          held = (await opened.claimDue()).find(({ subscriptionId }) => subscriptionId === subscription.id) ?? held;
          expect(isRevoked && held !== undefined, 'claimed after the end').to.equal(false);
        };
        for (const name of [...steps, 'crash', 'claim', 'deliver'] as const) {
          if (name === 'claim') await claim();
          if (name === 'crash') {
            lost = held ?? lost;
            held = undefined;
            opened.nowMs += LEASE_MS;
          }
          if (name === 'late' && lost !== undefined) await settle(lost, AGAIN);
          if (name === 'revoke') {
            await opened.subscriptions.revoke(subscription);
            isRevoked = true;
            lost = held ?? lost;
            held = undefined;
          }
          if (held === undefined || (name !== 'deliver' && name !== 'fail')) continue;
          sent += name === 'deliver' ? 1 : 0;
          await settle(held, name === 'deliver' ? DONE : AGAIN);
          held = undefined;
          opened.nowMs += PROBE_INTERVAL_MS;
        }
        const [event, ...terminal] = await opened.events(subscription);
        const expected = sent > 0 ? 'delivered' : 'dropped';
        expect([event?.status, event?.dueMs]).to.deep.equal([expected, null]);
        expect(sent > 0 || isRevoked, 'neither delivered nor cancelled').to.equal(true);
        expect(terminal.map(({ type }) => type)).to.deep.equal(
          isRevoked ? ['subscription_cancelled_access_revoked'] : [],
        );
      }),
      { numRuns: STORED_RUNS },
    );
  });

  it('ends a subscription only if its rights were not renewed since the check', async () => {
    const judged = await opened.subscription();
    const event = await one(judged);
    const rights = { confirm: async () => {}, keyFor: async () => judged.keyId };
    await opened.subscriptions.create({ ...judged, id: 'again', tokenId: 'fresh' }, [judged.contentDigest], rights);
    await settle(event, { kind: 'revoked', judged });
    expect(await opened.read(judged)).to.include({ status: 'active', tokenId: 'fresh' });
    const [again] = await opened.claimDue();
    expect(again).to.include({ id: event.id, attempts: 1 });
    await settle(again as OutboxEvent, { kind: 'revoked', judged: await opened.read(judged) });
    expect(await opened.read(judged)).to.include({ status: 'cancelled', cancelledReason: 'access_revoked' });
    expect((await opened.events(judged))[0]).to.include({ status: 'dropped', dueMs: null });
  });

  it('deletes only events older than the given time', async () => {
    const subscription = await opened.subscription();
    await opened.queue(subscription);
    const cutMs = opened.nowMs + 1;
    opened.nowMs += 1_000;
    await opened.queue(subscription);
    while ((await opened.outbox.removeOld(cutMs, 100)) === 100);
    expect(await opened.events(subscription)).to.have.length(1);
  });

  it('deletes old events behind younger ones that a clock far ahead has dated', async () => {
    const subscription = await opened.subscription();
    const startMs = opened.nowMs;
    opened.nowMs += 365 * DAY_MS;
    for (let n = 0; n < 3; n += 1) await opened.queue(subscription);
    opened.nowMs = startMs;
    await opened.queue(subscription);
    for (let day = 0; day < 2; day += 1) {
      while ((await opened.outbox.removeOld(opened.nowMs, 2)) === 2);
      opened.nowMs += DAY_MS;
    }
    while ((await opened.outbox.removeOld(opened.nowMs, 2)) === 2);
    expect(await opened.events(subscription)).to.deep.equal([]);
  });
});
