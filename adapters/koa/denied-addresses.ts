import { BlockList, isIP } from 'node:net';

/**
 * Returns whether an address lies outside the public Internet: this machine, a private or link-local network, a range
 * for documentation, or a translation into one of those. An invalid address is denied.
 */
export const isDeniedAddress = (address: string): boolean => {
  const plain = address.split('%', 1)[0] as string;
  const version = isIP(plain);
  if (version === 0) return true;
  if (version === 4) return deniedIpv4.check(plain, 'ipv4');
  const mapped = unmap(plain);
  return mapped === undefined ? deniedIpv6.check(plain, 'ipv6') : deniedIpv4.check(mapped, 'ipv4');
};

/** Returns whether a host name denotes an internal machine by convention, even if no resolver knows it. */
export const isInternalName = (host: string): boolean => {
  const name = host.toLowerCase().replace(/\.$/, '');
  return !name.includes('.') || INTERNAL_SUFFIXES.some((suffix) => name.endsWith(suffix));
};

const INTERNAL_SUFFIXES = [
  '.localhost',
  '.localdomain',
  '.local',
  '.internal',
  '.intranet',
  '.private',
  '.lan',
  '.home',
  '.corp',
  '.home.arpa',
];

const DENIED_IPV4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

const DENIED_IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

const blockList = (networks: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family);
  return list;
};

// The rules have two lists, because a BlockList lets rules of one family match mapped addresses of the other.
const deniedIpv4 = blockList(DENIED_IPV4, 'ipv4');
const deniedIpv6 = blockList(DENIED_IPV6, 'ipv6');

/**
 * Returns the IPv4 address inside an IPv6 address of `::ffff:0:0/96`, in any spelling; undefined for other addresses.
 */
const unmap = (address: string): string | undefined => {
  // Uses the URL parser, because nothing else in Node normalises IPv6 text.
  const normal = new URL(`http://[${address}]/`).hostname;
  const groups = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(normal);
  if (groups === null) return undefined;
  const bytes = [groups[1], groups[2]].map((group) => Number.parseInt(group ?? '', 16));
  return bytes.flatMap((pair) => [pair >> 8, pair & 0xff]).join('.');
};
