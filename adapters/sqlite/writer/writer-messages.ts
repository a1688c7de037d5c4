import { type CoreErrorCode, ServiceError, type SqlValue } from '../../../ports/ports.ts';

/** The steps for the writer thread. A transaction is `begin`, its statements, and `commit` or `rollback`. */
export type WriterStep =
  | { readonly do: 'begin'; readonly patienceMs: number }
  /** Returns the rows of each set of parameters. */
  | { readonly do: 'rows'; readonly sql: string; readonly sets: ParameterSets }
  /** Returns the number of changed rows, over all sets of parameters. */
  | { readonly do: 'run'; readonly sql: string; readonly sets: ParameterSets }
  /** Returns a `StatementOutcome`. */
  | { readonly do: 'perform'; readonly sql: string; readonly parameters: readonly SqlValue[] }
  | { readonly do: 'commit' | 'rollback' | 'forget' | 'close' };

export type ParameterSets = readonly (readonly SqlValue[])[];

/** The thread posts one answer to each list of steps, in the order of the lists: the result of the last step. */
export type WriterAnswer =
  | { readonly result: unknown }
  /** The error of the first step that failed; later steps did not run. */
  | { readonly failure: DescribedError }
  /** Answers no list: another connection has committed. */
  | { readonly othersCommitted: true };

/** An error in the form of a message, which would lose the class and the own properties. */
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
 * Parameters in the form of a message. A part of a buffer would be sent as the whole one, and hashes of 32 bytes lie in
 * pools of 8,192.
 */
export const sendable = (parameters: readonly SqlValue[]): readonly SqlValue[] =>
  parameters.some(isPart) ? parameters.map((value) => (isPart(value) ? new Uint8Array(value) : value)) : parameters;

const isPart = (value: SqlValue): value is Uint8Array =>
  value instanceof Uint8Array && value.byteLength !== value.buffer.byteLength;
