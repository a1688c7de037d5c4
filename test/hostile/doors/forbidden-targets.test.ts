import { expect } from 'chai';
import { refusalOf } from '../../../adapters/koa/judge-target.ts';
import { sendRequest } from '../../../adapters/koa/send-request.ts';
import { WEBHOOK_PORTS } from '../../../plugins/subscriptions/deliver-event.ts';
import { ServiceError } from '../../../ports/ports.ts';
import { INTERNAL_NAMES, inUrl, LOOPBACK, METADATA, NETWORKS, OTHER_URLS } from './target-vectors.ts';

const RULES = { allowPrivate: false, ports: WEBHOOK_PORTS };

/** Returns a resolver that maps every name to these addresses. */
const leadingTo =
  (...addresses: readonly string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('A caller makes the node call addresses that only the node can reach (I20)', () => {
  const refusesAlways = async (url: string, resolve = leadingTo('8.8.8.8')): Promise<void> => {
    expect(await refusalOf(url, RULES, resolve), url)
      .to.be.a('string')
      .and.not.include('password');
    const request = { method: 'POST', url, headers: {}, timeoutMs: 5_000, maxResponseBytes: 1_000, ...RULES };
    const sent = await sendRequest(request, resolve).then(
      () => 'answered',
      (error: unknown) => (error instanceof ServiceError ? error.code : error),
    );
    expect(sent, url).to.equal('unavailable');
  };

  it('is refused each address of this machine, in every spelling', async () => {
    for (const host of LOOPBACK) await refusesAlways(`https://${host}/in`);
  });

  it('is refused each address of a non-public network, and each name that resolves to one', async () => {
    for (const address of NETWORKS) {
      await refusesAlways(`https://${inUrl(address)}/in`);
      await refusesAlways('https://hook.example/in', leadingTo(address));
    }
  });

  it('is refused a name if any of its addresses is not public', async () => {
    for (const address of ['10.0.0.1', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1']) {
      await refusesAlways('https://hook.example/in', leadingTo('8.8.8.8', address));
      await refusesAlways('https://hook.example/in', leadingTo(address, '2606:4700::1111'));
    }
  });

  it('is refused the metadata service of clouds, and names of machines in a private network', async () => {
    for (const host of [...METADATA, ...INTERNAL_NAMES]) await refusesAlways(`https://${host}/in`);
  });

  it('is refused URLs with other schemes, with user names, and with ports other than 443 and 8443', async () => {
    for (const url of OTHER_URLS) await refusesAlways(url);
    for (const port of ['', ':443', ':8443']) {
      expect(await refusalOf(`https://hook.example${port}/`, RULES, leadingTo('8.8.8.8')), port).to.equal(undefined);
    }
  });

  it('may use any port, plain http and private addresses only if the operator allows it', async () => {
    for (const url of ['http://127.0.0.1:6379/', 'http://hook.local:8080/', 'https://10.0.0.1:22/']) {
      expect(await refusalOf(url, { ...RULES, allowPrivate: true }, leadingTo('10.0.0.1')), url).to.equal(undefined);
    }
    expect(await refusalOf('https://user:x@127.0.0.1/', { ...RULES, allowPrivate: true }, leadingTo())).to.be.a(
      'string',
    );
  });
});
