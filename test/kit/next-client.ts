let clients = 0;

/**
 * Returns an unused client address for `X-Forwarded-For`, because refused keys from one address delay each other. The
 * node must trust the test as its proxy.
 */
export const nextClient = (): string => {
  clients += 1;
  return `198.${18 + ((clients >> 16) & 1)}.${(clients >> 8) & 0xff}.${clients & 0xff}`;
};

/** The `node` section of a configuration that trusts the test as its proxy. */
export const TRUSTS_TEST = { trustedProxies: ['127.0.0.1'] };
