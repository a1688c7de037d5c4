import type { Fact } from '../../../../client/client.ts';

export const hasExpired = ({ valid_until: until }: Pick<Fact, 'valid_until'>, nowMs: number): boolean =>
  until !== null && Date.parse(until) <= nowMs;

/** Returns true for a fact that is valid only from a later instant on. */
export const isToCome = ({ valid_from: from }: Pick<Fact, 'valid_from'>, nowMs: number): boolean =>
  from !== undefined && Date.parse(from) > nowMs;
