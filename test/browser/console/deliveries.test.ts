import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { isBrowserInstalled, type Page } from '../../kit/browser.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { type ConsoleBrowser, settled, startConsoleBrowser } from './console-browser.ts';
import { choose, dialog, fillIn, isTold, press, takeSecret } from './reader-steps.ts';

/** On a slow machine the node may try a delivery more than once before a step looks at it. */
const FAILURES = /^\d failures?( in a row)?$/;

if (isBrowserInstalled()) {
  describe('deliveries in the console', function () {
    this.timeout(180_000);
    let console: ConsoleBrowser;
    let receiver: Server;
    let webhook: string;
    /** The status that the receiver replies with. */
    let status = 204;
    before(async () => {
      console = await startConsoleBrowser({ SVC_WEBHOOK_ALLOW_PRIVATE: 'true' });
      receiver = createServer((request, response) => {
        request.resume().on('end', () => response.writeHead(status).end());
      });
      await once(receiver.listen(0, '127.0.0.1'), 'listening');
      webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    });
    afterEach(async () => {
      expect(await console.leave()).to.deep.equal([]);
    });
    after(async () => {
      receiver?.close();
      receiver?.closeAllConnections();
      await console?.stop();
    });

    const say = (entity: string, v: string) =>
      console.served.ask('POST', '/v1/facts', {
        entity,
        relation: 'memory:opens',
        value: { type: 'string', v },
        source: 'agent:scribe',
        scope: 'company',
        confidence: 0.9,
      });
    /** Presses the refresh button until the events match all these expressions. */
    const eventsSay = (page: Page, ...texts: readonly RegExp[]): Promise<void> =>
      comesTrue(async () => {
        await press(page, 'Replay');
        await settled(page);
        const events = (await page.getByRole('region', { name: 'Events' }).textContent()) ?? '';
        return texts.every((text) => text.test(events));
      });

    it('that fail are listed with their attempts, are retried, and arrive', async () => {
      status = 503;
      const { page, open } = await console.enter(console.served.adminKey);
      await open('subscriptions');
      await press(page, 'Subscribe');
      const form = await dialog(page, 'Subscribe');
      await fillIn(form, { Target: 'project:lantern', Webhook: webhook });
      await choose(form, 'For how long', 'A day');
      await press(form, 'Subscribe');
      await takeSecret(page, 'The secret of the webhook');
      await isTold(page, 'The webhook is told of project:lantern from now on.');
      await say('project:lantern', 'May');
      await page.getByRole('table', { name: 'Subscriptions' }).getByRole('link', { name: 'project:lantern' }).click();
      await page.getByRole('heading', { name: 'Events' }).waitFor();
      await eventsSay(page, /\d attempts?/, /waits/);
      await open('overview');
      await page.locator('main').getByText(FAILURES).waitFor();
      await open('subscriptions');
      await page.getByText(FAILURES).waitFor();
      await open('overview');
      // The overview links to a delivery that needs attention.
      await page.locator('.overview-list').getByRole('link', { name: 'project:lantern' }).click();
      await page.getByRole('heading', { name: 'Events' }).waitFor();
      status = 204;
      await eventsSay(page, /delivered/, /[2-9] attempts/);
      await open('subscriptions');
      await page.getByText('active', { exact: true }).waitFor();
      expect(await page.getByText(FAILURES).count()).to.equal(0);
    });

    it('that the receiver refuses are not retried, and status 410 ends the subscription', async () => {
      const { page, open } = await console.enter(console.served.adminKey);
      await open('subscriptions');
      await page.getByRole('table', { name: 'Subscriptions' }).getByRole('link', { name: 'project:lantern' }).click();
      await page.getByRole('heading', { name: 'Events' }).waitFor();
      status = 400;
      await say('project:lantern', 'June');
      await eventsSay(page, /failed/);
      status = 410;
      await say('project:lantern', 'July');
      await comesTrue(async () => {
        await open('subscriptions');
        return (await page.getByText('the webhook said that it is gone').count()) === 1;
      });
      await open('overview');
      await page.locator('main').getByText('ended: the receiver is gone').waitFor();
    });

    it('of a scope are subscribed to with a token that the reader enters', async () => {
      const token = { issuer: 'agent:admin', subject: 'agent:admin', verb: 'subscribe', ttl_seconds: 600 };
      const { body } = await console.served.ask('POST', '/v1/federation/capability-tokens', {
        ...token,
        object: 'svc://facts/scope:company',
      });
      const { page, open } = await console.enter(console.served.adminKey);
      await open('subscriptions');
      await press(page, 'Subscribe');
      const form = await dialog(page, 'Subscribe');
      await choose(form, 'Kind of target', 'A scope');
      await fillIn(form, { Target: 'company', Webhook: webhook });
      await page.getByText('I have a capability token').click();
      await fillIn(form, { 'Capability token': '{"no": "token"}' });
      await press(form, 'Subscribe');
      await form.getByRole('alert').waitFor();
      await fillIn(form, { 'Capability token': body.token_json });
      await press(form, 'Subscribe');
      await takeSecret(page, 'The secret of the webhook');
      await isTold(page, 'The webhook is told of company from now on.');
      const { subscriptions } = (await console.served.ask('GET', '/v1/subscriptions')).body;
      const found = subscriptions.filter(({ target_type: type }: { target_type: string }) => type === 'scope');
      expect(found.map(({ target }: { target: string }) => target)).to.deep.equal(['company']);
    });
  });
}
