/** Hostile target addresses, through which a stranger could reach hosts that only the node can reach. */

/** The own machine, in twelve spellings. */
export const LOOPBACK = [
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

/** The first and the last address of each network that the node never calls. */
export const NETWORKS = [
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

/** Addresses of cloud metadata services, which reveal secrets of a machine. */
export const METADATA = ['169.254.169.254', '[fd00:ec2::254]', 'metadata.google.internal', 'metadata'];
/** Host names of private machines. */
export const INTERNAL_NAMES = [
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
/** URLs that are refused for a reason other than the host, some because of the permitted webhook ports. */
export const OTHER_URLS = [
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

/** Formats an address as the host of a URL. */
export const inUrl = (address: string): string =>
  address.includes(':') && !address.startsWith('[') ? `[${address}]` : address;
