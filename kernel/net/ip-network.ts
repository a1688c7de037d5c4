import { BlockList, isIP } from 'node:net';

interface IpNetwork {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/**
 * Parses an address or network: `10.0.0.5`, `10.0.0.0/8`, `fd00::/8`; undefined for anything else. A single address is
 * a network of one.
 */
export const parseNetwork = (text: string): IpNetwork | undefined => {
  const [, address = '', digits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0 || address.includes('%')) return undefined;
  const bits = version === 4 ? IPV4_BITS : IPV6_BITS;
  const prefix = digits === undefined ? bits : Number(digits);
  return prefix > bits ? undefined : { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
};

/**
 * Returns a test whether an address is in one of the networks. Invalid networks are skipped; an invalid address is in
 * none.
 */
export const createNetworkList = (networks: readonly string[]): ((address: string) => boolean) => {
  const list = new BlockList();
  for (const { address, prefix, family } of networks.map(parseNetwork).filter((network) => network !== undefined)) {
    list.addSubnet(address, prefix, family);
  }
  return (address) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
};

const IPV4_BITS = 32;
const IPV6_BITS = 128;
