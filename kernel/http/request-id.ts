import type { InboundRequest } from '../../ports/ports.ts';
import type { Random } from '../crypto/random.ts';

/** The id of the client, if it is safe to repeat in headers, bodies and logs; a new one otherwise. */
export const requestIdOf = (request: InboundRequest, random: Random): string => {
  const sent = request.header('x-request-id');
  return sent !== undefined && SANE.test(sent) ? sent : random.uuid();
};

const SANE = /^[\x21-\x7e]{1,128}$/;
