import { type CoreErrorCode, ServiceError, type SqlValue } from '../../../ports/ports.ts';

/** A step for the writer thread. A transaction consists of `begin`, its statements, and `commit` or `rollback`. */
export type WriterStep =
  | { readonly do: 'begin'; readonly patienceMs: number }
  /** Returns the rows of each set of parameters. */
  | { readonly do: 'rows'; readonly sql: string; readonly sets: ParameterSets }
  /** Returns the number of changed rows, over all sets of parameters. */
  | { readonly do: 'run'; readonly sql: string; readonly sets: ParameterSets }
  /** Returns a `StatementOutcome`. */
  | { readonly do: 'perform'; readonly sql: string; readonly parameters: readonly SqlValue[] }
  /** Returns whether the next write begins the log anew. */
  | { readonly do: 'restart-log' }
  | { readonly do: 'checkpoint-from'; readonly pages: number }
  | { readonly do: 'commit' | 'rollback' | 'forget' | 'close' };

export type ParameterSets = readonly (readonly SqlValue[])[];

/** The answer to a list of steps, in the order of the lists: the result of the last step. */
export type WriterAnswer =
  | { readonly result: unknown }
  /** The error of the first step that failed; later steps did not run. */
  | { readonly failure: DescribedError }
  /** A message without a list: another connection has committed. */
  | { readonly othersCommitted: true };

/** An error in the form of a message, because messages lose the class and own properties of errors. */
export interface DescribedError {
  readonly message: string;
  readonly stack: string | undefined;
  /** The members of a `ServiceError`. */
  readonly service?: { readonly code: CoreErrorCode; readonly hint: string | undefined };
  /** The result code of an SQLite error. */
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
 * Returns parameters in the form of a message. It copies buffers, because a message contains the whole 8,192-byte pool
 * of a 32-byte hash.
 */
export const sendable = (parameters: readonly SqlValue[]): readonly SqlValue[] =>
  parameters.some(isPart) ? parameters.map((value) => (isPart(value) ? new Uint8Array(value) : value)) : parameters;

const isPart = (value: SqlValue): value is Uint8Array =>
  value instanceof Uint8Array && value.byteLength !== value.buffer.byteLength;
