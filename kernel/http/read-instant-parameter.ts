import { ServiceError } from '../../ports/service-error.ts';
import { parseInstant } from '../facts/instant.ts';

/** An instant in a query as milliseconds since the epoch, undefined when it was not given. Throws `validation` (400). */
export const readInstantParameter = (text: string | undefined, name: string): number | undefined => {
  if (text === undefined) return undefined;
  const ms = parseInstant(text);
  if (ms !== null) return ms;
  const path = `query.${name}`;
  const message = 'must be an RFC 3339 date-time with an offset';
  throw new ServiceError('bad_parameter', `${path} ${message}`, { violations: [{ path, message }] });
};
