import { limitedEntity } from '../../kernel/internal-api.ts';
import type { Clock, Logger } from '../../kernel/plugin-api.ts';
import type { AuditLog } from '../audit/audit-api.ts';
import type { BucketStore } from './bucket-store.ts';
import { neverAtOnce, type QuotaState, quotaExceeded, quotaHeaders, quotaState } from './quota-answers.ts';
import type { QuotaHolder, Quotas } from './rate-limits-api.ts';
import { QUOTA_BREACH } from './rate-limits-words.ts';
import type { QuotaLimits } from './read-quotas.ts';
import { type BucketName, bucketOf, SharedBuckets, type Taken } from './shared-buckets.ts';

export interface QuotaParts {
  readonly limits: QuotaLimits;
  readonly store: BucketStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly audit: AuditLog | undefined;
}

type Headers = Readonly<Record<string, string>>;

/** The quotas of this process, with methods for `http:admit` and for the caller's own view. */
export interface CountedQuotas extends Quotas {
  /** Works as `take`, for any dimension. Returns synchronously while the process has tokens of its share. */
  admit(holder: QuotaHolder, dimension: string): Headers | undefined | Promise<Headers>;
  /** Returns the state of each quota of the holder, in the order of the settings. */
  states(holder: QuotaHolder): Promise<readonly QuotaState[]>;
}

export const createQuotas = (parts: QuotaParts): CountedQuotas => {
  const { limits, store } = parts;
  const buckets = new SharedBuckets(parts);
  const nameOf = (holder: QuotaHolder, dimension: string, perMinute: number): BucketName => ({
    tenantId: holder.tenantId,
    bucket: bucketOf(limitedEntity(holder), dimension),
    perMinute,
  });
  const answer = (
    holder: QuotaHolder,
    { dimension, perMinute, units }: Asked,
    { isLetIn, tokens, isFirstBreach }: Taken,
  ): Headers | Promise<Headers> => {
    const state = quotaState(dimension, perMinute, tokens);
    if (isLetIn) return quotaHeaders(state);
    const refusal = quotaExceeded(state, units - tokens);
    if (!isFirstBreach) throw refusal;
    return recordBreach(holder, state, parts).then(() => Promise.reject(refusal));
  };
  const admit: CountedQuotas['admit'] = (holder, dimension) => {
    const perMinute = limits.get(dimension);
    if (perMinute === undefined) return undefined;
    const asked = { dimension, perMinute, units: 1 };
    const taken = buckets.take(nameOf(holder, dimension, perMinute), 1);
    return taken instanceof Promise
      ? taken.then((later) => answer(holder, asked, later))
      : answer(holder, asked, taken);
  };
  return {
    admit,
    take: async (holder, dimension) => (await admit(holder, dimension)) ?? NO_HEADERS,
    async takeRest(holder, dimension, units) {
      const perMinute = limits.get(dimension);
      const rest = units - 1;
      if (perMinute === undefined || rest <= 0) return NO_HEADERS;
      const name = nameOf(holder, dimension, perMinute);
      const taken = units > perMinute ? undefined : await takeOr(() => buckets.give(name, 1), buckets.take(name, rest));
      if (taken?.isLetIn) return answer(holder, { dimension, perMinute, units: rest }, taken);
      buckets.give(name, 1);
      if (taken === undefined) throw neverAtOnce(dimension, perMinute);
      return answer(holder, { dimension, perMinute, units }, { ...taken, tokens: taken.tokens + 1 });
    },
    async states(holder) {
      if (limits.size === 0) return [];
      const asked = [...limits].map(([dimension, perMinute]) => ({
        dimension,
        ...nameOf(holder, dimension, perMinute),
      }));
      const stored = await store.read(holder.tenantId, asked);
      return asked.map((name) => {
        const tokens = (stored.get(name.bucket) ?? name.perMinute) + buckets.held(name);
        return quotaState(name.dimension, name.perMinute, Math.min(name.perMinute, tokens));
      });
    },
  };
};

/** Runs `undo` if the store fails before the result is known. */
const takeOr = async (undo: () => void, taking: Taken | Promise<Taken>): Promise<Taken> => {
  try {
    return await taking;
  } catch (error) {
    undo();
    throw error;
  }
};

interface Asked {
  readonly dimension: string;
  readonly perMinute: number;
  /** The number of tokens that the whole request needs. */
  readonly units: number;
}

const NO_HEADERS: Headers = {};

/** Records a refusal in the audit log. If that fails, the request is still refused. */
const recordBreach = async (
  { tenantId, entityUri }: QuotaHolder,
  { dimension, perMinute }: QuotaState,
  { audit, log }: QuotaParts,
): Promise<void> => {
  try {
    await audit?.recordRejection({
      event: QUOTA_BREACH,
      tenantId,
      entityUri,
      detail: { dimension, per_minute: perMinute },
    });
  } catch (error) {
    log.warn('a used-up quota could not be entered into the audit log', { error });
  }
};
