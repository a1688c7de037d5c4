import { type Clock, ServiceError } from '../../ports/ports.ts';
import type { LogFields, Logger } from './logger.ts';

const INTERVAL_MS = 60_000;
/** The maximum number of kinds of warnings that are told apart. Beyond it, all are forgotten and written again. */
const MAX_KINDS = 100;

/**
 * Writes a warning of an outage at once, and the same warning again only after a minute, with the number of those that
 * were left out. Work that is repeated each second would otherwise fill a disk while a database is away.
 */
export const sparingLog = (log: Logger, clock: Pick<Clock, 'monotonicMs'>): Logger => {
  const written = new Map<string, { readonly atMs: number; leftOut: number }>();
  return {
    debug: (message, fields) => log.debug(message, fields),
    info: (message, fields) => log.info(message, fields),
    warn: (message, fields) => {
      const { error } = fields ?? {};
      if (!isOutage(error)) return log.warn(message, fields);
      const kind = kindOf(message, fields, error);
      const last = written.get(kind);
      const nowMs = clock.monotonicMs();
      if (last !== undefined && nowMs - last.atMs < INTERVAL_MS) {
        last.leftOut += 1;
        return;
      }
      if (written.size >= MAX_KINDS) written.clear();
      written.set(kind, { atMs: nowMs, leftOut: 0 });
      // The count of an earlier outage would mislead.
      const leftOut = last !== undefined && nowMs - last.atMs < 2 * INTERVAL_MS ? last.leftOut : 0;
      log.warn(message, leftOut === 0 ? fields : { ...fields, leftOut });
    },
    error: (message, fields) => log.error(message, fields),
    child: (fields) => sparingLog(log.child(fields), clock),
  };
};

/** Returns true for a failure that ends by itself. Any other error needs attention. */
export const isOutage = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && (error.code === 'unavailable' || error.code === 'commit_unknown');

const kindOf = (message: string, { error: _, ...fields }: LogFields = {}, error: ServiceError): string => {
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  return JSON.stringify([message, error.code, error.message, cause, fields]);
};
