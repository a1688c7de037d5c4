import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type Resolve, refusalOf } from '../../../adapters/koa/judge-target.ts';
import { sendRequest } from '../../../adapters/koa/send-request.ts';
import { WEBHOOK_PORTS } from '../../../plugins/subscriptions/deliver-event.ts';
import { judgeStatus } from '../../../plugins/subscriptions/retry-plan.ts';
import { ATLAS, type SubscribedNode, startSubscribedNode } from './subscribed-node.ts';

/**
 * Addresses that the node must never call: this machine in other spellings, private networks, other schemes and ports.
 */
const FORBIDDEN = [
  'http://hook.example/in',
  'ftp://hook.example/in',
  'file:///etc/passwd',
  'hook.example/in',
  '',
  'https://user:secret@hook.example/in',
  'https://user@hook.example/in',
  'https://hook.example:22/in',
  'https://hook.example:80/in',
  'https://hook.example:8080/in',
  'https://localhost/in',
  'https://intranet/in',
  'https://db.internal/in',
  'https://printer.local./in',
  'https://127.0.0.1/in',
  'https://127.1/in',
  'https://2130706433/in',
  'https://0x7f000001/in',
  'https://0177.0.0.1/in',
  'https://0.0.0.0/in',
  'https://10.0.0.1/in',
  'https://169.254.169.254/latest/meta-data/',
  'https://192.168.1.1/in',
  'https://100.64.0.1/in',
  'https://224.0.0.1/in',
  'https://[::1]/in',
  'https://[::]/in',
  'https://[::ffff:127.0.0.1]/in',
  'https://[::ffff:7f00:1]/in',
  'https://[64:ff9b::7f00:1]/in',
  'https://[2002:7f00:1::]/in',
  'https://[fe80::1]/in',
  'https://[fc00::1]/in',
];

describe('the address of a webhook', () => {
  describe('when a subscription is created', () => {
    let subscribed: SubscribedNode;
    before(async () => {
      subscribed = await startSubscribedNode();
    });
    after(() => subscribed.stop());

    for (const url of FORBIDDEN) {
      it(`is refused: ${url === '' ? 'no address' : url}`, async () => {
        const reply = await subscribed.subscribe(ATLAS, { webhook_url: url });
        expect([reply.status, reply.body.code]).to.deep.equal([422, 'webhook_url_forbidden']);
        expect(JSON.stringify(reply.body)).to.contain('SVC_WEBHOOK_ALLOW_PRIVATE=true');
        expect(reply.text).to.not.include('secret');
      });
    }

    it('may be public, on port 443 or 8443, in either of its two members', async () => {
      for (const url of ['https://hook.example:8443/in', 'https://HOOK.example:443/other', 'https://8.8.8.8/in']) {
        expect((await subscribed.subscribe(ATLAS, { webhook_url: url })).status, url).to.equal(201);
      }
      const alias = { webhook_url: undefined, delivery_address: 'https://hook.example/alias' };
      expect((await subscribed.subscribe(ATLAS, alias)).body.webhook_url).to.equal('https://hook.example/alias');
      const two = { delivery_address: 'https://hook.example/else' };
      expect((await subscribed.subscribe(ATLAS, two)).status).to.equal(422);
    });

    it('is refused if its name resolves to a forbidden address, or to none', async () => {
      const rules = { allowPrivate: false, ports: WEBHOOK_PORTS };
      const to =
        (...addresses: string[]): Resolve =>
        async () =>
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      const refusal = (resolve: Resolve) => refusalOf('https://hook.example/in', rules, resolve);
      expect(await refusal(to('93.184.216.34'))).to.equal(undefined);
      expect(await refusal(to('93.184.216.34', '10.0.0.1'))).to.be.a('string');
      expect(await refusal(to('::ffff:10.0.0.1'))).to.be.a('string');
      expect(await refusal(to())).to.be.a('string');
      expect(await refusal(() => Promise.reject(new Error('no such name')))).to.be.a('string');
    });
  });

  describe('when an event is delivered', () => {
    let canary: Server;
    let hits: number;
    let answer: RequestListener;
    let port: number;
    beforeEach(async () => {
      hits = 0;
      answer = (_, response) => void response.end();
      canary = createServer((request, response) => {
        hits += 1;
        answer(request, response);
      });
      await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', () => resolve()));
      port = (canary.address() as AddressInfo).port;
    });
    afterEach(() => {
      canary.closeAllConnections();
      canary.close();
    });

    const send = (
      url: string,
      more: { allowPrivate?: boolean; ports?: readonly number[]; timeoutMs?: number } = {},
      resolve?: Resolve,
    ) =>
      sendRequest(
        {
          method: 'POST',
          url,
          headers: {},
          body: '{}',
          timeoutMs: 2_000,
          maxResponseBytes: 65_536,
          excess: 'cut',
          allowPrivate: true,
          ...more,
        },
        resolve,
      );
    const isRefused = (work: Promise<unknown>): Promise<boolean> =>
      work.then(
        () => false,
        () => true,
      );

    it('is checked again: if the name now resolves to this machine, nothing is sent', async () => {
      const here: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];
      const rules = { allowPrivate: false, ports: [port] };
      expect(await isRefused(send(`https://rebound.example:${port}/`, rules, here))).to.equal(true);
      expect(await isRefused(send(`https://hook.example:${port}/`, { allowPrivate: false, ports: [443] }))).to.equal(
        true,
      );
      expect(hits).to.equal(0);
    });

    it('is not replaced by the target of a redirect, which counts as a failure', async () => {
      answer = (_, response) => void response.writeHead(302, { Location: `http://127.0.0.1:${port}/elsewhere` }).end();
      const { status } = await send(`http://127.0.0.1:${port}/`);
      expect([hits, judgeStatus(status)]).to.deep.equal([1, 'again']);
    });

    it('fails with a timeout if the reply does not end', async () => {
      answer = (_, response) => void response.writeHead(200).write('x');
      expect(await isRefused(send(`http://127.0.0.1:${port}/`, { timeoutMs: 50 }))).to.equal(true);
    });

    it('may send an endless reply: the node reads 64 KiB, and the status counts', async () => {
      answer = (_, response) => {
        const flood = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
          response.once('drain', flood);
        };
        flood();
      };
      const reply = await send(`http://127.0.0.1:${port}/`);
      expect([reply.status, reply.body.length]).to.deep.equal([200, 65_536]);
    });
  });
});
