import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookError, type WebhookHeaders } from '../../client/client.ts';
import { rejection } from '../kit/rejection.ts';
import { ATLAS, startSubscribedNode } from '../plugins/subscriptions/subscribed-node.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const FORMER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const NOW = 1_772_442_000_000;
const BODY = '{"event_id":"e1","event_type":"fact_asserted","ü":1}';

const signed = (secret = SECRET, body = BODY, at = NOW): Record<string, string> => ({
  'webhook-id': 'e1',
  'webhook-timestamp': String(at / 1_000),
  'webhook-signature': new Webhook(secret).sign('e1', new Date(at), body),
});

const refusalOf = async (
  headers: WebhookHeaders,
  body: string | Uint8Array = BODY,
  secret: string | string[] = SECRET,
) => {
  const error = await rejection(verifyWebhook(body, headers, secret, { now: NOW }));
  expect(error).to.be.instanceOf(WebhookError).and.to.include({ code: 'invalid_signature' });
  expect(error.message).not.to.contain('whsec_');
  return error.message;
};

describe('the check of a webhook', () => {
  it('returns the event of a signed delivery, with headers in any form', async () => {
    const headers = signed();
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    for (const given of [headers, upper, new Headers(headers)]) {
      for (const body of [BODY, new TextEncoder().encode(BODY)]) {
        const event = await verifyWebhook(body, given, SECRET, { now: NOW });
        expect(event).to.deep.include({ event_id: 'e1', event_type: 'fact_asserted' });
      }
    }
  });

  it('accepts one of several signatures and one of several secrets, as during a rotation', async () => {
    const both = `${signed(SECRET)['webhook-signature']} ${signed(FORMER)['webhook-signature']}`;
    for (const secret of [SECRET, FORMER, [FORMER, SECRET]]) {
      const headers = { ...signed(), 'webhook-signature': `v1a,x v2,y ${both}` };
      expect(await verifyWebhook(BODY, headers, secret, { now: NOW })).to.include({ event_id: 'e1' });
    }
    expect(await verifyWebhook(BODY, signed(FORMER), [SECRET, FORMER], { now: NOW })).to.include({ event_id: 'e1' });
  });

  it('refuses a wrong body, id, time, secret or signature', async () => {
    const good = signed();
    await refusalOf(good, BODY.replace('1', '2'));
    await refusalOf({ ...good, 'webhook-id': 'e2' });
    await refusalOf({ ...good, 'webhook-timestamp': String(NOW / 1_000 + 1) });
    await refusalOf(signed(FORMER));
    await refusalOf(good, `${BODY} `);
    for (const signature of ['v1,', 'v1,%%%', 'v1', 'v1,AAAA', 'v2,x']) {
      await refusalOf({ ...good, 'webhook-signature': signature });
    }
  });

  it('refuses a delivery that is too old, from the future or incomplete', async () => {
    expect(await refusalOf(signed(SECRET, BODY, NOW - 301_000))).to.contain('too old');
    await refusalOf(signed(SECRET, BODY, NOW + 301_000));
    await refusalOf({ ...signed(), 'webhook-timestamp': 'now' });
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      expect(await refusalOf({ ...signed(), [name]: '' })).to.contain(name);
    }
    const late = signed(SECRET, BODY, NOW - 301_000);
    expect(await verifyWebhook(BODY, late, SECRET, { now: NOW, toleranceSeconds: 400 })).to.include({ event_id: 'e1' });
  });

  it('refuses a body that is no JSON, and an invalid secret', async () => {
    await refusalOf(signed(SECRET, 'x'), 'x');
    const error = await rejection(verifyWebhook(BODY, signed(), 'whsec_%%%', { now: NOW }));
    expect(error).to.be.instanceOf(TypeError);
  });

  it('accepts deliveries of a node', async () => {
    const subscribed = await startSubscribedNode();
    try {
      const { secret } = (await subscribed.subscribe(ATLAS)).body;
      await subscribed.assert();
      await subscribed.sent(1);
      const [attempt] = subscribed.attempts;
      const options = { now: subscribed.node.clock.nowMs() };
      const event = await verifyWebhook(attempt?.text ?? '', attempt?.headers ?? {}, secret, options);
      expect(event).to.deep.include({ event_type: 'fact_asserted', entity: ATLAS });
      expect(event.fact?.value.v).to.equal('green');
    } finally {
      await subscribed.stop();
    }
  });
});
