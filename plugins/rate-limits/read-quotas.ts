import { ServiceError } from '../../kernel/plugin-api.ts';
import { DIMENSIONS, type Dimension } from './rate-limits-api.ts';

/** The maximum requests per minute, by dimension. Other dimensions have no limit. */
export type QuotaLimits = ReadonlyMap<string, number>;

/** The limits that the word `spec` selects. */
export const SPEC_QUOTAS: Readonly<Record<Dimension, number>> = {
  fact_write: 100,
  fact_read: 1_000,
  token_issue: 10,
  recall: 200,
  graph_query: 200,
  subscription_create: 10,
  admin_action: 50,
  federation_pull: 30,
};

const MAX_PER_MINUTE = 10_000_000;

/**
 * Reads `fact_write=100,recall=200`: requests per minute by dimension, separated by commas or spaces. The word `spec`
 * stands for a whole list, whose limits other entries replace. Throws `validation` for other text, so that a typing
 * error never disables a limit unnoticed.
 */
export const readQuotas = (text: string): QuotaLimits => {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  const limits = new Map<string, number>();
  for (const entry of entries.filter((entry) => entry !== 'spec')) {
    const [dimension = '', perMinute = '', ...rest] = entry.split('=');
    if (!isDimension(dimension) || rest.length > 0) throw refused('names something that has no quota');
    if (limits.has(dimension)) throw refused(`names ${dimension} twice`);
    if (!/^[1-9]\d{0,7}$/.test(perMinute) || Number(perMinute) > MAX_PER_MINUTE) {
      throw refused(`gives ${dimension} a limit that is no whole number from 1 to ${MAX_PER_MINUTE}`);
    }
    limits.set(dimension, Number(perMinute));
  }
  return entries.includes('spec') ? new Map([...Object.entries(SPEC_QUOTAS), ...limits]) : limits;
};

const isDimension = (word: string): word is Dimension => (DIMENSIONS as readonly string[]).includes(word);

const refused = (what: string): ServiceError =>
  new ServiceError('validation', `SVC_RATE_LIMITS ${what}`, {
    hint: `write "spec", or a list such as fact_write=100,recall=200; there are quotas for ${DIMENSIONS.join(', ')}`,
  });
