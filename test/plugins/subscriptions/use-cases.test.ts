import { expect } from 'chai';
import { Authorizer, type Principal } from '../../../kernel/plugin-api.ts';
import {
  type StreamStep,
  type SubscriptionRequest,
  Subscriptions,
} from '../../../plugins/subscriptions/subscriptions-api.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { ATLAS, HOOK_URL, type SubscribedNode, startSubscribedNode } from './subscribed-node.ts';

const codeOf = async (refused: Promise<unknown>): Promise<unknown> => (await rejection(refused))['code'];
const nameOf = (step: StreamStep | undefined) => (typeof step === 'object' ? step.view?.fact.value.v : step);

forEachStore('subscriptions without HTTP', () => {
  let subscribed: SubscribedNode;
  let subscriptions: Subscriptions;
  let owner: Principal;
  let request: SubscriptionRequest;
  beforeEach(async () => {
    subscribed = await startSubscribedNode();
    const { kernel } = subscribed.node;
    subscriptions = kernel.get(Subscriptions);
    owner = (await kernel.get(Authorizer).authenticate(subscribed.key)) as Principal;
    const capabilityToken = (await subscribed.token(ATLAS)).text;
    request = { target: ATLAS, webhookUrl: HOOK_URL, idempotencyKey: 'once', capabilityToken };
  });
  afterEach(() => subscribed.stop());

  it('are created once, listed, read and ended', async () => {
    const made = await subscriptions.create(owner, request);
    expect(made.secret).to.match(/^whsec_/);
    expect(made.subscription).to.deep.include({ target: ATLAS, targetType: 'entity', webhookUrl: HOOK_URL });
    expect(made.subscription).to.not.have.any.keys('secret', 'address', 'tokenId');
    const again = await subscriptions.create(owner, request);
    expect([again.subscription.id, again.secret]).to.deep.equal([made.subscription.id, null]);
    const { id } = made.subscription;
    expect((await subscriptions.list(owner)).map((one) => one.id)).to.deep.equal([id]);
    expect(await subscriptions.get(owner, id)).to.include({ status: 'active' });
    await subscriptions.delete(owner, id);
    expect(await codeOf(subscriptions.get(owner, id))).to.equal('lookup');
  });

  it('return events in pages, and as a stream', async () => {
    const { id } = (await subscriptions.create(owner, request)).subscription;
    const abort = new AbortController();
    const steps = (await subscriptions.follow(owner, id, { signal: abort.signal }))[Symbol.asyncIterator]();
    expect((await steps.next()).value).to.equal('open');
    for (const v of [1, 2]) await subscribed.assert({ relation: `memory:n${v}`, value: { type: 'number', v } });
    await subscribed.settled();
    const first = await subscriptions.events(owner, id, { limit: 1 });
    expect([first.shown.map(nameOf), first.more, first.total]).to.deep.equal([[1], true, 2]);
    const position = first.shown[0]?.event.seq;
    const rest = await subscriptions.events(owner, id, { limit: 1, position });
    expect([rest.shown.map(nameOf), rest.more]).to.deep.equal([[2], false]);
    expect([nameOf((await steps.next()).value), nameOf((await steps.next()).value)]).to.deep.equal([1, 2]);
    abort.abort();
    expect((await steps.next()).done).to.equal(true);
  });

  it('are refused to callers without the permission, and unknown to other callers', async () => {
    const { id } = (await subscriptions.create(owner, request)).subscription;
    const writer = createPrincipal({ entityUri: owner.entityUri, permissions: new Set(['write']) });
    const stranger = createPrincipal({ entityUri: 'agent:stranger' });
    const { signal } = new AbortController();
    expect(await codeOf(subscriptions.create(writer, request))).to.equal('authorization');
    expect(await codeOf(subscriptions.list(writer))).to.equal('authorization');
    expect(await codeOf(subscriptions.events(writer, id, { limit: 1 }))).to.equal('authorization');
    expect(await codeOf(subscriptions.follow(writer, id, { signal }))).to.equal('authorization');
    expect(await codeOf(subscriptions.create(stranger, request))).to.equal('capability_invalid');
    expect(await codeOf(subscriptions.delete(stranger, id))).to.equal('lookup');
    expect(await codeOf(subscriptions.events(stranger, id, { limit: 1 }))).to.equal('lookup');
    expect(await codeOf(subscriptions.follow(stranger, id, { signal }))).to.equal('lookup');
  });

  it('are refused if a text is invalid', async () => {
    const wrong: Partial<SubscriptionRequest>[] = [
      { targetType: 'world' as 'scope' },
      { idempotencyKey: '' },
      { idempotencyKey: 'a\u0000' },
      { idempotencyKey: 'x'.repeat(256) },
      { eventTypes: [] },
      { eventTypes: ['fact_lost' as 'fact_asserted'] },
    ];
    for (const changes of wrong) {
      const refused = subscriptions.create(owner, { ...request, ...changes });
      expect(await codeOf(refused), JSON.stringify(changes)).to.equal('validation');
    }
    const inside = subscriptions.create(owner, { ...request, webhookUrl: 'http://127.0.0.1/in' });
    expect(await codeOf(inside)).to.equal('webhook_url_forbidden');
    expect(await codeOf(subscriptions.get(owner, 'a\u0000'))).to.equal('lookup');
    const { id } = (await subscriptions.create(owner, request)).subscription;
    expect(await codeOf(subscriptions.events(owner, id, { limit: 0 }))).to.equal('validation');
  });
});
