import { isIPv4, isIPv6 } from 'node:net';

/**
 * Returns whether only this machine can reach a server on the host. A name other than `localhost` may mean any address.
 */
export const isLoopbackHost = (host: string): boolean => {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (bare === 'localhost') return true;
  if (isIPv4(bare)) return bare.startsWith('127.');
  if (!isIPv6(bare)) return false;
  const canonical = new URL(`http://[${bare}]`).hostname;
  return canonical === '[::1]' || /^\[::ffff:7f[0-9a-f]{2}:/.test(canonical);
};
