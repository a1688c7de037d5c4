import { ServiceError } from '../../ports/ports.ts';

/**
 * Splits an address with several hosts into one address per host, in the same order. libpq writes them as
 * `postgres://user@h1:5432,h2:5432/db`. Throws `unavailable` where the address requires a server that takes no writes.
 */
export const hostAddresses = (url: string): readonly [string, ...string[]] => {
  const [, scheme = '', authority = '', rest = ''] = /^([a-z]+:\/\/)([^/?#]*)(.*)$/is.exec(url) ?? [];
  const wanted = /[?&]target_session_attrs=([^&#]*)/.exec(rest)?.[1];
  if (wanted !== undefined && !WRITABLE.has(wanted)) throw wrongTarget();
  const hostsAt = authority.lastIndexOf('@') + 1;
  const [first = '', ...others] = authority.slice(hostsAt).split(',');
  if (others.length === 0) return [url];
  const addressOf = (host: string): string => `${scheme}${authority.slice(0, hostsAt)}${host}${rest}`;
  return [addressOf(first), ...others.map(addressOf)];
};

const WRITABLE: ReadonlySet<string> = new Set(['read-write', 'primary']);

const wrongTarget = (): ServiceError =>
  new ServiceError('unavailable', 'the address of the database asks for a server that takes no writes', {
    hint: 'write target_session_attrs=read-write into SVC_DATABASE_URL, or leave it out',
  });
