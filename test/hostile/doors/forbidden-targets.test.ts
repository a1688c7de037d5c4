import { expect } from 'chai';
import { refusalOf } from '../../../adapters/koa/judge-target.ts';
import { sendRequest } from '../../../adapters/koa/send-request.ts';
import { WEBHOOK_PORTS } from '../../../plugins/subscriptions/deliver-event.ts';
import { ServiceError } from '../../../ports/ports.ts';

const LOOPBACK = [
  '127.0.0.1',
  '127.1',
  '127.255.255.254',
  '2130706433',
  '0x7f.1',
  '0x7f000001',
  '0177.0.0.1',
  '①②⑦.⓪.⓪.①',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
];

/** The first and the last address of each network that is never called. */
const NETWORKS = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '239.255.255.255'],
  ['240.0.0.0', '255.255.255.255'],
  ['::', '::'],
  ['::1', '::1'],
  ['::ffff:10.0.0.1', '::ffff:192.168.1.1'],
  ['64:ff9b::', '64:ff9b::ffff:ffff'],
  ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['100::', '100::ffff:ffff:ffff:ffff'],
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
].flat();

const METADATA = ['169.254.169.254', '[fd00:ec2::254]', 'metadata.google.internal', 'metadata'];
const INTERNAL_NAMES = [
  'localhost',
  'localhost.',
  'LOCALHOST',
  'hook.localhost',
  'localhost.localdomain',
  'printer.local',
  'printer.local.',
  'db.internal',
  'wiki.intranet',
  'nas.lan',
  'router.home',
  'router.home.arpa',
  'vault.corp',
  'vault.private',
  'intranet',
];
const OTHER_URLS = [
  'http://hook.example/',
  'https://user@hook.example/',
  'https://user:password@hook.example/',
  'https://hook.example:0/',
  'https://hook.example:22/',
  'https://hook.example:25/',
  'https://hook.example:80/',
  'https://hook.example:6379/',
  'https://hook.example:8444/',
  'ftp://hook.example/',
  'file:///etc/passwd',
  'gopher://hook.example/',
  'data:text/plain,x',
  'javascript:alert(1)',
  '//hook.example/',
  'https://',
  '',
];

const inUrl = (address: string): string =>
  address.includes(':') && !address.startsWith('[') ? `[${address}]` : address;
const RULES = { allowPrivate: false, ports: WEBHOOK_PORTS };

/** Whatever the name, it leads there; nobody may be asked for more. */
const leadingTo =
  (...addresses: readonly string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('Somebody has the node call what only the node can reach (I20)', () => {
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

  it('is refused this machine in each of its spellings', async () => {
    for (const host of LOOPBACK) await refusesAlways(`https://${host}/in`);
  });

  it('is refused each network that is not public, by address and by what a name leads to', async () => {
    for (const address of NETWORKS) {
      await refusesAlways(`https://${inUrl(address)}/in`);
      await refusesAlways('https://hook.example/in', leadingTo(address));
    }
  });

  it('is refused a name of which one address alone is not public', async () => {
    for (const address of ['10.0.0.1', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1']) {
      await refusesAlways('https://hook.example/in', leadingTo('8.8.8.8', address));
      await refusesAlways('https://hook.example/in', leadingTo(address, '2606:4700::1111'));
    }
  });

  it('is refused the metadata of clouds, and names that mean a machine of one’s own', async () => {
    for (const host of [...METADATA, ...INTERNAL_NAMES]) await refusesAlways(`https://${host}/in`);
  });

  it('is refused other schemes, users, and all ports but 443 and 8443', async () => {
    for (const url of OTHER_URLS) await refusesAlways(url);
    for (const port of ['', ':443', ':8443']) {
      expect(await refusalOf(`https://hook.example${port}/`, RULES, leadingTo('8.8.8.8')), port).to.equal(undefined);
    }
  });

  it('gets any port, plain http and private addresses only where the operator allows it', async () => {
    for (const url of ['http://127.0.0.1:6379/', 'http://hook.local:8080/', 'https://10.0.0.1:22/']) {
      expect(await refusalOf(url, { ...RULES, allowPrivate: true }, leadingTo('10.0.0.1')), url).to.equal(undefined);
    }
    expect(await refusalOf('https://user:x@127.0.0.1/', { ...RULES, allowPrivate: true }, leadingTo())).to.be.a(
      'string',
    );
  });
});
