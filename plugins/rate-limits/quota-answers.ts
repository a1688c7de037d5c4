import { countNoun } from '../../kernel/command-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { waitMs } from './token-bucket.ts';

/** The quota of a holder in one dimension. */
export interface QuotaState {
  readonly dimension: string;
  /** The requests per minute, and the maximum at once. */
  readonly perMinute: number;
  /** The number of requests that may come at once now. */
  readonly remaining: number;
  /** The seconds until the quota is full again. */
  readonly resetS: number;
}

/** Returns the state of a quota with this many tokens left. */
export const quotaState = (dimension: string, perMinute: number, tokens: number): QuotaState => ({
  dimension,
  perMinute,
  remaining: Math.max(0, Math.floor(tokens)),
  resetS: Math.ceil(waitMs(perMinute - tokens, perMinute) / 1_000),
});

export const quotaHeaders = ({ perMinute, remaining, resetS }: QuotaState): Readonly<Record<string, string>> => ({
  'RateLimit-Limit': String(perMinute),
  'RateLimit-Remaining': String(remaining),
  'RateLimit-Reset': String(resetS),
});

/** Returns the refusal of a request that lacks `missing` tokens. */
export const quotaExceeded = (state: QuotaState, missing: number): ServiceError => {
  const { dimension, perMinute } = state;
  const seconds = Math.max(1, Math.ceil(waitMs(missing, perMinute) / 1_000));
  return new ServiceError('quota_exceeded', `the quota ${dimension} is used up; try again in ${seconds} s`, {
    headers: { ...quotaHeaders(state), 'Retry-After': String(seconds) },
    members: { dimension, retry_after: seconds },
  });
};

/** Returns the refusal of a batch that exceeds the whole quota. */
export const neverAtOnce = (dimension: string, perMinute: number): ServiceError =>
  new ServiceError(
    'batch_too_large',
    `the quota ${dimension} lets at most ${countNoun(perMinute, 'item')} through at once`,
    {
      hint: 'send fewer items in each request',
    },
  );
