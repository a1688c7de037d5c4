import { compareHlc, formatInstant, type ReadContext, ServiceError } from '../../kernel/plugin-api.ts';
import { AS_OF_FUTURE } from './time-travel-words.ts';

/**
 * Refuses a read as of a moment that has not come. The clock of a node may be ahead of the time of day, so a stamp that
 * it has given out counts as past.
 */
export const checkMoment = async ({ asOf, snapshot, caller }: ReadContext, nowMs: number): Promise<undefined> => {
  if (asOf === undefined) return;
  if (asOf.wallMs > nowMs) {
    const { newest } = await snapshot.ledgerHead(caller.tenantId);
    if (newest === null || compareHlc(asOf, newest.feed) > 0) {
      throw new ServiceError(AS_OF_FUTURE, `as_of is later than now, ${formatInstant(nowMs)}: leave it out for now`);
    }
  }
};
