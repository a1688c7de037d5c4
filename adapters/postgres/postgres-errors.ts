import { DatabaseError } from 'pg';
import { ServiceError } from '../../ports/ports.ts';

/** The connection was lost, or was never established. The server may or may not have executed the sent statements. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

interface Explanation {
  readonly message: string;
  readonly hint: string;
}

/** The explanation for a prepared statement that is missing, or is there already. */
const MIXED_SESSIONS: Explanation = {
  message: 'a pooler in front of the database gives one session to several connections',
  hint: 'set SVC_DATABASE_DIRECT_URL to the address of the server itself, or pool_mode = session in the pooler',
};

/**
 * Explanations by SQLSTATE, or by its class of two characters:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  '28': {
    message: 'the database does not let the node in',
    hint: 'check user and password in SVC_DATABASE_URL (percent-encode other characters than letters and digits), and pg_hba.conf on the server',
  },
  '3D000': {
    message: 'the database does not exist',
    hint: 'create it, or correct its name in SVC_DATABASE_URL',
  },
  '42501': {
    message: 'the user of the database lacks a right',
    hint: 'the user of SVC_DATABASE_URL needs: GRANT CONNECT ON DATABASE …, and GRANT CREATE, USAGE ON SCHEMA public, or to own both; and must own the tables of the node: pg_restore --no-owner --role=…, or REASSIGN OWNED BY … TO …',
  },
  '25006': {
    message: 'the database cannot be written: it is read-only',
    hint: 'SVC_DATABASE_URL must name the primary server, or every server of the cluster',
  },
  '25P03': {
    message: 'the database ended a transaction in which the node had paused',
    hint: 'the node was held up for seconds; give it more processor time or memory',
  },
  '53300': {
    message: 'the database has no connection left',
    hint: 'lower SVC_DATABASE_POOL_SIZE or the number of processes, or raise max_connections on the server',
  },
  '53100': { message: 'the disk of the database is full', hint: 'free space on the disk of the database server' },
  '53': { message: 'the database ran out of a resource', hint: 'look into the log of the database server' },
  '26000': MIXED_SESSIONS,
  '42P05': MIXED_SESSIONS,
  '55P03': {
    message: 'another transaction has held its lock for too long',
    hint: 'try again; if it stays so, look for a stuck session in pg_stat_activity',
  },
  '57014': {
    message: 'the database took too long',
    hint: 'try again; if it stays so, look at its load and for missing statistics (ANALYZE)',
  },
  '57': { message: 'the database is shutting down or starting', hint: 'try again shortly' },
  '58': { message: 'the disk of the database failed', hint: 'look into the log of the database server' },
  '40': { message: 'the database called the transaction off too often', hint: 'try again' },
  '0A000': { message: 'the tables changed while they were in use', hint: 'try again' },
  '08': { message: 'the connection to the database failed', hint: 'try again shortly' },
  XX001: { message: 'the database is damaged', hint: 'restore a backup; the log of the database server says more' },
  XX002: { message: 'an index of the database is damaged', hint: 'REINDEX it; the log of the server says which' },
};

const DISTRUSTED: Explanation = {
  message: 'the certificate of the database is not trusted',
  hint: 'SVC_DATABASE_URL must name the host as the certificate does; an authority of your own is named with sslrootcert=/path/ca.pem',
};

/** Explanations by error code of Node, OpenSSL or the name service. */
const UNREACHABLE: Readonly<Record<string, Explanation>> = {
  CERT_HAS_EXPIRED: { message: 'the certificate of the database has expired', hint: 'renew it on the server' },
  DEPTH_ZERO_SELF_SIGNED_CERT: DISTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: DISTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: DISTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: DISTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: DISTRUSTED,
  ENOTFOUND: { message: 'the host of the database is not known', hint: 'check the host in SVC_DATABASE_URL' },
  EAI_AGAIN: { message: 'the host of the database could not be looked up', hint: 'check the name service' },
  ECONNREFUSED: {
    message: 'nothing listens where the database should be',
    hint: 'check host and port in SVC_DATABASE_URL, and that the server runs',
  },
  ENOENT: {
    message: 'there is no socket where the database should be',
    hint: 'check the path in SVC_DATABASE_URL, and that the server runs',
  },
};

const LOST: Explanation = {
  message: 'the database cannot be reached',
  hint: 'try again shortly; if it stays so, check that the database server runs and can be reached',
};

