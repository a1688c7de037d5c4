import { destination, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';
import { maskUrls, maskUrlsIn } from '../../ports/ports.ts';
import { describeError } from './describe-error.ts';
import { readableLine } from './readable-line.ts';

/** Weakest first; a level also lets everything stronger through. */
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Fields = Readonly<Record<string, unknown>>;

/** Lines of JSON, one per call, in the outline that the kernel asks for. */
export interface JsonLogger {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  child(fields: Fields): JsonLogger;
}

export interface PinoLoggerOptions {
  readonly level: LogLevel;
  /** Members of every line. */
  readonly fields?: Fields | undefined;
  /** Where the lines go; standard error by default. */
  readonly write?: (line: string) => void;
}

/**
 * Writes through pino, at once, because the last lines of a process that dies matter most. Each entry is one line of
 * JSON, or a readable one on a terminal, even when its texts hold line breaks. An error keeps its stack and causes. Its
 * other members may hold data and go. Secrets in URLs are masked everywhere.
 */
export const createPinoLogger = ({ level, fields, write }: PinoLoggerOptions): JsonLogger => {
  const options = {
    level,
    // The place of a log names its writer, unless several processes write there; host and process would only be noise.
    base: fields ?? null,
    messageKey: 'message',
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: (error: unknown) => describeError(error) },
  };
  return wrap(pino(options, write === undefined ? standardError(process.stderr) : { write }));
};

/** Readable lines on a terminal, JSON in a pipe or file. A reader that went away must not stop the node. */
const standardError = (terminal: NodeJS.WriteStream): { write(line: string): unknown } => {
  const stream = destination({ dest: 2, sync: true });
  stream.on('error', () => undefined);
  if (!terminal.isTTY) return stream;
  // Respects NO_COLOR, FORCE_COLOR and a TERM that has none.
  const colours = terminal.hasColors();
  return { write: (line) => stream.write(readableLine(line, { colours })) };
};

const wrap = (logger: PinoLogger): JsonLogger => ({
  debug: (message, fields) => logger.debug(masked(fields), maskUrls(message)),
  info: (message, fields) => logger.info(masked(fields), maskUrls(message)),
  warn: (message, fields) => logger.warn(masked(fields), maskUrls(message)),
  error: (message, fields) => logger.error(masked(fields), maskUrls(message)),
  child: (fields) => wrap(logger.child(masked(fields))),
});

/** Errors are left to their serializer. */
const masked = (fields: Fields = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, maskUrlsIn(value)]));
