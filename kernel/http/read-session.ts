import { ServiceError } from '../../ports/ports.ts';
import type { ServiceNames } from '../identity/service-names.ts';
import type { RouteRequest } from '../plugins/route-definition.ts';

/** Characters, after trimming (wire contract 2.5). */
const MAX_SESSION_LENGTH = 128;

/** The session that a request belongs to, null without one. Throws `session_id_too_long` (400). */
export type ReadSession = (request: Pick<RouteRequest<unknown, unknown, unknown>, 'header'>) => string | null;

export const createReadSession = (names: ServiceNames): ReadSession => {
  const name = names.headers.session;
  const field = name.toLowerCase();
  return (request) => {
    const session = request.header(field)?.trim();
    if (session === undefined || session === '') return null;
    if (session.length <= MAX_SESSION_LENGTH) return session;
    const message = `must not be longer than ${MAX_SESSION_LENGTH} characters`;
    throw new ServiceError('session_id_too_long', `the ${name} header ${message}`, {
      violations: [{ path: `header.${field}`, message }],
    });
  };
};
