import { memberRefusal } from '../problems/member-refusal.ts';

/** Returns the maximum number of rows on a page. Throws `validation` (400) unless it is an integer from 1 to `most`. */
export const requireLimit = (limit: number, most: number): number => {
  if (Number.isInteger(limit) && limit >= 1 && limit <= most) return limit;
  throw memberRefusal('query.limit', `must be an integer from 1 to ${most}`, 'bad_parameter');
};
