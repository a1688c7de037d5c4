import { ServiceError } from '../../ports/ports.ts';
import { hostAddresses } from './host-addresses.ts';

export const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Returns an address that the driver can read. It checks the address first, because the driver's errors quote it with
 * its password. It also avoids the driver's warnings about TLS modes. Throws `unavailable` for an invalid address.
 */
export const checkedUrl = (url: string): string => {
  if (isPostgresUrl(url))
    return url.includes('uselibpqcompat=true') ? url : url.replace(TAKEN_FOR_STRICTEST, '$1verify-full');
  throw new ServiceError('unavailable', 'the address of the database is not a postgres:// URL', {
    hint: 'write postgres://user:password@host:5432/database, with special characters of the password percent-encoded; for a socket write %2Frun%2Fpostgresql in place of the host',
  });
};

/** Does the same as `checkedUrl`, and returns one address for each host that the address names. */
export const checkedUrls = (url: string): readonly [string, ...string[]] => {
  const [first, ...others] = hostAddresses(url);
  return [checkedUrl(first), ...others.map(checkedUrl)];
};

const TAKEN_FOR_STRICTEST = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/;

const isPostgresUrl = (text: string): boolean => {
  try {
    // The URL parser accepts a user only together with a host. The driver prefers the parameter `host`, as libpq
    // does.
    const named = /[?&]host=/.test(text) ? text.replace('@/', '@localhost/') : text;
    return /^postgres(ql)?:$/.test(new URL(named).protocol);
  } catch {
    return false;
  }
};

/**
 * Returns the address of the same database with this schema as the only place where statements find and create tables.
 */
export const inSchema = (url: string, schema: string): string => {
  const address = new URL(checkedUrl(url));
  const given = address.searchParams.get('options');
  address.searchParams.set('options', `${given === null ? '' : `${given} `}-c search_path=${schema}`);
  address.searchParams.set('application_name', `fact-memory-node ${schema}`);
  // Encodes spaces as `%20`, because the driver reads the plus signs of a URL literally.
  address.search = address.search.replaceAll('+', '%20');
  return address.href;
};

/** Returns the address of another database on the same server. */
export const inDatabase = (url: string, name: string): string => {
  const address = new URL(checkedUrl(url));
  address.pathname = `/${name}`;
  address.searchParams.delete('dbname');
  address.search = address.search.replaceAll('+', '%20');
  return address.href;
};
