import { ServiceError } from '../../../kernel/plugin-api.ts';
import { DAY_MS } from './peer-usage.ts';

export const untilTomorrowMs = (nowMs: number): number => DAY_MS - (nowMs % DAY_MS);

/** Returns the refusal for a peer that has reached its daily limit, or is in quarantine. */
export const quotaExceeded = (waitMs: number): ServiceError => {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new ServiceError('quota_exceeded', 'this node takes no facts of the peer for now; try again later', {
    headers: { 'Retry-After': String(seconds) },
    members: { dimension: 'federation_push', retry_after: seconds },
  });
};
