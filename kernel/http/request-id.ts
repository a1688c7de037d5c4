import type { InboundRequest } from '../../ports/ports.ts';
import type { Random } from '../crypto/random.ts';

/** Returns the client's request id if it is safe in headers, bodies and logs; otherwise a new one. */
export const requestIdOf = (request: InboundRequest, random: Random): string => {
  const sent = request.header('x-request-id');
  return sent !== undefined && SANE.test(sent) ? sent : random.uuid();
};

const SANE = /^[\x21-\x7e]{1,128}$/;
