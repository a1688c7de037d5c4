import { FactMemoryError } from '../../../../client/client.ts';

/**
 * True if the node may have done what a request asked for, because no reply came or the reply does not say. A key that
 * the browser drew may be in use then, and must be shown.
 */
export const mayBeDone = (error: unknown): boolean =>
  error instanceof FactMemoryError && (error.status === 0 || error.status >= 500);
