import { Client } from 'pg';
import { type CopyOptions, ServiceError, type SqlValue } from '../../ports/ports.ts';
import { CONNECT_TIMEOUT_MS } from './postgres-address.ts';
import { ConnectionLost, toServiceError } from './postgres-errors.ts';
import { VALUE_TYPES } from './postgres-values.ts';
import { primaryUrl } from './primary-server.ts';

/** The application name of the sessions of copies and restores. */
const NAME = 'fact-memory-node copy';

/** A connection outside the pools, for long work. */
export interface LoneConnection {
  readonly client: Client;
  rows(sql: string, parameters?: readonly string[]): Promise<SqlValue[][]>;
}

/**
 * Provides a connection whose statements have no time limit. Errors about the state of the database become
 * `unavailable`. An aborted signal ends the connection and its statement.
 */
export const onLoneConnection = async <T>(
  url: string,
  work: (connection: LoneConnection) => Promise<T>,
  { signal }: Pick<CopyOptions, 'signal'> = {},
): Promise<T> => {
  const client = new Client({
    connectionString: await primaryUrl(url),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: NAME,
    keepAlive: true,
  });
  let lost: unknown;
  client.on('error', (error) => {
    lost ??= error;
  });
  const cut = (): void => {
    client.connection.stream.destroy();
  };
  try {
    await client.connect();
    signal?.throwIfAborted();
    signal?.addEventListener('abort', cut, { once: true });
    await client.query(PREPARE);
    return await work({
      client,
      rows: async (text, parameters = []) => {
        const result = await client.query({ text, values: [...parameters], rowMode: 'array', types: VALUE_TYPES });
        return result.rows as SqlValue[][];
      },
    });
  } catch (error) {
    if (signal?.aborted === true) {
      throw new ServiceError('unavailable', 'the work was cancelled', { hint: 'run it again', cause: error });
    }
    throw explained(error, lost);
  } finally {
    signal?.removeEventListener('abort', cut);
    await client.end().catch(() => {});
  }
};

const PREPARE = `SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET lock_timeout = '10s';
  SET client_min_messages = warning; SET extra_float_digits = 1; SET bytea_output = hex;
  SET datestyle = 'ISO'; SET client_encoding = 'UTF8'`;

/** Translates errors of the server and of its connection, and returns every other error unchanged. */
const explained = (error: unknown, lost: unknown): unknown => {
  if (error instanceof ServiceError) return error;
  const known = toServiceError(error);
  if (known instanceof ServiceError) return known;
  const isOfConnection = lost !== undefined || (error instanceof Error && 'syscall' in error && !('path' in error));
  if (!isOfConnection) return error;
  return toServiceError(new ConnectionLost('the connection to the database was lost', { cause: lost ?? error }));
};
