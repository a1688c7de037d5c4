import { type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';
import { maskSecrets, maskSecretsIn } from '../../ports/ports.ts';
import { describeError } from './describe-error.ts';
import { readableLine } from './readable-line.ts';
import { StandardError } from './standard-error.ts';

/** The log levels, weakest first. Each level includes all stronger ones. */
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Fields = Readonly<Record<string, unknown>>;

/** A logger that writes lines of JSON and implements the kernel's `Logger`. */
export interface JsonLogger {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  child(fields: Fields): JsonLogger;
}

export interface PinoLoggerOptions {
  readonly level: LogLevel;
  /** Members that every line contains. */
  readonly fields?: Fields | undefined;
  /** Whether lines are for a person even where standard error is no terminal, beside the plain words of a command. */
  readonly isForPeople?: boolean | undefined;
  /** Writes a line. Default: to standard error. */
  readonly write?: (line: string) => void;
}

/**
 * Creates a pino logger, by default for standard error. Each entry is one line, of JSON or in readable form on a
 * terminal. An error is logged with its stack and causes only, because other members may hold data. Secrets in URLs are
 * masked, and so are keys in messages, fields and errors.
 */
export const createPinoLogger = ({ level, fields, isForPeople = false, write }: PinoLoggerOptions): JsonLogger => {
  const options = {
    level,
    // Omits pino's host and process id. Several processes on one log are distinguished by the fields.
    base: fields ?? null,
    messageKey: 'message',
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: (error: unknown) => describeError(error) },
  };
  if (write !== undefined) return wrap(pino(options, { write }));
  const logger = pino(options, toStandardError(process.stderr, isForPeople));
  // One for the process, because the lines of all its loggers wait for one reader.
  standardError ??= new StandardError((lines) =>
    logger.warn({ lines }, 'lines of the log were left out, because nothing read it'),
  );
  return wrap(logger);
};

let standardError: StandardError | undefined;

/** Writes to standard error: readable lines to a terminal or for people, and JSON otherwise. */
const toStandardError = (terminal: NodeJS.WriteStream, isForPeople: boolean): { write(line: string): void } => {
  const write = (line: string): void => standardError?.write(line);
  if (!terminal.isTTY && !isForPeople) return { write };
  // Respects NO_COLOR, FORCE_COLOR and a TERM without colours.
  const colours = terminal.isTTY && terminal.hasColors();
  return { write: (line) => write(readableLine(line, { colours })) };
};

const wrap = (logger: PinoLogger): JsonLogger => ({
  debug: (message, fields) => logger.debug(masked(fields), maskSecrets(message)),
  info: (message, fields) => logger.info(masked(fields), maskSecrets(message)),
  warn: (message, fields) => logger.warn(masked(fields), maskSecrets(message)),
  error: (message, fields) => logger.error(masked(fields), maskSecrets(message)),
  child: (fields) => wrap(logger.child(masked(fields))),
});

/** Fields with values that look like secret keys but are public. Operators compare them with those of other systems. */
const PUBLIC = /publicKey$|^trace_id$/i;

/** Masks the names and texts of the fields. The serializer describes the field of an error. */
const masked = (fields: Fields = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [maskSecrets(name), maskedField(name, value)]));

const maskedField = (name: string, value: unknown): unknown => {
  if (name === 'error' || PUBLIC.test(name)) return value;
  return value instanceof Error ? describeError(value) : maskSecretsIn(value);
};
