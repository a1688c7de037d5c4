import { maskSecrets } from '../../ports/ports.ts';

/** The maximum number of causes in a log entry, because causes may form a cycle. */
const CAUSE_LIMIT = 5;
/**
 * The logged members of an error, which say where it comes from. All others stay out of the log, because they may hold
 * a statement's values.
 */
const KEPT_MEMBERS: readonly string[] = ['code', 'hint', 'plugin', 'hook', 'status'];

/**
 * Returns the loggable form of an error: kind, message, stack and causes. For any other value it returns only the type.
 */
export const describeError = (error: unknown, depth = 0): unknown => {
  if (!(error instanceof Error))
    return typeof error === 'string' ? maskSecrets(error) : `not an error, but of type ${typeof error}`;
  const kept = KEPT_MEMBERS.flatMap((name) => {
    const value = (error as unknown as Record<string, unknown>)[name];
    if (typeof value === 'number') return [[name, value]];
    return typeof value === 'string' ? [[name, maskSecrets(value)]] : [];
  });
  const cause =
    error.cause === undefined || depth >= CAUSE_LIMIT ? {} : { cause: describeError(error.cause, depth + 1) };
  const stack = error.stack === undefined ? undefined : maskSecrets(error.stack);
  return { type: error.name, message: maskSecrets(error.message), ...Object.fromEntries(kept), stack, ...cause };
};
