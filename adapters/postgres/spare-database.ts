import { randomBytes } from 'node:crypto';
import { ServiceError } from '../../ports/ports.ts';
import { identifier } from '../sql/sql-identifier.ts';
import { type LoneConnection, onLoneConnection } from './lone-connection.ts';
import { inDatabase } from './postgres-address.ts';
import { primaryUrl } from './primary-server.ts';

/** The beginning of the names, which differs for the stores on a server. */
const PREFIX = "'fact_memory_spare_' || left(md5(current_database()), 8) || '_'";
const LEFTOVERS = `SELECT datname FROM pg_database WHERE starts_with(datname::text, ${PREFIX})`;
const NO_RIGHT = '42501';
const SUFFIX_BYTES = 8;

/**
 * Runs work with the address of an empty database on the same server, and drops it afterwards. A connection stays open
 * meanwhile, so that nobody drops it as a leftover.
 */
export const onSpareDatabase = async <T>(address: string, work: (url: string) => Promise<T>): Promise<T> => {
  const url = await primaryUrl(address);
  const name = await onLoneConnection(url, async (connection) => {
    await dropLeftovers(connection);
    return createDatabase(connection);
  });
  const spare = inDatabase(url, name);
  try {
    return await onLoneConnection(spare, () => work(spare));
  } finally {
    await onLoneConnection(url, ({ client }) =>
      client.query(`DROP DATABASE IF EXISTS ${identifier(name)} WITH (FORCE)`),
    );
  }
};

/** Drops databases without a session. The server refuses to drop others, and those of other users. */
const dropLeftovers = async ({ client, rows }: LoneConnection): Promise<void> => {
  for (const [name] of await rows(LEFTOVERS)) {
    await client.query(`DROP DATABASE IF EXISTS ${identifier(String(name))}`).catch(() => {});
  }
};

const createDatabase = async ({ client, rows }: LoneConnection): Promise<string> => {
  const [[prefix] = []] = await rows(`SELECT ${PREFIX}`);
  const name = `${prefix}${randomBytes(SUFFIX_BYTES).toString('hex')}`;
  try {
    await client.query(`CREATE DATABASE ${identifier(name)}`);
    return name;
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code !== NO_RIGHT) throw cause;
    throw new ServiceError('unavailable', 'the user of the database may not create a throw-away database', {
      hint: 'ALTER ROLE … CREATEDB for the user of SVC_DATABASE_URL, or restore the backup on another machine',
      cause,
    });
  }
};
