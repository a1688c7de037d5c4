import { type CoreErrorCode, ServiceError, type SqlValue } from '../../../ports/ports.ts';

/** What the thread that writes is told to do. A transaction is `begin`, its statements, and `commit` or `rollback`. */
export type WriterStep =
  | { readonly do: 'begin'; readonly patienceMs: number }
  /** Answers the rows of each set of parameters. */
  | { readonly do: 'rows'; readonly sql: string; readonly sets: ParameterSets }
  /** Answers the number of changed rows, over all sets of parameters. */
  | { readonly do: 'run'; readonly sql: string; readonly sets: ParameterSets }
  /** Answers a `StatementOutcome`. */
  | { readonly do: 'perform'; readonly sql: string; readonly parameters: readonly SqlValue[] }
  | { readonly do: 'commit' | 'rollback' | 'forget' | 'close' };

export type ParameterSets = readonly (readonly SqlValue[])[];

/** To each list of steps comes one answer, in the order in which they were sent: what its last step gave. */
export type WriterAnswer =
  | { readonly result: unknown }
  /** The first step that failed; those after it were not taken. */
  | { readonly failure: DescribedError }
  /** To nothing that was sent: another connection has committed something. */
  | { readonly othersCommitted: true };

/** An error, as it can be sent: what callers look at would be lost with the class and the own properties. */
export interface DescribedError {
  readonly message: string;
  readonly stack: string | undefined;
  /** Of a `ServiceError`. */
  readonly service?: { readonly code: CoreErrorCode; readonly hint: string | undefined };
  /** Of an error of SQLite. */
  readonly errcode?: number;
  readonly cause?: DescribedError;
}

export const describeError = (error: unknown): DescribedError => {
  if (!(error instanceof Error)) return { message: String(error), stack: undefined };
  const { message, stack, cause } = error;
  return {
    message,
    stack,
    ...(error instanceof ServiceError ? { service: { code: error.code as CoreErrorCode, hint: error.hint } } : {}),
    ...('errcode' in error && typeof error.errcode === 'number' ? { errcode: error.errcode } : {}),
    ...(cause === undefined ? {} : { cause: describeError(cause) }),
  };
};

export const errorFrom = ({ message, stack, service, errcode, cause }: DescribedError): Error => {
  const origin = cause === undefined ? {} : { cause: errorFrom(cause) };
  if (service !== undefined) {
    const hint = service.hint === undefined ? {} : { hint: service.hint };
    return new ServiceError(service.code, message, { ...hint, ...origin });
  }
  const error = Object.assign(new Error(message, origin), errcode === undefined ? {} : { errcode });
  if (stack !== undefined) error.stack = stack;
  return error;
};

/**
 * Parameters as they are sent. With a part of a buffer the whole one would be copied, and hashes of 32 bytes lie in
 * pools of 8,192.
 */
export const sendable = (parameters: readonly SqlValue[]): readonly SqlValue[] =>
  parameters.some(isPart) ? parameters.map((value) => (isPart(value) ? new Uint8Array(value) : value)) : parameters;

const isPart = (value: SqlValue): value is Uint8Array =>
  value instanceof Uint8Array && value.byteLength !== value.buffer.byteLength;
