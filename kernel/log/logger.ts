export type LogFields = Readonly<Record<string, unknown>>;

/**
 * A structured log. One call writes one line of JSON on standard error. Fields never contain a credential or a fact's
 * value.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  /** Logs an error. An Error in `fields.error` is written with its stack and causes. */
  error(message: string, fields?: LogFields): void;
  /** Returns a logger that adds these fields to every line. */
  child(fields: LogFields): Logger;
}
