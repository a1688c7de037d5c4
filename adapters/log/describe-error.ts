import { maskUrls } from '../../ports/ports.ts';

/** The number of causes to follow: a cycle must end. */
const CAUSE_LIMIT = 5;
/** Members that say where an error comes from. All others stay out of the log: they may hold a statement's values. */
const KEPT_MEMBERS: readonly string[] = ['code', 'hint', 'plugin', 'hook', 'status'];

/**
 * An error as a log keeps it: its kind, message, stack and causes. Anything that is not an error is named by its type
 * alone.
 */
export const describeError = (error: unknown, depth = 0): unknown => {
  if (!(error instanceof Error))
    return typeof error === 'string' ? maskUrls(error) : `not an error, but of type ${typeof error}`;
  const kept = KEPT_MEMBERS.flatMap((name) => {
    const value = (error as unknown as Record<string, unknown>)[name];
    if (typeof value === 'number') return [[name, value]];
    return typeof value === 'string' ? [[name, maskUrls(value)]] : [];
  });
  const cause =
    error.cause === undefined || depth >= CAUSE_LIMIT ? {} : { cause: describeError(error.cause, depth + 1) };
  const stack = error.stack === undefined ? undefined : maskUrls(error.stack);
  return { type: error.name, message: maskUrls(error.message), ...Object.fromEntries(kept), stack, ...cause };
};
