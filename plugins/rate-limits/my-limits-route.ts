import {
  COUNT_JSON,
  listOf,
  objectOf,
  orNull,
  type Principal,
  type Route,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import type { QuotaState } from './quota-answers.ts';
import type { QuotaHolder } from './rate-limits-api.ts';

export interface MyLimitsParts {
  /** Returns the quotas of the holder; empty without limits. */
  quotas(holder: QuotaHolder): Promise<readonly QuotaState[]>;
  /** Returns the storage limit and the stored bytes that count for the caller; null without a limit. */
  storedBytes(caller: Principal): Promise<{ readonly limit: number; readonly used: number } | null>;
}

/** `GET /v1/me/limits` returns the quotas and the storage limit of the caller's entity, with their remainders. */
export const myLimitsRoute = (parts: MyLimitsParts): Route => ({
  method: 'GET',
  path: '/v1/me/limits',
  summary: "Quotas and limits of the caller's entity, and what is left of them",
  access: { permission: 'any' },
  answers: {
    200: {
      json: objectOf({
        quotas: listOf(
          objectOf({ dimension: STRING_JSON, limit: COUNT_JSON, remaining: COUNT_JSON, reset: COUNT_JSON }),
        ),
        stored_bytes: orNull(objectOf({ limit: COUNT_JSON, used: COUNT_JSON })),
      }),
    },
  },
  example: {},
  async handle({ caller }) {
    const quotas = await parts.quotas(caller);
    return {
      status: 200,
      body: {
        quotas: quotas.map(({ dimension, perMinute, remaining, resetS }) => ({
          dimension,
          limit: perMinute,
          remaining,
          reset: resetS,
        })),
        stored_bytes: await parts.storedBytes(caller),
      },
    };
  },
});
