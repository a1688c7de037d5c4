import { ServiceError } from '../../ports/ports.ts';

export const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Returns an address that the driver reads without a message. The driver quotes an address that it cannot read, with
 * its password, and warns of modes of TLS that it takes for the strictest. Throws `unavailable` for a text that is no
 * address.
 */
export const checkedUrl = (url: string): string => {
  if (isPostgresUrl(url))
    return url.includes('uselibpqcompat=true') ? url : url.replace(TAKEN_FOR_STRICTEST, '$1verify-full');
  throw new ServiceError('unavailable', 'the address of the database is not a postgres:// URL', {
    hint: 'write postgres://user:password@host:5432/database, with special characters of the password percent-encoded',
  });
};

const TAKEN_FOR_STRICTEST = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/;

const isPostgresUrl = (text: string): boolean => {
  try {
    return /^postgres(ql)?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
};

/** The same database, where statements find and make tables in the schema alone. */
export const inSchema = (url: string, schema: string): string => {
  const address = new URL(checkedUrl(url));
  const given = address.searchParams.get('options');
  address.searchParams.set('options', `${given === null ? '' : `${given} `}-c search_path=${schema}`);
  address.searchParams.set('application_name', `fact-memory-node ${schema}`);
  // A parameter spells a space as a plus, which the driver would take for one.
  address.search = address.search.replaceAll('+', '%20');
  return address.href;
};
