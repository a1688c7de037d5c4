export type LogFields = Readonly<Record<string, unknown>>;

/** Structured log. One call is one line of JSON on standard error. Fields never hold a credential or a fact's value. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  /** `fields.error`, when it is an Error, is written with its stack and causes. */
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger;
}
