import { expect } from 'chai';
import fc from 'fast-check';
import { isDeniedAddress, isInternalName } from '../../../adapters/koa/denied-addresses.ts';
import { RUNS } from '../../kit/property-runs.ts';

/** The first and last address of each denied network, written out by hand. */
const IPV4_RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x00000000, 0x00ffffff],
  [0x0a000000, 0x0affffff],
  [0x64400000, 0x647fffff],
  [0x7f000000, 0x7fffffff],
  [0xa9fe0000, 0xa9feffff],
  [0xac100000, 0xac1fffff],
  [0xc0000000, 0xc00000ff],
  [0xc0000200, 0xc00002ff],
  [0xc0586300, 0xc05863ff],
  [0xc0a80000, 0xc0a8ffff],
  [0xc6120000, 0xc613ffff],
  [0xc6336400, 0xc63364ff],
  [0xcb007100, 0xcb0071ff],
  [0xe0000000, 0xefffffff],
  [0xf0000000, 0xffffffff],
];

/**
 * The hexadecimal prefix that all addresses of a denied network share; `fc`, `fd` and `fe8` to `feb` are listed one by
 * one.
 */
const IPV6_PREFIXES: readonly string[] = [
  '0'.repeat(24),
  `${'0'.repeat(16)}ffff0000`,
  `0064ff9b${'0'.repeat(16)}`,
  '0064ff9b0001',
  '0100000000000000',
  '200100',
  '200101',
  '20010db8',
  '2002',
  '3fff0',
  '5f00',
  'fc',
  'fd',
  'fe8',
  'fe9',
  'fea',
  'feb',
  'fec',
  'fed',
  'fee',
  'fef',
  'ff',
];
const MAPPED = `${'0'.repeat(20)}ffff`;

const isDeniedIpv4 = (value: number): boolean => IPV4_RANGES.some(([first, last]) => value >= first && value <= last);
const isDeniedIpv6 = (hex: string): boolean =>
  hex.startsWith(MAPPED)
    ? isDeniedIpv4(Number.parseInt(hex.slice(24), 16))
    : IPV6_PREFIXES.some((prefix) => hex.startsWith(prefix));

const bytesOf = (value: number): readonly number[] => [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);
const dotted = (value: number): string => bytesOf(value).join('.');
const groupsOf = (hex: string): readonly string[] => hex.match(/.{4}/g) ?? [];

/** Ways in which a URL may spell an IPv4 address. */
const IPV4_SPELLINGS: readonly ((value: number) => string)[] = [
  dotted,
  (value) => String(value),
  (value) => `0x${value.toString(16)}`,
  (value) => `0${value.toString(8)}`,
  (value) =>
    bytesOf(value)
      .map((byte) => `0x${byte.toString(16)}`)
      .join('.'),
  (value) =>
    bytesOf(value)
      .map((byte) => `0${byte.toString(8)}`)
      .join('.'),
  (value) => `${value >>> 24}.${value & 0xffffff}`,
  (value) => `${value >>> 24}.${(value >>> 16) & 0xff}.${value & 0xffff}`,
  (value) => `${dotted(value)}.`,
  (value) => dotted(value).replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
];

/** Ways in which text may spell an IPv6 address. */
const IPV6_SPELLINGS: readonly ((hex: string) => string)[] = [
  (hex) => groupsOf(hex).join(':'),
  (hex) => groupsOf(hex).join(':').toUpperCase(),
  (hex) =>
    groupsOf(hex)
      .map((group) => Number.parseInt(group, 16).toString(16))
      .join(':'),
  (hex) => `${groupsOf(hex.slice(0, 24)).join(':')}:${dotted(Number.parseInt(hex.slice(24), 16))}`,
  (hex) => new URL(`http://[${groupsOf(hex).join(':')}]`).hostname.slice(1, -1),
];

const hexText = (length: number) =>
  fc.array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length }).map((all) => all.join(''));
const anyIpv4 = fc.integer({ min: 0, max: 0xffffffff }).map((value) => value >>> 0);
const deniedIpv4 = fc
  .constantFrom(...IPV4_RANGES)
  .chain(([first, last]) => fc.oneof(fc.constant(first), fc.constant(last), fc.integer({ min: first, max: last })));
const besideIpv4 = fc
  .constantFrom(...IPV4_RANGES.flatMap(([first, last]) => [first - 1, last + 1]))
  .filter((value) => value >= 0 && value <= 0xffffffff);
const deniedIpv6 = fc
  .constantFrom(...IPV6_PREFIXES)
  .chain((prefix) => hexText(32 - prefix.length).map((rest) => prefix + rest));
const mappedIpv6 = fc.oneof(deniedIpv4, anyIpv4).map((value) => MAPPED + value.toString(16).padStart(8, '0'));

describe('addresses that outbound calls may not reach', () => {
  it('match an independent table in every spelling of an IPv4 address that a URL accepts', () => {
    fc.assert(
      fc.property(fc.oneof(deniedIpv4, besideIpv4, anyIpv4), fc.constantFrom(...IPV4_SPELLINGS), (value, spell) => {
        const { hostname } = new URL(`http://${spell(value)}/`);
        expect(isDeniedAddress(hostname), spell(value)).to.equal(isDeniedIpv4(value));
      }),
      { numRuns: RUNS * 5 },
    );
  });

  it('match an independent table in every spelling of an IPv6 address', () => {
    fc.assert(
      fc.property(fc.oneof(deniedIpv6, mappedIpv6, hexText(32)), fc.constantFrom(...IPV6_SPELLINGS), (hex, spell) => {
        expect(isDeniedAddress(spell(hex)), spell(hex)).to.equal(isDeniedIpv6(hex));
      }),
      { numRuns: RUNS * 5 },
    );
  });

  const denied = [
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '169.254.169.254',
    '172.31.255.255',
    '192.88.99.1',
    '192.168.1.1',
    '198.19.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '::FFFF:7f00:1',
    '::127.0.0.1',
    '::10.0.0.1',
    '::8.8.8.8',
    '::ffff:0:127.0.0.1',
    '::ffff:0:a00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '3fff:fff:ffff::1',
    '5f00::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'localhost',
    '',
    '127.1',
    '2130706433',
  ];
  for (const address of denied)
    it(`include ${address || 'an empty text'}`, () => expect(isDeniedAddress(address)).to.equal(true));

  for (const address of [
    '8.8.8.8',
    '1.1.1.1',
    '172.32.0.1',
    '192.0.1.1',
    '192.88.98.1',
    '192.88.100.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '2001:4860::8888',
    '3fff:1000::1',
    '5f01::1',
  ]) {
    it(`exclude ${address}`, () => expect(isDeniedAddress(address)).to.equal(false));
  }

  it('include host names of the own machine', () => {
    for (const name of [
      'localhost',
      'LOCALHOST.',
      'db',
      'a.localhost',
      'metadata.google.internal',
      'nas.local.',
      'x.home.arpa',
    ]) {
      expect(isInternalName(name), name).to.equal(true);
    }
    for (const name of ['example.org', 'internal.example.org', 'local.example', 'notlocalhost.com']) {
      expect(isInternalName(name), name).to.equal(false);
    }
  });
});
