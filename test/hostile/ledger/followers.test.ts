import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import {
  ATLAS,
  type SubscribedNode,
  startSubscribedNode,
  verifySignature,
} from '../../plugins/subscriptions/subscribed-node.ts';

interface Event {
  readonly event_id: string;
  readonly fact_id: string;
}

forEachStore('An attacker tries to hide facts from readers of the feed', () => {
  let subscribed: SubscribedNode;
  beforeEach(async () => {
    subscribed = await startSubscribedNode();
  });
  afterEach(() => subscribed.stop());

  it('by commits while a page is read: an eager reader sees every fact once, in order (I7)', async () => {
    const WRITERS = 8;
    const EACH = 6;
    const { body } = await subscribed.subscribe(ATLAS);
    let isWritten = false;
    const write = async (writer: number): Promise<string[]> => {
      const ids: string[] = [];
      for (let n = 0; n < EACH; n += 1) {
        ids.push((await subscribed.assert({ relation: `memory:${writer}-${n}` })).body.id);
      }
      return ids;
    };
    const follow = async (): Promise<Event[]> => {
      const seen: Event[] = [];
      for (;;) {
        const wasWritten = isWritten;
        const last = seen.at(-1)?.event_id;
        const page = await subscribed.replay(body.id, `?limit=3${last === undefined ? '' : `&after=${last}`}`);
        seen.push(...page.body.events);
        if (wasWritten && page.body.events.length === 0) return seen;
        // Yields, because a store that answers synchronously would block the writers of this process.
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const following = follow();
    const written = await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    isWritten = true;
    const seen = (await following).map(({ fact_id }) => fact_id);
    expect([...seen].sort()).to.deep.equal(written.flat().sort());
    for (const ids of written) expect(seen.filter((id) => ids.includes(id))).to.deep.equal(ids);
  });

  it('by a webhook receiver that fails and recovers: each event arrives, under one id and with a valid signature (I8, I18)', async () => {
    const { body } = await subscribed.subscribe(ATLAS);
    let failures = 1;
    subscribed.answer = () => ({ status: failures-- > 0 ? 503 : 200, headers: {} });
    const fact = await subscribed.assert();
    await subscribed.sent(1);
    // The pause before the second attempt follows the database clock: five seconds that no test can skip.
    await subscribed.sent(2);
    expect(new Set(subscribed.attempts.map(({ id }) => id)).size).to.equal(1);
    for (const attempt of subscribed.attempts) {
      verifySignature(body.secret, attempt);
      expect(attempt.body.fact_id).to.equal(fact.body.id);
    }
  });

  it('by forged positions: each is refused, and none moves the reader (I17)', async () => {
    const { body } = await subscribed.subscribe(ATLAS);
    const first = await subscribed.assert();
    const other = await subscribed.subscribe('scope:company', { idempotency_key: 'other' });
    await subscribed.assert({ relation: 'memory:second' });
    const foreign = (await subscribed.replay(other.body.id)).body.events[0].event_id;
    for (const after of ['0', '999999999', foreign, '7d0f0d5c-6d0e-4a53-a3a7-6f0d6a3f1d77', '../../x']) {
      const reply = await subscribed.replay(body.id, `?after=${encodeURIComponent(after)}`);
      expect([reply.status, reply.body.code], after).to.deep.equal([404, 'event_not_found']);
    }
    for (const cursor of ['', 'AAAA', `${Buffer.from('{"at":0}').toString('base64url')}`]) {
      const reply = await subscribed.replay(body.id, `?cursor=${cursor}`);
      expect([reply.status, reply.body.code], cursor).to.deep.equal([400, 'invalid_cursor']);
    }
    expect((await subscribed.replay(body.id)).body.events[0].fact_id).to.equal(first.body.id);
  });
});
