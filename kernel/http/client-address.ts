import { isIP } from 'node:net';
import type { InboundRequest } from '../../ports/ports.ts';
import { createNetworkList } from '../net/ip-network.ts';

/**
 * The address of the client: that of the connection, or the one that a trusted proxy gives in `X-Forwarded-For`. The
 * header is read from its end, because each proxy appends its own client and a client can write anything before that.
 * Use it to distinguish clients, never to admit one.
 */
export const createClientAddress = (trustedProxies: readonly string[]): ((request: InboundRequest) => string) => {
  const isTrusted = createNetworkList(trustedProxies);
  return (request) => {
    let client = bareAddress(request.remoteAddress);
    if (trustedProxies.length === 0 || !isTrusted(client)) return client;
    const said = (request.header('x-forwarded-for') ?? '').split(',');
    for (const text of said.reverse()) {
      const address = bareAddress(withoutPort(text.trim()));
      if (isIP(address) === 0) return client;
      client = address;
      if (!isTrusted(client)) return client;
    }
    return client;
  };
};

/** Returns the IPv4 address inside an IPv6 address, and removes the zone of a link-local address. */
const bareAddress = (address: string): string => address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');

/** Removes the port that some proxies append: `203.0.113.7:1234` and `[2001:db8::1]:1234`. */
const withoutPort = (text: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
