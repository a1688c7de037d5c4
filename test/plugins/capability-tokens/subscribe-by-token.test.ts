import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import type { TestReply } from '../../kit/test-request.ts';
import { ATLAS, HOOK_URL, type SubscribedNode, startSubscribedNode } from '../subscriptions/subscribed-node.ts';

forEachStore('a subscription that is made with a capability token', () => {
  let subscribed: SubscribedNode;
  before(async () => {
    subscribed = await startSubscribedNode();
  });
  after(() => subscribed?.stop());

  const create = (
    token: string | undefined,
    { target = ATLAS, key = subscribed.key, inBody = false } = {},
  ): Promise<TestReply> =>
    subscribed.node.request('POST', '/v1/subscriptions', {
      key,
      ...(token === undefined || inBody ? {} : { headers: { 'X-Svc-Capability': token } }),
      body: {
        target,
        on_change: 'webhook',
        webhook_url: HOOK_URL,
        ...(inBody ? { capability_token: token } : {}),
      },
    });
  const made = async (): Promise<number> =>
    (await subscribed.node.request('GET', '/v1/subscriptions', { key: subscribed.key })).body.total;
  const refused = async (reply: Promise<TestReply>, code: string, detail: RegExp): Promise<void> => {
    const { status, body } = await reply;
    expect([status, body.code], body.detail).to.deep.equal([403, code]);
    expect(body.detail).to.match(detail);
    expect(await made(), 'subscriptions').to.equal(0);
  };
  const issue = async (object: string, members: object = {}): Promise<string> =>
    (await subscribed.token(object, members)).text;

  it('requires a token', async () => {
    await refused(create(undefined), 'capability_required', /capability token/);
    await refused(create('', { inBody: true }), 'capability_required', /capability token/);
  });

  it('is refused with a token for another verb, object or entity', async () => {
    const uncovered = /^token_invalid: its object does not cover/;
    await refused(
      create(await issue(ATLAS, { verb: 'read' })),
      'capability_invalid',
      /^token_invalid: it is for another/,
    );
    await refused(create(await issue('svc://alpha.example/project/other')), 'capability_invalid', uncovered);
    await refused(create(await issue('svc://alpha.example/project/atl')), 'capability_invalid', uncovered);
    await refused(create(await issue(`${ATLAS}-2`)), 'capability_invalid', uncovered);
    await refused(create(await issue('svc://facts/scope:company')), 'capability_invalid', uncovered);
    await refused(
      create(await issue(ATLAS, { subject: 'agent:other' })),
      'capability_invalid',
      /^token_invalid: it was issued to another entity/,
    );
  });

  it('is refused with a token that was changed, revoked or has expired', async () => {
    const text = await issue(ATLAS);
    await refused(
      create(text.replace('project/atlas', 'project/other'), { target: 'svc://alpha.example/project/other' }),
      'capability_invalid',
      /^token_invalid: bad signature$/,
    );
    const { id, text: ended } = await subscribed.token(ATLAS);
    const path = `/v1/federation/capability-tokens/${id}/revoke`;
    expect((await subscribed.node.request('POST', path, { key: subscribed.admin })).status).to.equal(200);
    await refused(create(ended), 'capability_invalid', /^token_revoked/);
    const short = await issue(ATLAS, { ttl_seconds: 1 });
    await subscribed.node.clock.advance(1_000);
    await refused(create(short), 'capability_invalid', /^token_expired/);
  });

  it('is accepted with a token for its target, in the header or in the body', async () => {
    const cases: readonly [object: string, target: string, inBody: boolean][] = [
      [ATLAS, ATLAS, false],
      ['svc://alpha.example/project', `${ATLAS}/task/1`, false],
      ['svc://facts', 'svc://alpha.example/project/beta', true],
      ['svc://facts/scope:company', 'scope:company', true],
    ];
    for (const [object, target, inBody] of cases) {
      const { status, body } = await create(await issue(object), { target, inBody });
      expect(status, `${object} for ${target}: ${body.detail}`).to.equal(201);
    }
    expect(await made()).to.equal(cases.length);
  });
});
