let clients = 0;

/**
 * An address that no request came from before, for `X-Forwarded-For` at a node that trusts the test as its proxy:
 * hundreds of refused keys from one address would wait for one another.
 */
export const nextClient = (): string => {
  clients += 1;
  return `198.${18 + ((clients >> 16) & 1)}.${(clients >> 8) & 0xff}.${clients & 0xff}`;
};

/** The `node` part of a configuration that trusts the test as its proxy. */
export const TRUSTS_TEST = { trustedProxies: ['127.0.0.1'] };