/** The driver's message for a missing TLS, which has no code. */
const SPEAKS_NO_TLS = 'The server does not support SSL connections';

const PLAIN: Explanation = {
  message: 'the database speaks no TLS',
  hint: 'set ssl = on on the server, or leave sslmode out of SVC_DATABASE_URL where the network is trusted',
};

/** The explanation for a key or certificate file that the driver cannot read. */
const UNREADABLE_FILE: Explanation = {
  message: 'a file that the address of the database names cannot be read',
  hint: 'check sslrootcert, sslcert and sslkey in SVC_DATABASE_URL',
};

/**
 * Returns `unavailable` for an error about the state of the database. Returns any other error as a bug, without the
 * values that it may quote.
 */
export const toServiceError = (error: unknown): unknown => {
  if (error instanceof ServiceError) return error;
  if (error instanceof ConnectionLost) return unavailable(explainLoss(error.cause), error);
  if (!(error instanceof DatabaseError)) return error;
  const explanation = explain(error);
  return explanation === undefined ? new StatementRefused(error) : unavailable(explanation, error);
};

/**
 * Returns the error of a COMMIT whose connection was lost before the reply:
 * https://www.postgresql.org/docs/current/protocol-flow.html
 */
export const commitUnknown = (cause: unknown): ServiceError =>
  new ServiceError('commit_unknown', 'the connection to the database was lost while the write was being committed', {
    hint: 'look whether the write is there before repeating it, or repeat it with the same Idempotency-Key',
    cause: withoutValues(cause),
  });

/** Returns whether the server itself has said that it ends the connection. */
export const isEndedByServer = (error: unknown): boolean =>
  error instanceof DatabaseError && FATAL.has(error.severity ?? '');

/**
 * Returns whether the connection is unusable. The server closes it after a fatal error, and a server that takes no
 * writes is no longer the primary.
 */
export const isLoss = (error: unknown): boolean =>
  error instanceof ConnectionLost ||
  isEndedByServer(error) ||
  (error instanceof DatabaseError && error.code === READ_ONLY);

const READ_ONLY = '25006';

const FATAL: ReadonlySet<string> = new Set(['FATAL', 'PANIC']);

/** Returns whether the database met damaged data or a damaged index. */
export const isDamage = (error: unknown): boolean =>
  error instanceof DatabaseError && (error.code === 'XX001' || error.code === 'XX002');

/** Returns whether the database aborted the transaction for a reason that may not recur. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof DatabaseError && (RETRYABLE.has(error.code ?? '') || isStalePlan(error));

/** serialization_failure and deadlock_detected. */
const RETRYABLE: ReadonlySet<string> = new Set(['40001', '40P01']);

/** Returns whether a prepared statement no longer fits its tables, whose columns have changed. */
export const isStalePlan = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';

const explain = (error: DatabaseError): Explanation | undefined => {
  const { code = '' } = error;
  if (code === '0A000' && !isStalePlan(error)) return undefined;
  return EXPLANATIONS[code] ?? EXPLANATIONS[code.slice(0, 2)];
};

const explainLoss = (cause: unknown): Explanation => {
  if (cause instanceof DatabaseError) return explain(cause) ?? LOST;
  if (!(cause instanceof Error)) return LOST;
  if (cause.message === SPEAKS_NO_TLS) return PLAIN;
  const { code = '', syscall } = cause as NodeJS.ErrnoException;
  return syscall === 'open' ? UNREADABLE_FILE : (UNREACHABLE[code] ?? LOST);
};

const unavailable = ({ message, hint }: Explanation, cause: unknown): ServiceError =>
  new ServiceError('unavailable', message, { hint, cause: withoutValues(cause) });

const withoutValues = (error: unknown): unknown =>
  error instanceof DatabaseError ? new StatementRefused(error) : error;

/**
 * An error of the server without its `detail` and `where`, and without the quoted values of some messages, because they
 * contain rows.
 */
class StatementRefused extends Error {
  override readonly name = 'StatementRefused';
  /** The SQLSTATE of the error. */
  readonly code: string;

  constructor(error: DatabaseError) {
    const code = error.code ?? '';
    super(QUOTES_VALUES.has(code.slice(0, 2)) ? `the database refused a value (${code})` : error.message);
    this.code = code;
  }
}

/**
 * The SQLSTATE classes whose messages quote values. Class 22 is data exceptions, such as `invalid input syntax for type
 * integer: "…"`.
 */
const QUOTES_VALUES: ReadonlySet<string> = new Set(['22']);
