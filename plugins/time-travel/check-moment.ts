import { formatHlc } from '../../kernel/internal-api.ts';
import { compareHlc, formatInstant, type ReadContext, ServiceError } from '../../kernel/plugin-api.ts';
import { AS_OF_BEFORE_FLOOR, AS_OF_FUTURE } from './time-travel-words.ts';

/**
 * Refuses a read as of a future moment, and as of a moment before the floor of the store. The clock of a node may be
 * ahead of the time of day, so its newest stamp counts as past.
 */
export const checkMoment = async ({ asOf, snapshot, caller }: ReadContext, nowMs: number): Promise<undefined> => {
  if (asOf === undefined) return;
  if (asOf.wallMs > nowMs) {
    const { newest } = await snapshot.ledgerHead(caller.tenantId);
    if (newest === null || compareHlc(asOf, newest.feed) > 0) {
      throw new ServiceError(AS_OF_FUTURE, `as_of is later than now, ${formatInstant(nowMs)}: leave it out for now`);
    }
  }
  const floor = await snapshot.pastFloor();
  if (compareHlc(asOf, floor) >= 0) return;
  const text = formatHlc(floor);
  throw new ServiceError(
    AS_OF_BEFORE_FLOOR,
    `the node knows its state from ${text} on: ask for that or a later moment`,
    {
      members: { floor: text },
    },
  );
};
