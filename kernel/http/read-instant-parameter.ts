import { parseInstant } from '../../ports/instant.ts';
import { memberRefusal } from '../problems/member-refusal.ts';

/** Parses an instant in a query as milliseconds since the epoch; undefined when absent. Throws `validation` (400). */
export const readInstantParameter = (text: string | undefined, name: string): number | undefined => {
  if (text === undefined) return undefined;
  const ms = parseInstant(text);
  if (ms !== null) return ms;
  throw memberRefusal(`query.${name}`, 'must be an RFC 3339 date-time with an offset', 'bad_parameter');
};
